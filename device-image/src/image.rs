//! A device image as clang embeds it: raw bitcode, ELF, PTX or a CUDA fat binary, or any of these in an
//! `OffloadBinary`.

use std::fmt;

use crate::{image_parser, offload_binary};

/// The format of an image's bytes (`ImageKind` of `OffloadBinary.h`, narrowed by the content).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageKind {
    /// LLVM bitcode.
    Bitcode,
    /// An ELF object: a cubin, an AMDGPU code object, a host shared object.
    Object,
    /// PTX text.
    Ptx,
    /// A CUDA fat binary.
    Fatbinary,
}

/// One device image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image<'a> {
    /// The format of the bytes.
    pub kind: ImageKind,
    /// Target triple; empty if neither the container nor the bitcode has one.
    pub triple: &'a str,
    /// Architecture (`sm_80`); empty if neither the container nor the image has one.
    pub arch: &'a str,
    /// The image itself.
    pub bytes: &'a [u8],
}

/// For messages: `machine code for nvptx64-nvidia-cuda sm_90`.
impl fmt::Display for Image<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.kind {
            ImageKind::Bitcode => "bitcode",
            ImageKind::Object => "machine code",
            ImageKind::Ptx => "PTX",
            ImageKind::Fatbinary => "a CUDA fat binary",
        })?;
        for (before, text) in [(" for ", self.triple), (" ", self.arch)] {
            if !text.is_empty() {
                write!(f, "{before}{text}")?;
            }
        }
        Ok(())
    }
}

impl<'a> Image<'a> {
    /// The images in `bytes`: one, or as many as an `OffloadBinary` sequence wraps.
    ///
    /// Everything that the formats announce (offsets, sizes, string tables, block lengths) is checked against the
    /// bytes. So a truncated or damaged image is an error here, and not a crash in a compiler.
    pub fn parse(bytes: &'a [u8]) -> Result<Vec<Image<'a>>, ImageError> {
        image_parser::parse(bytes)
    }

    /// Wraps the image in an `OffloadBinary` of its own, which [`Image::parse`] reads. Several may follow one another.
    pub fn wrap(&self) -> Vec<u8> {
        offload_binary::write(self)
    }
}

/// Why bytes are not a device image.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The bytes end before the structure that they announce.
    #[error("device image is truncated: {what} needs {needed} bytes, {available} are there")]
    Truncated {
        /// Which structure.
        what: &'static str,
        /// Bytes it needs.
        needed: u64,
        /// Bytes that are there.
        available: u64,
    },
    /// The bytes contradict the format.
    #[error("device image is malformed: {0}")]
    Malformed(String),
    /// The first bytes are those of no known format.
    #[error("device image has an unknown format (first bytes {0:02x?})")]
    Unknown(Vec<u8>),
}

//! Device images as clang embeds them: raw bitcode or ELF, or wrapped in an `OffloadBinary`
//! (layout: `llvm/Object/OffloadBinary.h`).

/// What an image's bytes are (`ImageKind` of `OffloadBinary.h`, narrowed by content).
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
    /// What the bytes are.
    pub kind: ImageKind,
    /// Target triple; empty when the container does not say (raw bitcode).
    pub triple: &'a str,
    /// Architecture (`sm_80`); empty when the container does not say.
    pub arch: &'a str,
    /// The image itself.
    pub bytes: &'a [u8],
}

/// Why bytes are not a device image.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// The bytes end before the structure they announce.
    #[error("device image is truncated: {what} needs {needed} bytes, {available} are there")]
    Truncated {
        /// Which structure.
        what: &'static str,
        /// Bytes it needs.
        needed: u64,
        /// Bytes there are.
        available: u64,
    },
    /// The bytes contradict the format.
    #[error("device image is malformed: {0}")]
    Malformed(String),
    /// The bytes begin like no format known here.
    #[error("device image has an unknown format (first bytes {0:02x?})")]
    Unknown(Vec<u8>),
}

//! The compiler's output for the virtual GPU: an ELF relocatable object for the host and a manifest.

use serde::{Deserialize, Serialize};

/// A compiled image.
#[derive(Clone, Debug)]
pub struct Artifact {
    /// What the object holds.
    pub manifest: Manifest,
    /// ELF relocatable object for the host.
    pub object: Vec<u8>,
}

/// The table of contents of a compiled image.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`crate::VERSION`] of the compiler.
    pub abi: u32,
    /// Index of the device window that it is compiled for ([`crate::WINDOWS`]).
    pub window: u64,
    /// Lanes per warp: 32 or 64.
    pub warp_size: u32,
    /// Whether lanes run in lockstep (AMDGCN). A lane that has reached an operation across lanes then waits for the
    /// others of its warp, however long they wait on memory.
    pub lockstep: bool,
    /// Threads of a block when a program states none (`GV_Default_WG_Size` in `OMPGridValues.h`).
    pub default_threads: u32,
    /// Whether blocks of a grid synchronise (NVPTX): a launch then needs a [`crate::GridWorkspace`].
    pub grid_workspace: bool,
    /// Kernels.
    pub kernels: Vec<KernelEntry>,
    /// Externally visible device globals.
    pub globals: Vec<GlobalEntry>,
    /// Entry symbol that runs the image's constructors (`llvm.global_ctors`) in one thread.
    pub constructors: Option<String>,
    /// Entry symbol that runs the image's destructors (`llvm.global_dtors`) in one thread.
    pub destructors: Option<String>,
    /// Source locations of synchronising calls and checked accesses. Code passes an index into this table; index 0 is
    /// "unknown".
    pub sites: Vec<Site>,
}

/// A kernel of the image.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KernelEntry {
    /// The kernel's name in the image.
    pub name: String,
    /// Symbol of its [`crate::EntryFn`] in the object.
    pub symbol: String,
    /// Its parameters.
    pub parameters: Vec<Parameter>,
    /// Launch bound (`nvvm.maxntid`) of a kernel that is no OpenMP region's, 1024 when there is none.
    pub max_threads: u32,
    /// The block that launches must have, if one is declared (`nvvm.reqntid`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<[u32; 3]>,
    /// Static shared memory in bytes.
    pub static_shared: u32,
    /// Whether it can run warp by warp.
    pub warp: WarpForm,
    /// Symbol of a function that runs threads one by one on one stack, that of a thread, as a warp form with
    /// [`WarpForm::Present::loops`] runs subgroups, here of one thread. Only where such threads do not wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<String>,
    /// If it is no kernel of the image's, but a form of one for blocks of short rows: of which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short_rows: Option<ShortRows>,
    /// Why it cannot run: what the virtual GPU lacks, and where the program uses it. A sentence without a full stop.
    pub refusal: Option<String>,
    /// If its code is in another object, which is compiled when a kernel of that object is first launched: the object's
    /// number. Its warp form is not known yet. In that object's manifest there is no such number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<u32>,
    /// If the group has a form to start in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<Start>,
}

/// A form of a kernel that takes little time to compile: [`KernelEntry::threads`] without warp form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The number of the object that has it. Several kernels share one.
    pub object: u32,
    /// The CPU time in that form, in microseconds, after which it pays to compile the kernel's group.
    pub patience: u32,
}

/// A form of a kernel for blocks whose rows are shorter than a warp. It is launched with the block as a line: all its
/// threads along x.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShortRows {
    /// The kernel's name.
    pub of: String,
    /// Threads of a row.
    pub columns: u32,
}

/// Whether a kernel has a warp form: code that runs many threads at once, as the lanes of vectors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum WarpForm {
    /// It has none, for this reason: a sentence without a full stop, with the source location if it is known. Also if
    /// no warp forms were requested.
    Absent(String),
    /// It has one.
    Present {
        /// Symbol of its [`crate::WarpEntryFn`] in the object.
        symbol: String,
        /// Threads per call: 8, 16, 32 or 64. With `fiber`, the image's warp size.
        width: u32,
        /// Whether it calls functions that wait (barriers). Every warp then needs a fiber.
        fiber: bool,
        /// Whether it is only for the workers of a generic kernel. The threads of the last warp, which has the master,
        /// then run on fibers of their own, and the threads of a subgroup are consecutive along y.
        workers: bool,
        /// Whether a warp may lack threads. If not, a form with `fiber` relies on blocks of whole warps.
        partial: bool,
        /// Most threads of a block: the kernel's launch bound, which the warp form relies on.
        max_threads: u32,
        /// If it runs by regions ([`crate::RegionCall`]): bytes of a warp's frame. Then no warp needs a fiber.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        regions: Option<u32>,
        /// Whether one call runs several subgroups ([`crate::SubgroupCall`]). Only without `fiber`.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        loops: bool,
    },
}

impl Default for WarpForm {
    fn default() -> WarpForm {
        WarpForm::Absent("no warp form was asked for".to_owned())
    }
}

/// A parameter of a kernel. In a launch's array it takes as many 8-byte words as it needs, after those of the one
/// before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its offset in a C structure of all parameters, as kernel languages (CUDA) pass them.
    pub offset: u32,
    /// Bytes.
    pub size: u32,
}

impl Parameter {
    /// How many words it takes.
    pub fn words(self) -> u32 {
        self.size.div_ceil(8)
    }
}

/// A device global of the image.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GlobalEntry {
    /// The global's name in the image.
    pub name: String,
    /// Its symbol in the object.
    pub symbol: String,
    /// Bytes.
    pub size: u64,
}

/// A location in the user's source: that of the innermost frame of the user's code, or of a variable's declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Site {
    /// File, empty when unknown.
    pub file: String,
    /// Line from 1, 0 when unknown.
    pub line: u32,
    /// Column from 1, 0 when unknown.
    pub column: u32,
    /// Function, or the variable that is declared there; empty when unknown.
    pub function: String,
}

/// First bytes of an encoded artifact.
const MAGIC: &[u8; 8] = b"OMPTVGPU";

/// Why bytes are not an encoded artifact.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// Truncated, or not an artifact at all.
    #[error("not a compiled image, or a truncated one")]
    Malformed,
    /// The manifest is not what this version writes.
    #[error("the manifest does not parse: {0}")]
    Manifest(#[from] serde_json::Error),
    /// Written by another version.
    #[error("compiled for interface version {found}, this is {expected}")]
    Version {
        /// Version in the artifact.
        found: u32,
        /// [`crate::VERSION`].
        expected: u32,
    },
}

impl Artifact {
    /// One byte string: magic, length of the manifest, length of the object (8 bytes each, little
    /// endian), manifest as JSON, object.
    pub fn encode(&self) -> Vec<u8> {
        let manifest = serde_json::to_vec(&self.manifest).expect("a manifest has only string keys");
        let mut bytes = Vec::with_capacity(24 + manifest.len() + self.object.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&(manifest.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&(self.object.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&manifest);
        bytes.extend_from_slice(&self.object);
        bytes
    }

    /// The inverse of [`Artifact::encode`].
    pub fn decode(bytes: &[u8]) -> Result<Artifact, DecodeError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(DecodeError::Malformed)?;
        let (manifest_size, rest) = split_length(rest)?;
        let (object_size, rest) = split_length(rest)?;
        if manifest_size.checked_add(object_size) != Some(rest.len()) {
            return Err(DecodeError::Malformed);
        }
        let (manifest, object) = rest.split_at(manifest_size);
        let manifest: Manifest = serde_json::from_slice(manifest)?;
        let expected = crate::VERSION;
        if manifest.abi != expected {
            return Err(DecodeError::Version {
                found: manifest.abi,
                expected,
            });
        }
        Ok(Artifact {
            manifest,
            object: object.to_vec(),
        })
    }
}

fn split_length(bytes: &[u8]) -> Result<(usize, &[u8]), DecodeError> {
    let (length, rest) = bytes
        .split_first_chunk::<8>()
        .ok_or(DecodeError::Malformed)?;
    let length =
        usize::try_from(u64::from_le_bytes(*length)).map_err(|_| DecodeError::Malformed)?;
    Ok((length, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Artifact {
        let manifest = Manifest {
            abi: crate::VERSION,
            constructors: Some("c".into()),
            ..Manifest::default()
        };
        Artifact {
            manifest,
            object: vec![1, 2, 3],
        }
    }

    #[test]
    fn decoding_inverts_encoding() {
        let decoded = Artifact::decode(&sample().encode()).unwrap();
        assert_eq!(decoded.manifest, sample().manifest);
        assert_eq!(decoded.object, sample().object);
    }

    #[test]
    fn every_truncation_is_refused() {
        let bytes = sample().encode();
        for length in 0..bytes.len() {
            assert!(Artifact::decode(&bytes[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn another_version_is_refused() {
        let mut artifact = sample();
        artifact.manifest.abi += 1;
        assert!(matches!(
            Artifact::decode(&artifact.encode()),
            Err(DecodeError::Version { .. })
        ));
    }
}

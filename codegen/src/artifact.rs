//! What the compiler hands over for the virtual GPU: an x86-64 ELF relocatable object and a manifest.

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
    /// [`crate::vgpu_abi::VERSION`] of the compiler.
    pub abi: u32,
    /// Kernels.
    pub kernels: Vec<KernelEntry>,
    /// Externally visible device globals.
    pub globals: Vec<GlobalEntry>,
    /// Entry symbol that runs the image's constructors (`llvm.global_ctors`) in one thread.
    pub constructors: Option<String>,
    /// Entry symbol that runs the image's destructors (`llvm.global_dtors`) in one thread.
    pub destructors: Option<String>,
    /// Source places of synchronising calls and checked accesses; code passes an index into this
    /// table. Index 0 is "unknown".
    pub sites: Vec<Site>,
}

/// A kernel of the image.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KernelEntry {
    /// The kernel's name in the image.
    pub name: String,
    /// Symbol of its [`crate::vgpu_abi::EntryFn`] in the object.
    pub symbol: String,
    /// Number of 8-byte parameters.
    pub parameters: u32,
    /// Launch bound (`nvvm.maxntid`), 1024 when there is none.
    pub max_threads: u32,
    /// Static shared memory in bytes.
    pub static_shared: u32,
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

/// A place in the user's source, innermost user frame first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Site {
    /// File, empty when unknown.
    pub file: String,
    /// Line from 1, 0 when unknown.
    pub line: u32,
    /// Column from 1, 0 when unknown.
    pub column: u32,
    /// Function, empty when unknown.
    pub function: String,
}

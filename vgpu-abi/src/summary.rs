//! A summary of an image, as `omptarget-codegen inspect` prints it.

use serde::{Deserialize, Serialize};

/// Summary of a device image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageSummary {
    /// Target triple.
    pub triple: String,
    /// CPU that it was compiled for; empty if the image does not say.
    pub cpu: String,
    /// Lanes per warp; 0 if the compiler does not know the triple.
    pub warp_size: u32,
    /// The release of this project that its device runtime is from, if it has one of ours.
    pub runtime_release: Option<String>,
    /// Its kernels, by name.
    pub kernels: Vec<KernelSummary>,
    /// Its externally visible variables, by name.
    pub globals: Vec<GlobalSummary>,
}

/// How a kernel's threads are used (clang's execution modes, `OMPConstants.h`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExecutionMode {
    /// One thread runs; the others wait for parallel regions.
    Generic,
    /// All threads run.
    Spmd,
    /// Written as generic, run with all threads.
    GenericSpmd,
    /// No runtime at all (`ompx_bare`, or not an OpenMP kernel).
    Bare,
}

/// Summary of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelSummary {
    /// Name.
    pub name: String,
    /// How its threads are used.
    pub mode: ExecutionMode,
    /// Parameter types as LLVM writes them.
    pub parameters: Vec<String>,
    /// Most threads per block, if the image has launch bounds.
    pub max_threads: Option<u32>,
}

/// Summary of a device variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GlobalSummary {
    /// Name.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Whether kernels cannot write it.
    pub constant: bool,
}

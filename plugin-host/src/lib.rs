//! The host as an offload device. It runs images for `x86_64-pc-linux-gnu` or `aarch64-unknown-linux-gnu`, which clang
//! compiles with `-fopenmp-targets=` and that triple.
//!
//! Such an image is a shared object, and its kernels are ordinary functions. They contain no device runtime:
//! `teams` and `parallel` call the host's libomp, which runs teams and threads on the CPU. So a launch is a call,
//! and the same binary also runs under LLVM's libomptarget. Data is mapped nevertheless: device memory is
//! separate memory, as on a GPU.

mod call;
mod device;
mod memory;
mod module;
mod plugin;

pub use plugin::plugin;

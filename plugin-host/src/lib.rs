//! The host as an offload device: images for `x86_64-pc-linux-gnu`, which clang makes with
//! `-fopenmp-targets=x86_64-pc-linux-gnu`.
//!
//! Such an image is a shared object whose kernels are ordinary functions. They bring no device
//! runtime: `teams` and `parallel` in them call the host's libomp, which spreads teams and threads
//! over the CPU. So a launch is a call, and the same binary runs under LLVM's libomptarget too.
//! Data is mapped all the same: device memory is memory of its own, as on a GPU.

mod call;
mod device;
mod memory;
mod module;
mod plugin;

pub use plugin::plugin;

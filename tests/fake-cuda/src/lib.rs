//! A CUDA driver (`libcuda.so.1`) for tests: it exports what `plugin-cuda` calls and runs kernels on virtual GPUs.
//!
//! Nobody can execute PTX without a GPU, so a module's *source* runs: the bitcode that its PTX was made of. The PTX names it
//! (its first line is the SHA-256 of the image), and the test provides it, in the folder `FAKE_CUDA_BITCODE`. The PTX itself is given to
//! NVIDIA's assembler (`FAKE_CUDA_PTXAS`), so that a module which a driver's compiler would refuse is refused here.
//!
//! What a driver checks is checked here, each check by what the CUDA Driver API reference (12.8) says of the function: handles that
//! do not exist or no more, addresses outside of allocations, contexts that are not current, sizes of launches, overlapping
//! copies. Pageable memory is read and written when the reference says so ("API synchronization behavior"). An error of a kernel loses its
//! context: every later call returns it. What is not emulated is an error, not a success.
//!
//! Calls may be made to fail, and are written to a list; `config` has the settings.

#[macro_use]
mod call;

mod attributes;
mod config;
mod context;
mod context_calls;
mod cubin;
mod device;
mod device_calls;
mod event;
mod event_calls;
mod handle;
mod injection;
mod launch_calls;
mod memory;
mod memory_calls;
mod module;
mod module_calls;
mod pointer;
mod ptxas;
mod result;
mod stream;
mod stream_calls;
mod transfer_calls;

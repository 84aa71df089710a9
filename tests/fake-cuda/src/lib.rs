//! A CUDA driver (`libcuda.so.1`) for tests: it exports what `plugin-cuda` calls and runs kernels on virtual GPUs.
//!
//! PTX cannot run without a GPU, so the module's *source* runs: the bitcode that its PTX was compiled from. The
//! first line of the PTX names it by the SHA-256 of the image. The test provides it in the folder
//! `FAKE_CUDA_BITCODE`. NVIDIA's assembler checks the PTX itself (`FAKE_CUDA_PTXAS`), so that this driver refuses
//! a module that a real driver's compiler would refuse.
//!
//! This driver checks what a real driver checks, according to the CUDA Driver API reference (12.8): stale
//! handles, addresses outside allocations, contexts that are not current, launch sizes, overlapping copies. It
//! reads and writes pageable memory when the reference says so ("API synchronization behavior"). A kernel's error
//! makes its context lost: every later call gives that error. Calls that are not emulated fail.
//!
//! Tests can make calls fail and log them. `config` has the settings.

mod attributes;
mod call;
mod config;
mod context;
mod context_calls;
mod cubin;
mod device;
mod device_calls;
mod event;
mod event_calls;
mod launch_calls;
mod memory;
mod memory_calls;
mod module;
mod module_calls;
mod ptxas;
mod result;
mod stream;
mod stream_calls;
mod transfer_calls;

//! Raises the launch bounds of generic kernels by the master's warp.
//!
//! clang bounds the number of OpenMP threads; a generic kernel's block has the master's warp on top (docs/abi.md,
//! "Launch shape"). A driver refuses launches beyond the bound. And LLVM believes it from the start: its pipelines take
//! a thread's id to be less than the bound. With `thread_limit(1)` they concluded that a generic kernel's block cannot
//! exist.

use vgpu_abi::summary::ExecutionMode;

use crate::analysis::exec_mode;
use crate::analysis::kernels::{self, AMD_BOUND, NVIDIA_BOUND};
use crate::analysis::target::MAX_THREADS;
use crate::ir::Module;

/// Raises the bounds by a warp. Runs once per module, before anything is optimised.
pub fn run(module: &Module, warp_size: u32) {
    for kernel in kernels::find(module) {
        let Some(bound) = kernel.bound else {
            continue;
        };
        if exec_mode::of(module, &kernel.name) != ExecutionMode::Generic {
            continue;
        }
        let bound = bound.saturating_add(warp_size).min(MAX_THREADS);
        let function = kernel.function;
        match function.text_attribute(AMD_BOUND) {
            Some(_) => {
                function.set_text_attribute(module.context, AMD_BOUND, &format!("1,{bound}"))
            }
            None => function.set_text_attribute(module.context, NVIDIA_BOUND, &bound.to_string()),
        }
    }
}

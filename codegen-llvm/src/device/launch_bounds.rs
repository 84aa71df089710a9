//! Most threads of a block of a generic kernel.
//!
//! clang bounds OpenMP's threads; a generic kernel's block has the master's warp on top (docs/abi.md, "Launch shape"). A driver
//! refuses launches beyond the bound, and before that LLVM believes it: from their start, its pipelines take a thread's
//! number for less than the bound, and with `thread_limit(1)` found that a generic kernel's block cannot be.

use vgpu_abi::summary::ExecutionMode;

use crate::analysis::exec_mode;
use crate::analysis::kernels::{self, AMD_BOUND, NVIDIA_BOUND};
use crate::ir::Module;

/// Most threads of any block.
const MOST_THREADS: u32 = 1024;

/// Raises the bounds by a warp; once per module, before anything is optimised.
pub fn run(module: &Module, warp_size: u32) {
    for kernel in kernels::find(module) {
        let Some(bound) = kernel.bound else {
            continue;
        };
        if exec_mode::of(module, &kernel.name) != ExecutionMode::Generic {
            continue;
        }
        let bound = bound.saturating_add(warp_size).min(MOST_THREADS);
        let function = kernel.function;
        match function.text_attribute(AMD_BOUND) {
            Some(_) => {
                function.set_text_attribute(module.context, AMD_BOUND, &format!("1,{bound}"))
            }
            None => function.set_text_attribute(module.context, NVIDIA_BOUND, &bound.to_string()),
        }
    }
}

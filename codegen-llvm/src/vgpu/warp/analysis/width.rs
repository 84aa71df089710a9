//! How many lanes a subgroup has.

use std::mem::offset_of;
use std::ops::Range;

use llvm_sys::LLVMOpcode;
use vgpu_abi::ThreadContext;

use super::callee;
use super::context_fields::{self, LaneAxis};
use crate::ir::Value;

/// Where the context has the address of the block's shared memory.
const SHARED_BASE: usize = offset_of!(ThreadContext, shared_base);

/// The width of a kernel's subgroups.
pub struct Width {
    /// Lanes of a subgroup.
    pub lanes: u32,
    /// Whether warps wait for each other.
    pub fiber: bool,
    /// Whether all blocks that run in warp form consist of whole subgroups.
    pub whole_blocks: bool,
}

/// Lanes of a subgroup that need not be a warp. Unit-stride accesses of 32 elements make good use of the cache lines
/// and pages that they touch, so most benchmarks are faster than with 16 lanes. With 64 lanes some gain more, but
/// others lose (docs/measurements.md), and the lane ids of a subgroup would no longer be consecutive.
const UNCONSTRAINED: u32 = 32;

/// Lanes if the kernel uses the second or third dimension of its block. A subgroup is part of one row of the block,
/// and rows of such blocks often have 16 threads.
const SEVERAL_DIMENSIONS: u32 = 16;

/// Lanes of a kernel with more than [`LARGE_FROM`] instructions, such as one with unrolled loops. One lane has enough
/// independent work, and with more lanes the live vectors exceed the CPU's registers.
const LARGE: u32 = 16;

/// The number of instructions beyond which a kernel is large.
const LARGE_FROM: usize = 1000;

/// Chooses the width for a normalised kernel, whose blocks have at most `bound` threads. A subgroup is a warp where
/// lanes act together or wait, and among the workers of a generic kernel, which wait for the master.
///
/// A kernel that uses shared memory and never waits relies on warps in lockstep, as programs older than
/// `__syncwarp` do: HeCBench's `dct8x8`. Its warps are whole, as those that wait are, and threads never run one after
/// the other.
pub fn of(kernel: Value, axis: LaneAxis, warp_size: u32, bound: Option<u32>) -> Width {
    if axis == LaneAxis::Y {
        return Width {
            lanes: warp_size,
            fiber: true,
            whole_blocks: false,
        };
    }
    let instructions = kernel.instructions();
    let is_large = instructions.len() > LARGE_FROM;
    let calls = instructions.into_iter().filter(|it| it.is_call());
    let called: Vec<_> = calls.map(callee::of).collect();
    let fiber = called.iter().any(|&callee| callee::is_wait(callee))
        || reads_context(kernel, SHARED_BASE..SHARED_BASE + size_of::<u64>());
    let together = called
        .iter()
        .any(|&callee| callee::is_warp_operation(callee));
    Width {
        lanes: match fiber || together {
            true => warp_size,
            false if uses_other_dimensions(kernel) => SEVERAL_DIMENSIONS,
            false if is_large => LARGE,
            false => UNCONSTRAINED,
        },
        fiber,
        // Few programs that state a bound of whole warps have other blocks. Those run on fibers.
        whole_blocks: fiber && bound.is_some_and(|most| most.is_multiple_of(warp_size)),
    }
}

/// Whether a kernel reads the thread id in the second or third dimension of the block.
fn uses_other_dimensions(kernel: Value) -> bool {
    let tid = offset_of!(ThreadContext, tid);
    reads_context(kernel, tid + size_of::<u32>()..tid + size_of::<[u32; 3]>())
}

/// Whether a kernel reads something of these bytes of its context.
fn reads_context(kernel: Value, bytes: Range<usize>) -> bool {
    let loads = kernel
        .instructions()
        .into_iter()
        .filter(|it| it.opcode() == Some(LLVMOpcode::LLVMLoad));
    loads
        .filter_map(context_fields::context_field)
        .any(|field| bytes.contains(&field))
}

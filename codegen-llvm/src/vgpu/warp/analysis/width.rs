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

/// Fewest lanes that are worth a warp form.
const FEWEST: u32 = 8;

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
    let alone = match is_large {
        _ if uses_other_dimensions(kernel) => SEVERAL_DIMENSIONS,
        true => LARGE,
        false => UNCONSTRAINED,
    };
    Width {
        lanes: match fiber || together {
            true => warp_size,
            false => within(alone, bound),
        },
        fiber,
        // Few programs that state a bound of whole warps have other blocks. Those run on fibers.
        whole_blocks: fiber && bound.is_some_and(|most| most.is_multiple_of(warp_size)),
    }
}

/// So many lanes, or fewer for small blocks: as many as leave less than [`FEWEST`] threads of the largest one over.
/// Those run one by one.
fn within(lanes: u32, bound: Option<u32>) -> u32 {
    let Some(most) = bound.filter(|most| (FEWEST..2 * lanes).contains(most)) else {
        return lanes;
    };
    let widths = (FEWEST.ilog2()..=lanes.ilog2()).rev().map(|it| 1 << it);
    let mut fitting = widths.filter(|width| *width <= most && most % width < FEWEST);
    fitting.next().unwrap_or(lanes)
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

#[cfg(test)]
mod tests {
    use super::within;

    #[test]
    fn small_blocks_have_small_subgroups() {
        let of = |bounds: &[u32]| -> Vec<u32> {
            let bounds = bounds.iter();
            bounds.map(|&most| within(32, Some(most))).collect()
        };
        assert_eq!(of(&[8, 12, 15, 24, 31, 40, 63]), [8; 7]);
        assert_eq!(of(&[16, 23, 48, 55]), [16; 4]);
        assert_eq!(of(&[1, 7, 32, 39, 64, 100, 250, 1024]), [32; 8]);
        assert_eq!(within(16, Some(8)), 8);
        assert_eq!(within(16, Some(24)), 8);
        assert_eq!(within(16, Some(48)), 16);
        assert_eq!(within(32, None), 32);
    }
}

//! How many lanes a subgroup has.

use std::mem::offset_of;

use llvm_sys::LLVMOpcode;
use vgpu_abi::ThreadContext;

use super::callee;
use super::context_fields::{self, LaneAxis};
use crate::ir::Value;

/// What of a kernel decides.
pub struct Width {
    /// Lanes.
    pub lanes: u32,
    /// Whether warps wait for each other.
    pub fiber: bool,
}

/// Lanes of a subgroup that need not be a warp: rows of 32 elements make use of the cache lines and pages that they touch.
/// Most benchmarks are faster so than with 16; with 64 some gain more, but others lose (docs/warp-vectoriser.md), and the number of
/// a lane in its warp would no longer count up.
const FREE: u32 = 32;

/// Lanes if the kernel knows of other dimensions of its block than the first. A subgroup is part of a axis, and those blocks
/// often have rows of 16 threads.
const PART_OF_ROW: u32 = 16;

/// Lanes of a kernel of more than [`MANY`] instructions, such as one whose loops have been unrolled: it has enough to do at once in a lane
/// alone, and with more lanes more vectors live than the CPU has registers, which costs time here and there.
const OF_MANY: u32 = 16;

/// Beyond how many instructions.
const MANY: usize = 1000;

/// Chooses for a normalised kernel. Where lanes act together or wait, and among the workers of a generic kernel, who wait
/// for the master, a subgroup is a warp.
pub fn of(kernel: Value, axis: LaneAxis, warp_size: u32) -> Width {
    if axis == LaneAxis::Y {
        return Width {
            lanes: warp_size,
            fiber: true,
        };
    }
    let instructions = kernel.instructions();
    let many = instructions.len() > MANY;
    let calls = instructions.into_iter().filter(|it| it.is_call());
    let called: Vec<_> = calls.map(callee::of).collect();
    let fiber = called.iter().any(|&callee| callee::waits(callee));
    let together = called
        .iter()
        .any(|&callee| callee::is_warp_operation(callee));
    Width {
        lanes: match fiber || together {
            true => warp_size,
            false if has_rows(kernel) => PART_OF_ROW,
            false if many => OF_MANY,
            false => FREE,
        },
        fiber,
    }
}

/// Whether a kernel asks for a thread's index in the second or third dimension of the block.
fn has_rows(kernel: Value) -> bool {
    let tid = offset_of!(ThreadContext, tid);
    let rows = tid + size_of::<u32>()..tid + size_of::<[u32; 3]>();
    let loads = kernel
        .instructions()
        .into_iter()
        .filter(|it| it.opcode() == Some(LLVMOpcode::LLVMLoad));
    loads
        .filter_map(context_fields::context_field)
        .any(|field| rows.contains(&field))
}

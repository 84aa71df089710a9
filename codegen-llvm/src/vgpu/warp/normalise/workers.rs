//! Reduces generic kernels to what their workers run.
//!
//! Needs: a copy of the module.
//!
//! The master of a generic kernel is in the last warp of the block, whose threads run the scalar form (*fork-join*
//! paper, §V-B; docs/abi.md). So no lane of a warp form is the master, and the code that only the master runs goes
//! away. What is left is the workers' state machine with the parallel regions in it.

use std::mem::offset_of;

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use vgpu_abi::ThreadContext;

use crate::ir::Value;
use crate::vgpu::warp::analysis::context_fields::{self, LaneAxis};

/// Replaces conditions that are known for workers; gives whether there were any.
pub fn run(kernel: Value, warp_size: u32) -> bool {
    let mut changed = false;
    for instruction in kernel.instructions() {
        if let Some(answer) = answer(instruction, warp_size)
            && !instruction.is_unused()
        {
            instruction.replace_all_uses(Value::int(instruction.ty(), answer));
            changed = true;
        }
    }
    changed
}

fn answer(instruction: Value, warp_size: u32) -> Option<u64> {
    match instruction.opcode()? {
        LLVMOpcode::LLVMLoad => of_shape(context_fields::context_field(instruction)?),
        LLVMOpcode::LLVMICmp => {
            let (left, right) = (instruction.operand(0), instruction.operand(1));
            let compares = |thread, first| {
                context_fields::is_thread_id(thread, LaneAxis::Y) && is_last_warp(first, warp_size)
            };
            match instruction.int_predicate() {
                _ if !compares(left, right) && !compares(right, left) => None,
                LLVMIntPredicate::LLVMIntEQ => Some(0),
                LLVMIntPredicate::LLVMIntNE => Some(1),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The value of a context field that is known because the block extends along y.
fn of_shape(field: usize) -> Option<u64> {
    let element = size_of::<u32>();
    let (tid, ntid) = (
        offset_of!(ThreadContext, tid),
        offset_of!(ThreadContext, ntid),
    );
    if field == tid || field == tid + 2 * element {
        Some(0)
    } else if field == ntid || field == ntid + 2 * element {
        Some(1)
    } else {
        None
    }
}

/// Whether a value is the thread id of the last warp's first thread: `(ntid.y - 1) & -warp_size`.
fn is_last_warp(value: Value, warp_size: u32) -> bool {
    let constant =
        |value: Value, expected: u32| value.as_int().is_some_and(|bits| bits as u32 == expected);
    let opcode = |value: Value| value.is_instruction().then(|| value.opcode()).flatten();
    if opcode(value) != Some(LLVMOpcode::LLVMAnd)
        || !constant(value.operand(1), warp_size.wrapping_neg())
    {
        return false;
    }
    let last = value.operand(0);
    opcode(last) == Some(LLVMOpcode::LLVMAdd)
        && constant(last.operand(1), u32::MAX)
        && context_fields::context_field_of(last.operand(0)) == Some(LaneAxis::Y.threads())
}

//! Who the master of a generic kernel is.
//!
//! `__kmpc_target_init` answers -1 to the master, and clang's code asks for that. What the runtime does for the master
//! and for workers it asks the thread's number for. LLVM's device link makes a phi of the answer, behind which it does not
//! see that the two questions are one; here the first is made the second.

use llvm_sys::LLVMOpcode;

use crate::analysis::intrinsics::{THREAD_ID_X, THREAD_ID_Y, is_call_of};
use crate::analysis::kernels;
use crate::ir::{Block, Module, Value};

/// Replaces the question in every kernel.
pub fn run(module: &Module) {
    for kernel in kernels::find(module) {
        for instruction in kernel.function.instructions() {
            if let Some(question) = is_master(instruction) {
                instruction.replace_all_uses(question);
            }
        }
    }
}

/// The runtime's question, if the instruction asks whether the answer is -1: the answer is a phi of -1, from a block that
/// only the master comes to, and of thread numbers.
fn is_master(instruction: Value) -> Option<Value> {
    if instruction.opcode()? != LLVMOpcode::LLVMICmp || !instruction.is_equality() {
        return None;
    }
    let (answer, minus_one) = (instruction.operand(0), instruction.operand(1));
    let is_minus_one = |value: Value| value.as_int().is_some_and(|bits| bits as u32 == u32::MAX);
    if !is_minus_one(minus_one) || answer.opcode()? != LLVMOpcode::LLVMPHI {
        return None;
    }
    let (masters, others): (Vec<_>, Vec<_>) = answer
        .incoming()
        .into_iter()
        .partition(|&(value, _)| is_minus_one(value));
    let [(_, masters_block)] = masters[..] else {
        return None;
    };
    let is_thread_id =
        |value: Value| is_call_of(value, &THREAD_ID_X) || is_call_of(value, &THREAD_ID_Y);
    if !others.iter().all(|&(value, _)| is_thread_id(value)) {
        return None;
    }
    // Where the master's way and the others' part.
    let parting = before(masters_block).find(|&parting| {
        let mut ways = others.iter().map(|&(_, block)| way(block, parting));
        ways.all(|way| way.is_some())
    })?;
    let branch = parting.terminator()?;
    if branch.opcode() != Some(LLVMOpcode::LLVMBr) {
        return None;
    }
    let condition = branch.condition()?;
    let masters = *branch.successors().first()?;
    let alone = others
        .iter()
        .all(|&(_, block)| way(block, parting) != Some(masters));
    (alone && way(masters_block, parting) == Some(masters)).then_some(condition)
}

/// The blocks that control must have come by, one way only, to be in a block; the nearest first.
fn before(block: Block) -> impl Iterator<Item = Block> {
    let mut seen = vec![block];
    core::iter::from_fn(move || {
        let [before] = seen.last()?.predecessors()[..] else {
            return None;
        };
        if seen.contains(&before) {
            return None;
        }
        seen.push(before);
        Some(before)
    })
}

/// The block that follows `origin` on the only way from there to a block, if there is only one way to it.
fn way(block: Block, origin: Block) -> Option<Block> {
    let mut next = block;
    for before in before(block) {
        if before == origin {
            return Some(next);
        }
        next = before;
    }
    None
}

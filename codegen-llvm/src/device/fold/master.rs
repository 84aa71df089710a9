//! Makes the two tests for the master of a generic kernel one.
//!
//! `__kmpc_target_init` returns -1 to the master, and clang's code tests for that. The runtime itself tests the
//! thread's id. LLVM's device link makes a phi of the result, and no longer sees that both tests ask the same. This
//! pass replaces the first test by the second.

use llvm_sys::LLVMOpcode;

use crate::analysis::block_shape::{Dimension, read_by};
use crate::analysis::kernels;
use crate::ir::{Block, Module, Value};

/// Replaces the test in every kernel.
pub fn run(module: &Module) {
    for kernel in kernels::find(module) {
        for instruction in kernel.function.instructions() {
            if let Some(test) = runtime_test(instruction) {
                instruction.replace_all_uses(test);
            }
        }
    }
}

/// The runtime's own test, if the instruction compares the result of `__kmpc_target_init` with -1. That result is a phi
/// of -1, from a block that only the master reaches, and of thread ids.
fn runtime_test(instruction: Value) -> Option<Value> {
    if instruction.opcode()? != LLVMOpcode::LLVMICmp || !instruction.is_equality() {
        return None;
    }
    let (result, minus_one) = (instruction.operand(0), instruction.operand(1));
    let is_minus_one = |value: Value| value.as_int().is_some_and(|bits| bits as u32 == u32::MAX);
    if !is_minus_one(minus_one) || result.opcode()? != LLVMOpcode::LLVMPHI {
        return None;
    }
    let (masters, others): (Vec<_>, Vec<_>) = result
        .incoming()
        .into_iter()
        .partition(|&(value, _)| is_minus_one(value));
    let [(_, masters_block)] = masters[..] else {
        return None;
    };
    let is_thread_id = |value: Value| {
        matches!(
            read_by(value),
            Some(Dimension::ThreadX | Dimension::ThreadY)
        )
    };
    if !others.iter().all(|&(value, _)| is_thread_id(value)) {
        return None;
    }
    // The branch where the master's path leaves that of the others.
    let fork = dominating(masters_block).find(|&fork| {
        let mut paths = others.iter().map(|&(_, block)| next_towards(block, fork));
        paths.all(|path| path.is_some())
    })?;
    let branch = fork.terminator()?;
    if branch.opcode() != Some(LLVMOpcode::LLVMBr) {
        return None;
    }
    let condition = branch.condition()?;
    let masters = *branch.successors().first()?;
    let alone = others
        .iter()
        .all(|&(_, block)| next_towards(block, fork) != Some(masters));
    (alone && next_towards(masters_block, fork) == Some(masters)).then_some(condition)
}

/// The blocks that control must have passed, on the only path, to reach a block; the nearest first.
fn dominating(block: Block) -> impl Iterator<Item = Block> {
    let mut seen = vec![block];
    core::iter::from_fn(move || {
        let [predecessor] = seen.last()?.predecessors()[..] else {
            return None;
        };
        if seen.contains(&predecessor) {
            return None;
        }
        seen.push(predecessor);
        Some(predecessor)
    })
}

/// The block that follows `origin` on the only path from there to `block`, if there is only one.
fn next_towards(block: Block, origin: Block) -> Option<Block> {
    let mut next = block;
    for earlier in dominating(block) {
        if earlier == origin {
            return Some(next);
        }
        next = earlier;
    }
    None
}

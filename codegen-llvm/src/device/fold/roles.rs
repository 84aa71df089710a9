//! Folds the test for the master in functions of generic kernels that only masters run, or only workers.
//!
//! A kernel branches on the runtime's test for the master (`master`). In a function that is called on one side only,
//! the result of the test is known, but LLVM does not propagate it into functions that are not inlined. A call through
//! a pointer may lead to every function whose address is taken and that takes such arguments.

use std::collections::HashSet;

use llvm_sys::LLVMOpcode;

use crate::analysis::block_shape::{Dimension, read_by};
use crate::analysis::indirect_calls::{has_address_taken, may_be_given};
use crate::ir::{Block, Module, Value};

/// Folds the test in functions that only one of the roles reaches. `kernels` are all kernels of the module; they are
/// generic.
pub fn run(module: &Module, kernels: &[Value]) {
    let functions = module.definitions();
    let mut pointed_at = functions.clone();
    pointed_at.retain(|&function| has_address_taken(function));
    let of = |master: bool| reached(kernels, master, &pointed_at);
    let (masters, workers) = (of(true), of(false));
    for function in functions.into_iter().filter(|function| function.is_local()) {
        let result = match (masters.contains(&function), workers.contains(&function)) {
            (true, false) => 1,
            (false, true) => 0,
            _ => continue,
        };
        for instruction in function.instructions() {
            if is_test_for_master(instruction) {
                instruction.replace_all_uses(Value::int(instruction.ty(), result));
            }
        }
    }
}

/// The functions that one of the roles reaches.
fn reached(kernels: &[Value], master: bool, pointed_at: &[Value]) -> HashSet<Value> {
    let mut calls: Vec<Value> = kernels
        .iter()
        .flat_map(|&kernel| blocks_of_role(kernel, master))
        .flat_map(Block::instructions)
        .collect();
    let mut functions = HashSet::new();
    while let Some(call) = calls.pop() {
        if !call.is_call() || call.called().is_inline_assembly() {
            continue;
        }
        let callees = match call.called_function() {
            Some(function) => vec![function],
            None => {
                let given = call.called_type().parameters();
                let may_be = |&function: &Value| may_be_given(function, &given);
                pointed_at.iter().copied().filter(may_be).collect()
            }
        };
        for callee in callees {
            if functions.insert(callee) {
                calls.extend(callee.instructions());
            }
        }
    }
    functions
}

/// The blocks of a kernel that threads of a role reach.
fn blocks_of_role(kernel: Value, master: bool) -> Vec<Block> {
    let mut found: Vec<Block> = kernel.blocks().into_iter().take(1).collect();
    let mut next = 0;
    while let Some(&block) = found.get(next) {
        next += 1;
        let mut targets = block.successors();
        let branch = block.terminator();
        let is_branch = branch.and_then(Value::opcode) == Some(LLVMOpcode::LLVMBr);
        let condition = branch.filter(|_| is_branch).and_then(Value::condition);
        if condition.is_some_and(is_test_for_master) {
            targets.remove(usize::from(master));
        }
        for target in targets {
            if !found.contains(&target) {
                found.push(target);
            }
        }
    }
    found
}

/// Whether a value is the runtime's test: is the thread's id that of the last warp's first lane?
fn is_test_for_master(value: Value) -> bool {
    if value.opcode() != Some(LLVMOpcode::LLVMICmp) || !value.is_equality() {
        return false;
    }
    let (thread, first) = (value.operand(0), value.operand(1));
    read_by(thread) == Some(Dimension::ThreadY)
        && first.opcode() == Some(LLVMOpcode::LLVMAnd)
        && [-32, -64].map(Some).contains(&as_word(first.operand(1)))
        && is_last(first.operand(0))
}

/// Whether a value is the block's extent less one.
fn is_last(value: Value) -> bool {
    if value.opcode() != Some(LLVMOpcode::LLVMAdd) || as_word(value.operand(1)) != Some(-1) {
        return false;
    }
    let threads = value.operand(0);
    let read = match threads.opcode() {
        Some(LLVMOpcode::LLVMZExt) => threads.operand(0),
        _ => threads,
    };
    read_by(read) == Some(Dimension::ThreadsY)
}

/// A constant of 32 bits.
fn as_word(value: Value) -> Option<i32> {
    value.as_int().map(|bits| bits as u32 as i32)
}

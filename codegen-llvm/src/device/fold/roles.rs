//! Folds the test for the master in functions of generic kernels that only masters run, or only workers.
//!
//! A kernel branches on the runtime's test for the master (`master`). In a function that is called on one side only,
//! the result of the test is known, but LLVM does not propagate it into functions that are not inlined. A call through
//! a pointer may lead to every function whose address is taken and that takes such arguments.

use std::collections::HashSet;

use llvm_sys::LLVMOpcode;

use crate::analysis::indirect_calls::{has_address_taken, may_be_given};
use crate::analysis::intrinsics::is_call_of;
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
    let reads =
        |value: Value, register: &str| value.is_instruction() && is_call_of(value, &[register]);
    let opcode = |value: Value| value.is_instruction().then(|| value.opcode()).flatten();
    if opcode(value) != Some(LLVMOpcode::LLVMICmp) || !value.is_equality() {
        return false;
    }
    let (thread, first) = (value.operand(0), value.operand(1));
    let is_first = || {
        let last = first.operand(0);
        is_constant(first.operand(1), -32)
            && opcode(last) == Some(LLVMOpcode::LLVMAdd)
            && is_constant(last.operand(1), -1)
            && reads(last.operand(0), "llvm.nvvm.read.ptx.sreg.ntid.y")
    };
    reads(thread, "llvm.nvvm.read.ptx.sreg.tid.y")
        && opcode(first) == Some(LLVMOpcode::LLVMAnd)
        && is_first()
}

fn is_constant(value: Value, expected: i32) -> bool {
    value
        .as_int()
        .is_some_and(|bits| bits as u32 == expected as u32)
}

//! Which warp forms can run by regions.

use std::collections::HashSet;

use llvm_sys::LLVMOpcode;
use vgpu_abi::{CHECK_SYMBOLS, LIBRARY_SYMBOLS};

use super::together::MAX_REGIONS;
use crate::ir::Value;

/// The barrier.
const BARRIER: &str = "vgpu_warp_barrier";

/// Engine functions that never wait.
pub const PROMPT: &[&str] = &[
    "vgpu_warp_lane",
    "vgpu_warp_split",
    "vgpu_trap",
    "vgpu_reaches_host",
    "vgpu_wild_access",
    "vgpu_assert_fail",
    "vgpu_vprintf",
    "vgpu_malloc",
    "vgpu_realloc",
    "vgpu_free",
    "vgpu_clock",
    "vgpu_globaltimer",
];

/// The barriers of a form that waits at barriers only, and only in its own code; `None` for any other.
pub fn barriers(form: Value) -> Option<Vec<Value>> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    let entry = form.blocks()[0];
    for instruction in form.instructions() {
        match instruction.opcode() {
            Some(LLVMOpcode::LLVMAlloca) => {
                let is_fixed = instruction.allocated_count().as_int().is_some();
                if instruction.block() != entry || !is_fixed {
                    return None;
                }
            }
            Some(LLVMOpcode::LLVMCall) if is_barrier(instruction) => found.push(instruction),
            _ if is_prompt(instruction, &mut seen) => {}
            _ => return None,
        }
    }
    let context = form.parameters()[0];
    let is_known = (1..=MAX_REGIONS).contains(&found.len());
    (is_known && stays_unread(context)).then_some(found)
}

fn is_barrier(call: Value) -> bool {
    call.called_function()
        .is_some_and(|function| function.name() == BARRIER)
}

/// Whether an instruction neither waits nor asks the stack pointer which thread it runs in.
fn is_prompt(instruction: Value, seen: &mut HashSet<Value>) -> bool {
    match instruction.opcode() {
        Some(LLVMOpcode::LLVMInvoke | LLVMOpcode::LLVMCallBr | LLVMOpcode::LLVMIndirectBr) => false,
        Some(LLVMOpcode::LLVMCall) => match instruction.called_function() {
            Some(called) => is_prompt_function(called, seen),
            None => false,
        },
        _ => true,
    }
}

fn is_prompt_function(called: Value, seen: &mut HashSet<Value>) -> bool {
    let name = called.name();
    if called.is_intrinsic() {
        return !name.starts_with("llvm.stack");
    }
    if called.is_declaration() {
        let known = [PROMPT, CHECK_SYMBOLS, LIBRARY_SYMBOLS];
        return known.iter().any(|names| names.contains(&name.as_str()));
    }
    // Warp forms do not recurse.
    !seen.insert(called)
        || called
            .instructions()
            .into_iter()
            .all(|it| is_prompt(it, seen))
}

/// Whether all that functions do with the context that they get is to pass it on to the engine.
fn stays_unread(context: Value) -> bool {
    context.users().into_iter().all(|user| {
        if user.opcode() != Some(LLVMOpcode::LLVMCall) {
            return true;
        }
        let places = user.arguments().into_iter().enumerate();
        let mut places = places.filter(|&(_, argument)| argument == context);
        let Some(called) = user.called_function() else {
            return false;
        };
        places.all(|(place, _)| called.is_declaration() || is_passed_on(called, place))
    })
}

fn is_passed_on(function: Value, place: usize) -> bool {
    let parameter = function.parameters()[place];
    let only_calls = |user: Value| user.opcode() == Some(LLVMOpcode::LLVMCall);
    parameter.users().into_iter().all(only_calls) && stays_unread(parameter)
}

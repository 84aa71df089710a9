//! Which kernels can have a warp form, as far as it shows before they are normalised.
//!
//! A kernel that clang compiled with `-O0 -g` stays with threads, because somebody wants to debug it. A debugger shows
//! a thread's variables in the stack slots of unoptimised code. In a warp form they are lanes of vectors, most of them
//! in registers, and a step from line to line is a step of all lanes. With optimisation, clang's debug information for
//! NVPTX has lines and no variables, and warp forms have the lines.

use std::collections::HashMap;

use llvm_sys::LLVMOpcode;

use crate::ir::{Module, Value};
use crate::vgpu::entries;
use crate::vgpu::warp::refusal::Refusal;

/// Whether a module's debug information names variables.
pub fn names_variables(module: &Module) -> bool {
    module
        .named_metadata_text("llvm.dbg.cu")
        .iter()
        .any(|unit| unit.contains("emissionKind: FullDebug"))
}

/// Refuses a kernel that was not optimised, in a module that [`names_variables`].
pub fn check_debugging(kernel: Value) -> Result<(), Refusal> {
    match kernel.has_function_attribute("optnone") {
        true => Err(Refusal::new(
            "it was compiled with -O0 -g, and debuggers show the variables of threads",
        )),
        false => Ok(()),
    }
}

/// Most instructions of a kernel with all that it calls. Beyond that the copy is too large for its use.
const MAX_INSTRUCTIONS: u64 = 12_000;

/// Refuses a kernel that cannot become one function, because of recursion or too much code.
pub fn check_size(kernel: Value) -> Result<(), Refusal> {
    match size(kernel, &mut HashMap::new()) {
        None => Err(Refusal::new(
            "a function calls itself, directly or through others",
        )),
        Some(size) if size > MAX_INSTRUCTIONS => Err(Refusal::new(format!(
            "with all functions inlined it would have {size} instructions; \
             {MAX_INSTRUCTIONS} are the limit (optimised code, from -O1, has fewer)"
        ))),
        Some(_) => Ok(()),
    }
}

/// The number of instructions of a function and, once per call, of what it calls; `None` with recursion.
fn size(function: Value, known: &mut HashMap<Value, Option<u64>>) -> Option<u64> {
    if let Some(&size) = known.get(&function) {
        return size;
    }
    // A function that is found again while it is counted calls itself.
    known.insert(function, None);
    let instructions = function.instructions();
    let mut total = instructions.len() as u64;
    for call in instructions.into_iter().filter(|it| it.is_call()) {
        let called = call.called_function();
        if let Some(called) = called.filter(|it| !it.is_declaration()) {
            total = total.saturating_add(size(called, known)?);
        }
    }
    known.insert(function, Some(total));
    Some(total)
}

/// Whether a kernel's entry copies parameters to the stack. Each lane would need a copy of its own.
pub fn takes_structures(module: &Module, kernel: &str) -> bool {
    let entry = module.function(&entries::symbol(kernel));
    entry.is_none_or(|entry| {
        let instructions = entry.instructions();
        instructions
            .into_iter()
            .any(|it: Value| it.opcode() == Some(LLVMOpcode::LLVMAlloca))
    })
}

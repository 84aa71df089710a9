//! Functions that warp forms call lane by lane instead of running them with vectors: what seldom runs is not worth wide
//! code, which takes the compiler long (docs/decisions/0055-cold-functions-lane-by-lane.md).
//!
//! Needs: the unit's module, before it is copied. Leaves: such functions with names that the copy's normalisation,
//! `analysis::callee` and the vectoriser know.

use std::collections::HashMap;

use llvm_sys::LLVMOpcode;

use crate::ir::{Context, Module, Value};
use crate::vgpu::window;

/// What their names begin with.
const PREFIX: &str = "vgpu.cold.";

/// The step.
pub fn run(context: Context, module: &Module) {
    let mut known = HashMap::new();
    let is_cold = |it: &Value| it.has_function_attribute("cold") && it.is_local();
    for function in module.definitions().into_iter().filter(is_cold) {
        if takes_and_gives_numbers(function) && is_arithmetic(function, &mut known) {
            mark(context, function);
        }
    }
}

/// Makes a function one of them. It does not ask which thread it runs in.
pub fn mark(context: Context, function: Value) {
    function.set_name(&name_of(&function.name()));
    function.add_attribute(context, "noinline");
}

/// The name of one of them, given its own.
pub fn name_of(own: &str) -> String {
    format!("{PREFIX}{own}")
}

/// Whether a function's name says that it is one of them.
pub fn is_name_of_one(name: &str) -> bool {
    name.starts_with(PREFIX)
}

/// Whether a function's parameters and results are numbers.
fn takes_and_gives_numbers(function: Value) -> bool {
    let ty = function.value_type();
    let result = ty.result();
    let results = match result.is_structure() {
        true => result.fields(),
        false => vec![result],
    };
    let mut all = ty.parameters().into_iter().chain(results);
    all.all(|it| it.is_int() || it.is_float())
}

/// Whether a function, with all that it calls, depends on its arguments only and has no effect but its result: it
/// accesses local variables and constants only, and neither calls the engine nor asks which thread it runs in.
fn is_arithmetic(function: Value, known: &mut HashMap<Value, bool>) -> bool {
    if let Some(&found) = known.get(&function) {
        return found;
    }
    // A function that is found again while it is looked at calls itself.
    known.insert(function, false);
    let instructions = function.instructions().into_iter();
    let found = { instructions }.all(|it| is_part_of_arithmetic(it, known));
    known.insert(function, found);
    found
}

fn is_part_of_arithmetic(instruction: Value, known: &mut HashMap<Value, bool>) -> bool {
    let pointers = |values: Vec<Value>| values.into_iter().filter(|it| it.ty().is_pointer());
    let mut addresses = match instruction.opcode() {
        Some(LLVMOpcode::LLVMCall) => {
            let Some(called) = instruction.called_function() else {
                return false;
            };
            let fits =
                called.is_intrinsic() || !called.is_declaration() && is_arithmetic(called, known);
            if !fits {
                return false;
            }
            pointers(instruction.arguments())
        }
        Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMStore) => pointers(instruction.operands()),
        Some(LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg) => return false,
        _ => return true,
    };
    addresses.all(window::is_local_or_constant)
}

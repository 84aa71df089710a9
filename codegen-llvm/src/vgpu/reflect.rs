//! Replaces calls of `__nvvm_reflect`, which device libraries make, by constants.
//!
//! `__nvvm_reflect("__CUDA_FTZ")` asks how the program is compiled. Here flush to zero is off, division and square root
//! are exact, and `__CUDA_ARCH` is the image's architecture. Any other name gives 0, as in LLVM's NVVMReflect.

use anyhow::Result;

use super::unit::Unit;
use crate::ir::{Type, Value};

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    let i32_type = Type::int(unit.context(), 32);
    for name in [
        "__nvvm_reflect",
        "llvm.nvvm.reflect",
        "llvm.nvvm.reflect.p0",
    ] {
        let Some(function) = unit.module.function(name) else {
            continue;
        };
        for call in function
            .users()
            .into_iter()
            .filter(|user| user.is_call() && user.called() == function)
        {
            let question = call
                .arguments()
                .first()
                .and_then(|argument| string_at(*argument, 4))
                .unwrap_or_default();
            let answer = match question.as_str() {
                "__CUDA_ARCH" => unit.cuda_arch,
                "__CUDA_PREC_SQRT" | "__CUDA_PREC_DIV" => 1,
                _ => 0,
            };
            // SAFETY: a call uses its callee once, so it comes up once.
            unsafe { call.replace_with(Value::int(i32_type, u64::from(answer))) };
        }
    }
    Ok(())
}

/// The constant string a pointer points at, looking through casts of constants.
fn string_at(pointer: Value, depth: u32) -> Option<String> {
    if pointer.is_global_variable() {
        return pointer.initializer()?.as_string();
    }
    let through = depth > 0 && (pointer.constant_opcode().is_some() || pointer.is_instruction());
    if through {
        string_at(*pointer.operands().first()?, depth - 1)
    } else {
        None
    }
}

//! Which functions a call through a pointer may lead to.

use llvm_sys::LLVMTypeKind;

use crate::ir::{Type, Value};

/// Whether a function has uses other than calls of it.
pub fn has_address_taken(function: Value) -> bool {
    function.users().into_iter().any(|user| {
        !user.is_instruction()
            || !user.is_call()
            || user.called_function() != Some(function)
            || user.arguments().contains(&function)
    })
}

/// Whether a call with arguments of these types may lead to the function. The runtime calls regions with more arguments
/// than they take, and with pointers for integers of their size (`devicertl/src/fork_join/invoke.rs`).
pub fn may_be_given(function: Value, given: &[Type]) -> bool {
    let taken = function.value_type().parameters();
    let alike =
        |(taken, given): (&Type, &Type)| taken == given || is_word(*taken) && is_word(*given);
    taken.len() <= given.len() && taken.iter().zip(given).all(alike)
}

fn is_word(ty: Type) -> bool {
    ty.is_pointer() || ty.kind() == LLVMTypeKind::LLVMIntegerTypeKind && ty.int_width() == 64
}

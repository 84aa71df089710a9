//! Moves conversions of a kernel's parameters to its begin.
//!
//! clang passes integers as 64 bits, so most uses of a parameter begin with a conversion. Where two paths have the same
//! one, `gvn` gives the block behind them a phi of both. Lanes that came on different paths meet there, and such a phi
//! would be a varying value.
//!
//! Needs: nothing.

use llvm_sys::LLVMOpcode::{LLVMPtrToInt, LLVMSExt, LLVMTrunc, LLVMZExt};

use crate::ir::{Builder, Context, Value};

/// The step.
pub fn run(context: Context, kernel: Value) {
    let entry = kernel.blocks()[0];
    let begin = entry.instructions()[0];
    for parameter in kernel.parameters() {
        let users = parameter.users().into_iter();
        for cast in users.filter(|it| is_conversion(*it) && it.block() != entry) {
            let copy = Builder::before(context, begin).copy_of(cast);
            // SAFETY: a parameter has each user once, and nothing else refers to it.
            unsafe { cast.replace_with(copy) };
        }
    }
}

fn is_conversion(user: Value) -> bool {
    let conversions = [LLVMTrunc, LLVMZExt, LLVMSExt, LLVMPtrToInt];
    user.opcode().is_some_and(|it| conversions.contains(&it))
}

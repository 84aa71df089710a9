//! Lets LLVM see that what a region captures by value is what it reads.
//!
//! clang hands a captured `int` to a region as an integer of 64 bits. The region stores its parameter as a `long` and
//! reads it as an `int`, and says so in the type tags (`!tbaa`) of both. By these they cannot be the same memory. Where
//! the variable stays in memory, as its address is chosen (`std::min(i, limit)`), LLVM then removes the store as one
//! that nothing reads. So such stores lose their tags.

use llvm_sys::LLVMOpcode;

use crate::ir::{Context, Module};

/// Removes the type tags of all stores of integer parameters in a translation unit.
pub fn run(context: Context, module: &Module) {
    for function in module.definitions() {
        let parameters = function.parameters();
        let stores = function.instructions().into_iter().filter(|instruction| {
            instruction.opcode() == Some(LLVMOpcode::LLVMStore)
                && instruction.operand(0).ty().is_int()
                && parameters.contains(&instruction.operand(0))
        });
        stores.for_each(|store| store.drop_metadata(context, "tbaa"));
    }
}

//! Whether a kernel uses its context as anything but the engine's data.

use llvm_sys::LLVMOpcode::{LLVMCall, LLVMGetElementPtr, LLVMLoad};

use super::context_fields;
use crate::ir::Value;
use crate::vgpu::warp::refusal::Refusal;

/// Refuses a kernel that does anything with the context but read its fields or hand it to the engine. A kernel that
/// asks whether an address is on the thread's own stack compares the address with the context, which lies elsewhere in
/// a warp form.
pub fn check(kernel: Value) -> Result<(), Refusal> {
    let context = kernel.instructions();
    for marker in context
        .into_iter()
        .filter(|&it| context_fields::is_context(it))
    {
        for user in marker.users() {
            let reads = |it: Value| it.opcode() == Some(LLVMLoad);
            let good = match user.opcode() {
                Some(LLVMGetElementPtr) => user.users().into_iter().all(reads),
                Some(LLVMCall) => user.operand(0) == marker,
                _ => reads(user),
            };
            if !good {
                return Err(Refusal::new(
                    "it is asked whether an address is a thread's own",
                ));
            }
        }
    }
    Ok(())
}

//! Needs: nothing. Leaves: an image that does not look for a trap record (docs/abi.md, section 6): the engine is told of
//! every trap (`vgpu_assert_fail`, `vgpu_trap`), so nobody gives this device's images one.

use anyhow::Result;
use llvm_sys::LLVMOpcode;

use super::unit::Unit;
use crate::ir::Value;

/// The variable that points at the record.
const VARIABLE: &str = "__omptarget_trap_record";
/// The function that fills it in, which device links leave alone.
const WRITER: &str = "omptarget_leave_reason";

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    if let Some(variable) = unit.module.global(VARIABLE) {
        for user in variable.users() {
            if user.is_instruction() && user.opcode() == Some(LLVMOpcode::LLVMLoad) {
                // SAFETY: a load uses the variable once, so it comes up once.
                unsafe { user.replace_with(Value::zero(user.ty())) };
            }
        }
    }
    if let Some(writer) = unit.module.function(WRITER) {
        for attribute in ["optnone", "noinline"] {
            writer.remove_attribute(attribute);
        }
    }
    Ok(())
}

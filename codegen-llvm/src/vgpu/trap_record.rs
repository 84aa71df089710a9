//! Drops the image's look-up of a trap record (docs/abi.md, section 6).
//!
//! Here traps call the engine (`vgpu_assert_fail`, `vgpu_trap`), so no image gets a trap record. An image that was
//! linked with AMD's device services keeps it: whoever provides the services' memory provides the record's, too.

use anyhow::Result;
use llvm_sys::LLVMOpcode;

use super::unit::Unit;
use crate::analysis::target::AMDGCN;
use crate::ir::Value;

/// The variable that points to the record.
const VARIABLE: &str = "__omptarget_trap_record";
/// The function that fills it in. Device links do not optimise it.
const WRITER: &str = "omptarget_leave_reason";

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    if std::ptr::eq(unit.dialect.target, &AMDGCN) {
        return Ok(());
    }
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

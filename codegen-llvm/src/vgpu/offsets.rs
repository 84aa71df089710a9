//! Folds constants that hold the offset of a shared variable in its block's shared memory, where pointers to such
//! variables are offsets (see pass `segments`).
//!
//! A variable at a fixed location has a fixed offset, and that may be in the initializer of another variable. LLVM's
//! lowering of AMD's shared memory makes tables of offsets, one row per kernel. It names what a kernel uses through
//! them in calls that do nothing.

use anyhow::{Result, bail};
use llvm_sys::LLVMOpcode::{LLVMGetElementPtr, LLVMPtrToInt};
use llvm_sys::LLVMTypeKind::LLVMStructTypeKind;

use super::shared_layout::Location;
use super::unit::Unit;
use crate::ir::{Layout, Value};

/// Replaces the offsets of `variable`, and of its elements, by numbers.
pub fn fold(unit: &Unit, variable: Value, location: Location) -> Result<()> {
    let offset = match location {
        Location::Static(offset) => Some(offset),
        Location::Dynamic => dynamic_offset(unit, variable),
    };
    for user in variable.users() {
        if is_donothing(user) {
            // SAFETY: `llvm.donothing` has no result, and the call mentions the variable once.
            unsafe { user.erase() };
        }
    }
    match offset {
        Some(offset) => fold_users(unit.module.layout(), variable, offset),
        None => Ok(()),
    }
}

fn fold_users(layout: Layout, pointer: Value, offset: u64) -> Result<()> {
    for user in pointer.users() {
        match user.constant_opcode() {
            Some(LLVMPtrToInt) => user.replace_all_uses(Value::int(user.ty(), offset)),
            Some(LLVMGetElementPtr) => {
                let within = element_offset(layout, user)?;
                fold_users(layout, user, offset.wrapping_add(within))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// How far a constant `getelementptr` goes.
fn element_offset(layout: Layout, element: Value) -> Result<u64> {
    // Indices are 32-bit numbers; within a variable none is negative.
    let index_of = |operand: Value| operand.as_int().filter(|&index| index <= i32::MAX as u64);
    let indices = element.operands().into_iter().skip(1).map(index_of);
    let mut ty = element.source_element_type();
    let mut offset = 0u64;
    for (position, index) in indices.enumerate() {
        let Some(index) = index else {
            bail!(
                "the virtual GPU does not know the constant `{}` of a shared variable",
                element.print()
            );
        };
        if position == 0 {
            offset = offset.wrapping_add(index.wrapping_mul(layout.alloc_size(ty)));
        } else if ty.kind() == LLVMStructTypeKind {
            offset = offset.wrapping_add(layout.field_offset(ty, index as u32));
            ty = ty.element(index as u32);
        } else {
            ty = ty.element(0);
            offset = offset.wrapping_add(index.wrapping_mul(layout.alloc_size(ty)));
        }
    }
    Ok(offset)
}

fn is_donothing(user: Value) -> bool {
    user.is_call()
        && user
            .called_function()
            .is_some_and(|called| called.name() == "llvm.donothing")
}

/// The offset that a kernel's own name for the dynamic part stands for: the end of that kernel's static part.
fn dynamic_offset(unit: &Unit, variable: Value) -> Option<u64> {
    let name = variable.name();
    let kernel = name.strip_prefix("llvm.amdgcn.")?.strip_suffix(".dynlds")?;
    let kernel = unit.kernels.iter().find(|each| each.name == kernel)?;
    Some(kernel.static_shared)
}

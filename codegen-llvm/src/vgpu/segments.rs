//! Adds the segment's start where an AMD image takes an offset for a pointer, and subtracts it where it takes a pointer
//! for an offset.
//!
//! Needs: shared variables rewritten.
//!
//! On AMD GPUs pointers to shared and private memory are 32-bit offsets into a block's shared or a thread's private
//! memory. Code may rely on it: LLVM's lowering of shared memory keeps tables of offsets. Here such pointers are 64-bit
//! addresses like any other. NVPTX has no such offsets: its integers are addresses that the same thread made.

use anyhow::Result;
use llvm_sys::LLVMOpcode::{LLVMAdd, LLVMIntToPtr, LLVMPtrToInt, LLVMSub};

use super::unit::Unit;
use crate::analysis::target::SHARED;
use crate::ir::{Builder, Type, Value};

/// Address space of private memory.
const PRIVATE: u32 = 5;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    if !unit.dialect.target.segments {
        return Ok(());
    }
    for function in unit.module.definitions() {
        if function.name().starts_with("vgpu.") {
            continue;
        }
        for instruction in function.instructions() {
            match instruction.opcode() {
                Some(LLVMPtrToInt) => to_offset(unit, instruction)?,
                Some(LLVMIntToPtr) => from_offset(unit, instruction)?,
                _ => {}
            }
        }
    }
    Ok(())
}

/// The start of an address space's segment; `None` for global memory.
fn start(unit: &Unit, builder: &Builder, pointer: Type) -> Result<Option<Value>> {
    if !pointer.is_pointer() {
        return Ok(None);
    }
    let name = match pointer.address_space() {
        SHARED => "vgpu.shared_base",
        PRIVATE => "vgpu.private_base",
        _ => return Ok(None),
    };
    let base = builder.call_function(unit.library_function(name)?, &[]);
    Ok(Some(builder.cast(
        LLVMPtrToInt,
        base,
        Type::int(unit.context(), 64),
    )))
}

fn to_offset(unit: &Unit, instruction: Value) -> Result<()> {
    let builder = Builder::before(unit.context(), instruction);
    let pointer = instruction.operand(0);
    let Some(base) = start(unit, &builder, pointer.ty())? else {
        return Ok(());
    };
    let address = builder.cast(LLVMPtrToInt, pointer, base.ty());
    let offset = builder.binary(LLVMSub, address, base);
    // SAFETY: the caller is done with the instruction.
    unsafe { instruction.replace_with(builder.cast_unsigned(offset, instruction.ty())) };
    Ok(())
}

fn from_offset(unit: &Unit, instruction: Value) -> Result<()> {
    let builder = Builder::before(unit.context(), instruction);
    let Some(base) = start(unit, &builder, instruction.ty())? else {
        return Ok(());
    };
    let offset = builder.cast_unsigned(instruction.operand(0), base.ty());
    let address = builder.binary(LLVMAdd, base, offset);
    // SAFETY: the caller is done with the instruction.
    unsafe { instruction.replace_with(builder.cast(LLVMIntToPtr, address, instruction.ty())) };
    Ok(())
}

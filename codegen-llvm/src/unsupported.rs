//! What LLVM's NVPTX back end has no code for, and ends the process over instead of saying so.

use anyhow::{Result, bail};
use llvm_sys::LLVMOpcode::{self, *};
use llvm_sys::LLVMTypeKind::{LLVMFP128TypeKind, LLVMIntegerTypeKind, LLVMX86_FP80TypeKind};

use crate::ir::{Module, Type, Value};
use crate::vgpu::sites::describe;

/// Widest integer whose division and conversion the back end has.
const WIDEST: u32 = 64;

/// Refuses the first instruction that has no code, by its place.
pub fn refuse(module: &Module) -> Result<()> {
    for function in module.definitions() {
        for instruction in function.instructions() {
            if let Some(what) = unsupported(instruction) {
                bail!(
                    "device code uses {what}, {}",
                    describe(module.context, instruction)
                );
            }
        }
    }
    Ok(())
}

fn unsupported(instruction: Value) -> Option<&'static str> {
    let types = || {
        let operands = instruction.operands().into_iter().map(Value::ty);
        operands.chain([instruction.ty()])
    };
    if types().any(is_long_double) {
        return Some("long double, which NVIDIA's GPUs do not have (double has 64 bits there)");
    }
    const NEEDS_LIBRARY: [LLVMOpcode; 8] = [
        LLVMUDiv, LLVMSDiv, LLVMURem, LLVMSRem, LLVMFPToUI, LLVMFPToSI, LLVMUIToFP, LLVMSIToFP,
    ];
    let needs_library = instruction
        .opcode()
        .is_some_and(|opcode| NEEDS_LIBRARY.contains(&opcode));
    (needs_library && types().any(is_wide)).then_some(
        "division of 128-bit integers or their conversion from and to floating point, which LLVM's NVPTX back end has no code for",
    )
}

fn is_long_double(ty: Type) -> bool {
    matches!(ty.kind(), LLVMX86_FP80TypeKind | LLVMFP128TypeKind)
}

fn is_wide(ty: Type) -> bool {
    ty.kind() == LLVMIntegerTypeKind && ty.int_width() > WIDEST
}

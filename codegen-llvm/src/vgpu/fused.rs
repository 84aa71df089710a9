//! Fused multiply-adds in single precision, on hosts whose CPU has none.
//!
//! Needs: everything vectorised. Leaves: none of them as an intrinsic, which would be a call of the C library for each
//! lane.
//!
//! In double precision the product is exact. The sum is rounded to odd ([`super::rounding_to_odd`]), and then to single
//! precision.

use anyhow::Result;
use llvm_sys::LLVMOpcode::{LLVMFMul, LLVMFPExt, LLVMFPTrunc};
use llvm_sys::LLVMTypeKind::LLVMFloatTypeKind;

use super::host::Architecture;
use super::rounding_to_odd;
use super::unit::Unit;
use crate::ir::{Builder, Type, Value};

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    if unit.options.host != Architecture::X86_64 || unit.machine.has("fma") {
        return Ok(());
    }
    for function in unit.module.definitions() {
        for call in function.instructions() {
            if is_single(call) {
                replace(unit, call);
            }
        }
    }
    Ok(())
}

/// Whether an instruction is such an operation in single precision.
fn is_single(call: Value) -> bool {
    let named = |function: Value| function.name().starts_with("llvm.fma.");
    call.ty().scalar().kind() == LLVMFloatTypeKind
        && call.is_call()
        && call.called_function().is_some_and(named)
}

fn replace(unit: &Unit, call: Value) {
    let builder = Builder::before(unit.context(), call);
    let double = call.ty().with_scalar(Type::double(unit.context()));
    let [x, y, z] = call.arguments()[..] else {
        unreachable!("a fused multiply-add has three arguments");
    };
    let [x, y, z] = [x, y, z].map(|value| builder.cast(LLVMFPExt, value, double));
    let product = builder.binary(LLVMFMul, x, y);
    let odd = rounding_to_odd::sum(&builder, product, z);
    let result = builder.cast(LLVMFPTrunc, odd, call.ty());
    // SAFETY: the caller's list is a snapshot, and it does not look at the call again.
    unsafe { call.replace_with(result) };
}

//! Fused multiply-adds in single precision, on hosts whose CPU has none.
//!
//! Needs: everything vectorised. Leaves: none of them as an intrinsic, which would be a call of the C library for each
//! lane.
//!
//! In double precision the product is exact. The sum is rounded to odd: where it is not exact, the last digit is one.
//! Rounding that to single precision gives what one rounding would (Boldo and Melquiond, "Emulation of a FMA and
//! Correctly Rounded Sums: Proved Algorithms Using Rounding to Odd", IEEE Transactions on Computers 57(4), 2008).

use anyhow::Result;
use llvm_sys::LLVMIntPredicate::{LLVMIntEQ, LLVMIntSGE, LLVMIntULT};
use llvm_sys::LLVMOpcode::{
    LLVMAdd, LLVMAnd, LLVMBitCast, LLVMFAdd, LLVMFMul, LLVMFPExt, LLVMFPTrunc, LLVMFSub, LLVMShl,
    LLVMSub, LLVMXor,
};
use llvm_sys::LLVMTypeKind::{LLVMFloatTypeKind, LLVMVectorTypeKind};

use super::host::Architecture;
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
    let ty = call.ty();
    let element = match ty.kind() {
        LLVMVectorTypeKind => ty.element(0),
        _ => ty,
    };
    element.kind() == LLVMFloatTypeKind
        && call.is_call()
        && call.called_function().is_some_and(named)
}

fn replace(unit: &Unit, call: Value) {
    let builder = Builder::before(unit.context(), call);
    let lanes = (call.ty().kind() == LLVMVectorTypeKind).then(|| call.ty().length());
    let shaped = |scalar: Type| lanes.map_or(scalar, |lanes| scalar.vector(lanes));
    let double = shaped(Type::double(unit.context()));
    let [x, y, z] = call.arguments()[..] else {
        unreachable!("a fused multiply-add has three arguments");
    };
    let [x, y, z] = [x, y, z].map(|value| builder.cast(LLVMFPExt, value, double));
    let product = builder.binary(LLVMFMul, x, y);
    let sum = builder.binary(LLVMFAdd, product, z);
    // What the sum's rounding lost (Knuth).
    let part = builder.binary(LLVMFSub, sum, product);
    let rest = builder.binary(LLVMFSub, sum, part);
    let rest = builder.binary(LLVMFSub, product, rest);
    let other = builder.binary(LLVMFSub, z, part);
    let error = builder.binary(LLVMFAdd, rest, other);
    let odd = to_odd(&builder, sum, error, (Type::int(unit.context(), 64), lanes));
    let odd = builder.cast(LLVMBitCast, odd, double);
    let result = builder.cast(LLVMFPTrunc, odd, call.ty());
    // SAFETY: the caller's list is a snapshot, and it does not look at the call again.
    unsafe { call.replace_with(result) };
}

/// The digits of the sum, rounded to odd.
fn to_odd(
    builder: &Builder,
    sum: Value,
    error: Value,
    (bits, lanes): (Type, Option<u32>),
) -> Value {
    let number = |value: i64| {
        let number = Value::int(bits, value as u64);
        lanes.map_or(number, |lanes| builder.splat(number, lanes))
    };
    let bits = lanes.map_or(bits, |lanes| bits.vector(lanes));
    let sum = builder.cast(LLVMBitCast, sum, bits);
    let error = builder.cast(LLVMBitCast, error, bits);
    // Neither zero nor infinite nor not a number.
    let size = builder.binary(LLVMShl, error, number(1));
    let before = builder.binary(LLVMSub, size, number(1));
    let limit = number(((f64::INFINITY.to_bits() << 1) - 1) as i64);
    let is_inexact = builder.compare(LLVMIntULT, before, limit);
    let last = builder.binary(LLVMAnd, sum, number(1));
    let is_even = builder.compare(LLVMIntEQ, last, number(0));
    let signs = builder.binary(LLVMXor, sum, error);
    let is_larger = builder.compare(LLVMIntSGE, signs, number(0));
    let step = builder.select(is_larger, number(1), number(-1));
    let next = builder.binary(LLVMAdd, sum, step);
    let moves = builder.binary(LLVMAnd, is_inexact, is_even);
    builder.select(moves, next, sum)
}

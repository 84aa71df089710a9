//! Rounds to `bfloat` with integers.
//!
//! ```text
//! b = fptrunc float f to bfloat       bits = bitcast f;  b = upper half of bits + 0x7fff + (bits >> 16 & 1)
//! ```
//!
//! Few CPUs of x86 have an instruction for it, and theirs makes zeros of subnormal numbers, which GPUs do not. For
//! others LLVM's back end calls a function for each number ([`vgpu_abi::LIBRARY_SYMBOLS`] has it, for operations that
//! appear in the back end only). So arithmetic is that of `float`, whose results round to the right `bfloat`: it has
//! more than twice the digits (Figueroa, "When is double rounding innocuous?", 1995). A fused multiply-add needs
//! `double`, and what is lost there.
//!
//! Needs: forms of kernels as vectors. Leaves: no rounding to `bfloat` but in atomic operations and across vectors.

use anyhow::Result;
use llvm_sys::LLVMOpcode::*;
use llvm_sys::LLVMRealPredicate::LLVMRealUNO;
use llvm_sys::LLVMTypeKind::{LLVMBFloatTypeKind, LLVMDoubleTypeKind};

use super::rounding_to_odd;
use super::unit::Unit;
use crate::ir::{Builder, Module, Type, Value};

/// The bit that makes NaN a quiet one, in the upper half.
const QUIET: u64 = 0x40;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    for function in unit.module.definitions() {
        expand_all(&unit.module, function);
    }
    Ok(())
}

fn expand_all(module: &Module, function: Value) {
    for instruction in function.instructions() {
        if instruction.ty().scalar().kind() != LLVMBFloatTypeKind {
            continue;
        }
        let builder = Builder::before(module.context, instruction);
        let Some(wide) = wide_result(module, &builder, instruction) else {
            continue;
        };
        let rounded = round(&builder, wide, instruction.ty());
        // SAFETY: this loop's list goes on behind it.
        unsafe { instruction.replace_with(rounded) };
    }
}

/// The result of an instruction that rounds to `bfloat`, as `float` or `double`.
fn wide_result(module: &Module, builder: &Builder, instruction: Value) -> Option<Value> {
    let opcode = instruction.opcode()?;
    match opcode {
        LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem => {
            let float = Type::float(module.context);
            let all = widened(builder, &instruction.operands(), float);
            let result = builder.binary(opcode, all[0], all[1]);
            result.take_fast_math(instruction);
            Some(result)
        }
        LLVMFPTrunc => Some(instruction.operand(0)),
        // Numbers of 32 bits are exact in `double`.
        LLVMSIToFP | LLVMUIToFP => {
            let double = instruction.ty().with_scalar(Type::double(module.context));
            Some(builder.cast(opcode, instruction.operand(0), double))
        }
        LLVMCall => wide_call(module, builder, instruction),
        _ => None,
    }
}

/// The same of a call of an intrinsic that only takes such numbers.
fn wide_call(module: &Module, builder: &Builder, call: Value) -> Option<Value> {
    let function = call.called_function().filter(|it| it.is_intrinsic())?;
    let arguments = call.arguments();
    if arguments.iter().any(|it| it.ty() != call.ty()) {
        return None;
    }
    match function.name().split('.').nth(1)? {
        // Bits are copied.
        "fabs" | "copysign" => None,
        // The product of two numbers may be in the middle of two others. Only what is lost of a small third one then
        // says where to round.
        "fma" | "fmuladd" => {
            let all = widened(builder, &arguments, Type::double(module.context));
            let product = builder.binary(LLVMFMul, all[0], all[1]);
            Some(rounding_to_odd::sum(builder, product, all[2]))
        }
        _ => {
            let float = Type::float(module.context);
            let all = widened(builder, &arguments, float);
            let types = [call.ty().with_scalar(float)];
            let wide = module.intrinsic_by_id(function.intrinsic_id(), &types);
            let result = builder.call_function(wide, &all);
            result.take_fast_math(call);
            Some(result)
        }
    }
}

/// Numbers, or vectors of them, as `float` or `double`.
fn widened(builder: &Builder, numbers: &[Value], scalar: Type) -> Vec<Value> {
    let widen = |&it: &Value| builder.cast(LLVMFPExt, it, it.ty().with_scalar(scalar));
    numbers.iter().map(widen).collect()
}

/// Rounds to the nearest `bfloat`, to the even one of two.
fn round(builder: &Builder, wide: Value, to: Type) -> Value {
    let context = builder.context();
    let is_double = wide.ty().scalar().kind() == LLVMDoubleTypeKind;
    let float = match is_double {
        true => rounding_to_odd::to_float(builder, wide),
        false => wide,
    };
    let word = float.ty().with_scalar(Type::int(context, 32));
    let bits = builder.cast(LLVMBitCast, float, word);
    let constant = |number| builder.spread(Value::int(word.scalar(), number), word);
    let upper = builder.binary(LLVMLShr, bits, constant(16));
    let odd = builder.binary(LLVMAnd, upper, constant(1));
    let half = builder.binary(LLVMAdd, odd, constant(0x7fff));
    let rounded = builder.binary(LLVMAdd, bits, half);
    let rounded = builder.binary(LLVMLShr, rounded, constant(16));
    let quiet = builder.binary(LLVMOr, upper, constant(QUIET));
    let is_nan = builder.compare_floats(LLVMRealUNO, float, float);
    let number = builder.select(is_nan, quiet, rounded);
    let half = to.with_scalar(Type::int(context, 16));
    builder.cast(LLVMBitCast, builder.cast(LLVMTrunc, number, half), to)
}

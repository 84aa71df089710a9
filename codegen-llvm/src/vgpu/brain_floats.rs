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
use llvm_sys::LLVMIntPredicate::{LLVMIntSLT, LLVMIntUGT};
use llvm_sys::LLVMOpcode::{self, *};
use llvm_sys::LLVMRealPredicate::{LLVMRealONE, LLVMRealUNO};
use llvm_sys::LLVMTypeKind::{LLVMBFloatTypeKind, LLVMDoubleTypeKind};

use super::unit::Unit;
use crate::ir::{Builder, Module, Type, Value};

/// The bits of NaN that make it quiet.
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
    let ty = instruction.ty();
    let float = ty.with_scalar(Type::float(module.context));
    let double = ty.with_scalar(Type::double(module.context));
    let widened = |operand, ty| builder.cast(LLVMFPExt, operand, ty);
    match opcode {
        LLVMFAdd | LLVMFSub | LLVMFMul | LLVMFDiv | LLVMFRem => {
            let (left, right) = (instruction.operand(0), instruction.operand(1));
            let result = builder.binary(opcode, widened(left, float), widened(right, float));
            result.take_fast_math(instruction);
            Some(result)
        }
        LLVMFPTrunc => Some(instruction.operand(0)),
        // Numbers of 32 bits are exact in `double`.
        LLVMSIToFP | LLVMUIToFP => Some(builder.cast(opcode, instruction.operand(0), double)),
        LLVMCall => {
            let name = instruction.called_function()?.name();
            let arguments = instruction.arguments();
            let alike = arguments.iter().all(|it| it.ty() == ty);
            if !instruction.called().is_intrinsic() || !alike {
                return None;
            }
            let widened = |ty| arguments.iter().map(move |&it| widened(it, ty));
            match name.split('.').nth(1)? {
                // Bits are copied.
                "fabs" | "copysign" => None,
                "fma" | "fmuladd" => {
                    let all: Vec<_> = widened(double).collect();
                    let product = builder.binary(LLVMFMul, all[0], all[1]);
                    Some(odd_sum(builder, product, all[2]))
                }
                _ => {
                    let all: Vec<_> = widened(float).collect();
                    let id = instruction.called_function()?.intrinsic_id();
                    let result = builder.call_function(module.intrinsic_by_id(id, &[float]), &all);
                    result.take_fast_math(instruction);
                    Some(result)
                }
            }
        }
        _ => None,
    }
}

/// Rounds to the nearest `bfloat`, to the even one of two.
fn round(builder: &Builder, wide: Value, to: Type) -> Value {
    let context = builder.context();
    let is_double = wide.ty().scalar().kind() == LLVMDoubleTypeKind;
    let float = match is_double {
        true => round_to_odd(builder, wide),
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

/// A sum in `double`. Where it lies between two numbers, it is the one that is odd as a bit pattern: the product of two
/// `bfloat` may be in the middle of two others, and only what is lost of a small number then says where to round.
fn odd_sum(builder: &Builder, a: Value, b: Value) -> Value {
    let word = a.ty().with_scalar(Type::int(builder.context(), 64));
    let zero = Value::zero(a.ty());
    let sum = builder.binary(LLVMFAdd, a, b);
    // What is lost (Knuth, "The Art of Computer Programming", 4.2.2).
    let of_b = builder.binary(LLVMFSub, sum, a);
    let of_a = builder.binary(LLVMFSub, sum, of_b);
    let rest_of_b = builder.binary(LLVMFSub, b, of_b);
    let rest_of_a = builder.binary(LLVMFSub, a, of_a);
    let rest = builder.binary(LLVMFAdd, rest_of_a, rest_of_b);
    let bits = builder.cast(LLVMBitCast, sum, word);
    let one = builder.spread(Value::int(word.scalar(), 1), word);
    let inexact = builder.compare_floats(LLVMRealONE, rest, zero);
    // Towards zero by one if it was rounded away from it, then to the odd one of both neighbours.
    let signs = builder.binary(LLVMXor, bits, builder.cast(LLVMBitCast, rest, word));
    let was_away = builder.compare(LLVMIntSLT, signs, Value::zero(word));
    let by = builder.cast(LLVMSExt, was_away, word);
    let below = builder.binary(LLVMAdd, bits, by);
    let odd = builder.binary(LLVMOr, below, one);
    let bits = builder.select(inexact, odd, bits);
    builder.cast(LLVMBitCast, bits, a.ty())
}

/// A `double` as the `float` next to it, and where it lies between two, the one that is odd as a bit pattern. Rounding
/// once more then gives what rounding once would have given (Boldo and Melquiond, "Emulation of a FMA and correctly
/// rounded sums", 2008).
fn round_to_odd(builder: &Builder, wide: Value) -> Value {
    let context = builder.context();
    let to = |bits| wide.ty().with_scalar(Type::int(context, bits));
    let float = wide.ty().with_scalar(Type::float(context));
    let near = builder.cast(LLVMFPTrunc, wide, float);
    let back = builder.cast(LLVMFPExt, near, wide.ty());
    let size = |number: Value| {
        let bits = builder.cast(LLVMBitCast, number, to(64));
        let mask = Value::int(to(64).scalar(), u64::MAX >> 1);
        builder.binary(LLVMAnd, bits, builder.spread(mask, to(64)))
    };
    let above = builder.compare(LLVMIntUGT, size(back), size(wide));
    let bits = builder.cast(LLVMBitCast, near, to(32));
    // Towards zero, by one if it was rounded away from it.
    let by = builder.cast(LLVMSExt, above, to(32));
    let below = builder.binary(LLVMAdd, bits, by);
    let one = builder.spread(Value::int(to(32).scalar(), 1), to(32));
    let odd = builder.binary(LLVMOr, below, one);
    let inexact = builder.compare_floats(LLVMRealONE, back, wide);
    let bits = builder.select(inexact, odd, bits);
    builder.cast(LLVMOpcode::LLVMBitCast, bits, float)
}

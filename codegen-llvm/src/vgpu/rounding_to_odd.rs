//! Rounding to odd: a result that lies between two numbers becomes the one that is odd as a bit pattern. Rounding that
//! to fewer digits gives what one rounding would (Boldo and Melquiond, "Emulation of a FMA and Correctly Rounded Sums:
//! Proved Algorithms Using Rounding to Odd", IEEE Transactions on Computers 57(4), 2008).

use llvm_sys::LLVMIntPredicate::{LLVMIntSLT, LLVMIntUGT};
use llvm_sys::LLVMOpcode::{
    LLVMAdd, LLVMAnd, LLVMBitCast, LLVMFAdd, LLVMFPExt, LLVMFPTrunc, LLVMFSub, LLVMOr, LLVMSExt,
    LLVMXor,
};
use llvm_sys::LLVMRealPredicate::LLVMRealONE;

use crate::ir::{Builder, Type, Value};

/// A sum of two `double`, or of vectors of them.
pub fn sum(builder: &Builder, a: Value, b: Value) -> Value {
    let word = a.ty().with_scalar(Type::int(builder.context(), 64));
    let sum = builder.binary(LLVMFAdd, a, b);
    // What is lost (Knuth, "The Art of Computer Programming", 4.2.2); not a number where the sum is none or infinite.
    let of_b = builder.binary(LLVMFSub, sum, a);
    let of_a = builder.binary(LLVMFSub, sum, of_b);
    let rest_of_b = builder.binary(LLVMFSub, b, of_b);
    let rest_of_a = builder.binary(LLVMFSub, a, of_a);
    let rest = builder.binary(LLVMFAdd, rest_of_a, rest_of_b);
    let is_inexact = builder.compare_floats(LLVMRealONE, rest, Value::zero(a.ty()));
    let bits = builder.cast(LLVMBitCast, sum, word);
    let signs = builder.binary(LLVMXor, bits, builder.cast(LLVMBitCast, rest, word));
    let was_away = builder.compare(LLVMIntSLT, signs, Value::zero(word));
    builder.cast(
        LLVMBitCast,
        odd(builder, bits, was_away, is_inexact),
        a.ty(),
    )
}

/// A `double`, or a vector of them, as `float`.
pub fn to_float(builder: &Builder, wide: Value) -> Value {
    let ty = wide.ty();
    let word = |bits| ty.with_scalar(Type::int(builder.context(), bits));
    let float = ty.with_scalar(Type::float(builder.context()));
    let near = builder.cast(LLVMFPTrunc, wide, float);
    let back = builder.cast(LLVMFPExt, near, ty);
    let mask = Value::int(word(64).scalar(), u64::MAX >> 1);
    let mask = builder.spread(mask, word(64));
    let size = |number| builder.binary(LLVMAnd, builder.cast(LLVMBitCast, number, word(64)), mask);
    let was_away = builder.compare(LLVMIntUGT, size(back), size(wide));
    let is_inexact = builder.compare_floats(LLVMRealONE, back, wide);
    let bits = builder.cast(LLVMBitCast, near, word(32));
    builder.cast(LLVMBitCast, odd(builder, bits, was_away, is_inexact), float)
}

/// The bits of the odd neighbour of a result that is not exact: one towards zero if it was rounded away from it, and
/// then the odd one of both.
fn odd(builder: &Builder, bits: Value, was_away: Value, is_inexact: Value) -> Value {
    let ty = bits.ty();
    let by = builder.cast(LLVMSExt, was_away, ty);
    let below = builder.binary(LLVMAdd, bits, by);
    let one = builder.spread(Value::int(ty.scalar(), 1), ty);
    let odd = builder.binary(LLVMOr, below, one);
    builder.select(is_inexact, odd, bits)
}

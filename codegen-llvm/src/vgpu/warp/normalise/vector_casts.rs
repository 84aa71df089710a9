//! Casts between an integer and a small vector, such as the register of a `__half2`, become shifts and casts of
//! elements.
//!
//! Needs: nothing. Leaves: small vectors that only vector instructions make and take. The scalarizer takes those apart;
//! a lane has scalars only, because a vector of vectors is no LLVM type.

use llvm_sys::LLVMOpcode::{LLVMBitCast, LLVMLShr, LLVMOr, LLVMShl, LLVMTrunc, LLVMZExt};

use crate::ir::{Builder, Context, Type, Value};

/// The step.
pub fn run(context: Context, function: Value) {
    let casts = function.instructions().into_iter();
    for cast in casts.filter(|it| it.opcode() == Some(LLVMBitCast)) {
        let from = cast.operand(0);
        let builder = Builder::before(context, cast);
        let replacement = match (from.ty().is_vector(), cast.ty().is_vector()) {
            (false, true) if from.ty().is_int() => apart(context, &builder, from, cast.ty()),
            (true, false) if cast.ty().is_int() => together(context, &builder, from, cast.ty()),
            _ => continue,
        };
        // SAFETY: the snapshot has each cast once.
        unsafe { cast.replace_with(replacement) };
    }
}

/// How many bits an element of a vector has that is as wide as an integer.
fn element_bits(integer: Type, vector: Type) -> u32 {
    integer.int_width() / vector.length()
}

/// The vector whose elements are the bits of an integer, the lowest first.
fn apart(context: Context, builder: &Builder, whole: Value, ty: Type) -> Value {
    let bits = element_bits(whole.ty(), ty);
    let number = |index| Value::int(Type::int(context, 32), index);
    (0..ty.length()).fold(Value::poison(ty), |vector, index| {
        let distance = Value::int(whole.ty(), u64::from(index * bits));
        let low = builder.binary(LLVMLShr, whole, distance);
        let part = builder.cast(LLVMTrunc, low, Type::int(context, bits));
        let element = builder.cast(LLVMBitCast, part, ty.element_type());
        builder.insert_element(vector, element, number(u64::from(index)))
    })
}

/// The integer whose bits are the elements of a vector.
fn together(context: Context, builder: &Builder, vector: Value, ty: Type) -> Value {
    let bits = element_bits(ty, vector.ty());
    let number = |index| Value::int(Type::int(context, 32), index);
    (0..vector.ty().length()).fold(Value::int(ty, 0), |whole, index| {
        let element = builder.extract(vector, number(u64::from(index)));
        let part = builder.cast(LLVMBitCast, element, Type::int(context, bits));
        let wide = builder.cast(LLVMZExt, part, ty);
        let distance = Value::int(ty, u64::from(index * bits));
        builder.binary(LLVMOr, whole, builder.binary(LLVMShl, wide, distance))
    })
}

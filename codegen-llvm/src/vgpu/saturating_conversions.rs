//! Writes saturating conversions of vectors as x86's conversions with what they lack.
//!
//! LLVM's back end has no code of vectors for `llvm.fptosi.sat` and `llvm.fptoui.sat` on x86: it converts one element
//! after the other. The CPU's instructions convert vectors, and give one number for all that is out of range. So the
//! number is raised to the least integer first, and where it is too large the result is replaced.
//!
//! Needs: everything optimised, so that nothing takes the conversion for what it is not. Leaves: of these conversions
//! only those of scalars.

use anyhow::Result;
use llvm_sys::LLVMOpcode::{LLVMFPExt, LLVMFPToSI, LLVMFPToUI};
use llvm_sys::LLVMRealPredicate::{LLVMRealOGE, LLVMRealOGT, LLVMRealUNO};
use llvm_sys::LLVMTypeKind::{LLVMBFloatTypeKind, LLVMHalfTypeKind};

use super::host::Architecture;
use super::unit::Unit;
use crate::ir::{Builder, Context, Type, Value};

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    match unit.options.host {
        Architecture::X86_64 => {}
        // Its instructions saturate.
        Architecture::Aarch64 => return Ok(()),
    }
    for function in unit.module.definitions() {
        expand_all(unit.context(), function);
    }
    Ok(())
}

fn expand_all(context: Context, function: Value) {
    for call in function.instructions() {
        let Some(signed) = signedness(call).filter(|_| call.ty().is_vector()) else {
            continue;
        };
        let builder = Builder::before(context, call);
        let from = widened(&builder, call.operand(0));
        let number = match signed {
            true => signed_number(&builder, from, call.ty()),
            false => unsigned_number(&builder, from, call.ty()),
        };
        // SAFETY: this loop's list goes on behind it.
        unsafe { call.replace_with(number) };
    }
}

/// Whether a call converts to signed numbers, if it is a saturating conversion.
fn signedness(call: Value) -> Option<bool> {
    let name = call.is_call().then(|| call.called_function())??.name();
    match name {
        _ if name.starts_with("llvm.fptosi.sat.") => Some(true),
        _ if name.starts_with("llvm.fptoui.sat.") => Some(false),
        _ => None,
    }
}

/// Small floating-point numbers as `float`, which has all bounds of integers.
fn widened(builder: &Builder, from: Value) -> Value {
    match from.ty().scalar().kind() {
        LLVMHalfTypeKind | LLVMBFloatTypeKind => {
            let float = Type::float(builder.context());
            builder.cast(LLVMFPExt, from, from.ty().with_scalar(float))
        }
        _ => from,
    }
}

fn signed_number(builder: &Builder, from: Value, to: Type) -> Value {
    let bits = to.scalar().int_width();
    let bound = 2_f64.powi(bits as i32 - 1);
    // Written so that it is one instruction, which gives the second operand where the first is NaN.
    let raised = at_least(builder, from, -bound);
    let number = builder.cast(LLVMFPToSI, raised, to);
    let most = Value::int(to.scalar(), (1 << (bits - 1)) - 1);
    let number = or_most(builder, from, bound, number, most);
    let is_nan = builder.compare_floats(LLVMRealUNO, from, from);
    builder.select(is_nan, Value::zero(to), number)
}

fn unsigned_number(builder: &Builder, from: Value, to: Type) -> Value {
    let bound = 2_f64.powi(to.scalar().int_width() as i32);
    let raised = at_least(builder, from, 0.0);
    let number = builder.cast(LLVMFPToUI, raised, to);
    or_most(builder, from, bound, number, Value::all_ones(to.scalar()))
}

/// The larger of each element and a bound; the bound where the element is NaN.
fn at_least(builder: &Builder, from: Value, bound: f64) -> Value {
    let bound = real(builder, from, bound);
    let above = builder.compare_floats(LLVMRealOGT, from, bound);
    builder.select(above, from, bound)
}

/// `number`, or the largest integer where `from` is `bound` or more.
fn or_most(builder: &Builder, from: Value, bound: f64, number: Value, most: Value) -> Value {
    let beyond = builder.compare_floats(LLVMRealOGE, from, real(builder, from, bound));
    builder.select(beyond, builder.spread(most, number.ty()), number)
}

fn real(builder: &Builder, like: Value, value: f64) -> Value {
    builder.spread(Value::real(like.ty().scalar(), value), like.ty())
}

//! Gives shifts and conversions the results that the GPU's instructions have where LLVM's have none.
//!
//! ```text
//! bits >> (32 - length)      // 0 where length is 0: the count is the width
//! (int)1e10f                 // the largest integer
//! ```
//!
//! LLVM leaves a shift by the width or more undefined, and the conversion of a number that the integer's type does not
//! have. Programs for GPUs rely on what the hardware does. x86 does otherwise: its shifts of scalars take the count
//! modulo the width, and its conversions give the least integer.
//!
//! - PTX ISA, "shl" and "shr": counts above the width are clamped to it. "cvt": out of range is clamped; the notes on
//!   NaN say what becomes of that.
//! - "RDNA3 Instruction Set Architecture", `V_LSHLREV_B32` and its like: the low bits of the count. `V_CVT_I32_F32` and
//!   its like: clamped, NaN becomes 0. AMD's GPUs have no conversions to 64 bits.
//!
//! Needs: the image's own instructions, the host's layout. Leaves: no shift by an unknown count and no conversion to an
//! integer that may be poison, but for what AMD's compiler expands.

use anyhow::Result;
use llvm_sys::LLVMIntPredicate::LLVMIntULT;
use llvm_sys::LLVMOpcode::{
    LLVMAShr, LLVMAnd, LLVMFPToSI, LLVMFPToUI, LLVMLShr, LLVMShl, LLVMTrunc,
};
use llvm_sys::LLVMRealPredicate::LLVMRealUNO;
use llvm_sys::LLVMTypeKind::LLVMDoubleTypeKind;

use super::lower::nvptx::convert::of_nan;
use super::unit::Unit;
use crate::analysis::target;
use crate::ir::{Builder, Module, Type, Value};

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    let define = match std::ptr::eq(unit.dialect.target, &target::NVPTX) {
        true => nvidias,
        false => amds,
    };
    for function in unit.module.definitions() {
        for instruction in function.instructions() {
            let builder = Builder::before(unit.context(), instruction);
            let Some(defined) = define(&builder, &unit.module, instruction) else {
                continue;
            };
            // SAFETY: this loop's list goes on behind it.
            unsafe { instruction.replace_with(defined) };
        }
    }
    Ok(())
}

/// What an instruction does on NVIDIA's GPUs, if LLVM may leave it undefined.
fn nvidias(builder: &Builder, module: &Module, instruction: Value) -> Option<Value> {
    let bits = instruction.ty().scalar();
    match instruction.opcode()? {
        LLVMShl | LLVMLShr | LLVMAShr => clamped_shift(builder, module, instruction),
        LLVMFPToSI | LLVMFPToUI if bits.int_width() <= 64 => {
            // Registers have 16 bits at least.
            let number = clamped(builder, module, instruction, 16);
            let number = nvidias_nan(builder, instruction.operand(0), number);
            Some(narrowed(builder, number, instruction.ty()))
        }
        _ => None,
    }
}

/// What an instruction does on AMD's GPUs, if LLVM may leave it undefined.
fn amds(builder: &Builder, module: &Module, instruction: Value) -> Option<Value> {
    let bits = instruction.ty().scalar();
    match instruction.opcode()? {
        LLVMShl | LLVMLShr | LLVMAShr => wrapped_shift(builder, instruction),
        LLVMFPToSI | LLVMFPToUI if bits.int_width() <= 32 => {
            let number = clamped(builder, module, instruction, 32);
            Some(narrowed(builder, number, instruction.ty()))
        }
        _ => None,
    }
}

/// A shift whose count is clamped to the width.
fn clamped_shift(builder: &Builder, module: &Module, shift: Value) -> Option<Value> {
    let (count, ty) = (shift.operand(1), shift.ty());
    let width = ty.scalar().int_width();
    if is_below(count, width) {
        return None;
    }
    if shift.opcode() == Some(LLVMAShr) {
        // All bits become the sign, as they do one place before the width.
        let most = module.intrinsic("llvm.umin", &[ty]);
        let last = count_of(builder, ty, width - 1);
        let count = builder.call_function(most, &[count, last]);
        return Some(with_count(builder, shift, count));
    }
    let inside = builder.compare(LLVMIntULT, count, count_of(builder, ty, width));
    let shifted = builder.copy_of(shift);
    Some(builder.select(inside, shifted, Value::zero(ty)))
}

/// A shift by the low bits of the count. One of 16 bits has an instruction on some GPUs only.
fn wrapped_shift(builder: &Builder, shift: Value) -> Option<Value> {
    let (count, ty) = (shift.operand(1), shift.ty());
    let width = ty.scalar().int_width();
    if ![32, 64].contains(&width) || is_below(count, width) {
        return None;
    }
    let count = builder.binary(LLVMAnd, count, count_of(builder, ty, width - 1));
    Some(with_count(builder, shift, count))
}

fn count_of(builder: &Builder, ty: Type, count: u32) -> Value {
    builder.spread(Value::int(ty.scalar(), count.into()), ty)
}

fn with_count(builder: &Builder, shift: Value, count: Value) -> Value {
    let other = builder.copy_of(shift);
    other.set_operand(1, count);
    other
}

/// Whether a count is below the width for certain. LLVM's optimiser finds those that are harder to see.
fn is_below(count: Value, width: u32) -> bool {
    let bounds = |value: Value| value.as_int().is_some_and(|it| it < u64::from(width));
    let masks = || count.opcode() == Some(LLVMAnd) && bounds(count.operand(1));
    bounds(count) || masks()
}

/// A conversion to a register of at least `narrowest` bits, clamped to what those can be; NaN becomes 0.
fn clamped(builder: &Builder, module: &Module, conversion: Value, narrowest: u32) -> Value {
    let (from, to) = (conversion.operand(0), conversion.ty());
    let name = match conversion.opcode() {
        Some(LLVMFPToSI) => "llvm.fptosi.sat",
        _ => "llvm.fptoui.sat",
    };
    let bits = to.scalar().int_width().max(narrowest);
    let register = to.with_scalar(Type::int(builder.context(), bits));
    let convert = module.intrinsic(name, &[register, from.ty()]);
    builder.call_function(convert, &[from])
}

/// `number`, in which NaN is 0, or what NVIDIA's GPUs make of NaN.
fn nvidias_nan(builder: &Builder, from: Value, number: Value) -> Value {
    let register = number.ty();
    let is_double = from.ty().scalar().kind() == LLVMDoubleTypeKind;
    let nan = of_nan(
        if is_double { 64 } else { 32 },
        register.scalar().int_width(),
    );
    if nan == 0 {
        return number;
    }
    let nan = builder.spread(Value::int(register.scalar(), nan), register);
    let is_nan = builder.compare_floats(LLVMRealUNO, from, from);
    builder.select(is_nan, nan, number)
}

/// The low bits of a number, if it has more than a type has.
fn narrowed(builder: &Builder, number: Value, to: Type) -> Value {
    match number.ty() == to {
        true => number,
        false => builder.cast(LLVMTrunc, number, to),
    }
}

//! Has integer divisions give some value where they have none: by zero, and of the least number by -1 (OpenCL C 3.0,
//! 6.3.1: no exception, an unspecified value). To LLVM both are undefined, and processors trap.
//!
//! Divisions of floating-point numbers stay within 2.5 units in the last place with `-cl-fast-relaxed-math`, too (7.4).
//! The estimate of a reciprocal that LLVM would take on x86 has an error of 3.
//!
//! Needs: modules as clang's front end leaves them, as LLVM's optimiser relies on what is undefined.

use llvm_sys::LLVMIntPredicate::LLVMIntEQ;
use llvm_sys::LLVMOpcode::{
    LLVMAnd, LLVMFDiv, LLVMOr, LLVMSDiv, LLVMSExt, LLVMSRem, LLVMSub, LLVMUDiv, LLVMURem, LLVMZExt,
};

use crate::ir::{Builder, Module, Value};

/// The pass.
pub fn run(module: &Module) {
    for function in module.definitions() {
        for instruction in function.instructions() {
            match instruction.opcode() {
                Some(LLVMUDiv | LLVMURem) => guard(module, instruction, false),
                Some(LLVMSDiv | LLVMSRem) => guard(module, instruction, true),
                Some(LLVMFDiv) => divide_exactly(module, instruction),
                _ => {}
            }
        }
    }
}

/// A division without flags, of which `arcp` allows the estimate. LLVM's C interface adds flags, and removes none.
fn divide_exactly(module: &Module, division: Value) {
    let builder = Builder::before(module.context, division);
    builder.locate_as(division);
    let exact = builder.binary(LLVMFDiv, division.operand(0), division.operand(1));
    // SAFETY: the snapshot's handle of this instruction is not used again.
    unsafe { division.replace_with(exact) };
}

fn guard(module: &Module, division: Value, is_signed: bool) {
    let (dividend, divisor) = (division.operand(0), division.operand(1));
    if divisor.as_int().is_some_and(|number| number != 0) && !is_minus_one(divisor) {
        return;
    }
    let builder = Builder::before(module.context, division);
    builder.locate_as(division);
    let zero = Value::zero(divisor.ty());
    let is_zero = builder.compare(LLVMIntEQ, divisor, zero);
    let one_if_zero = builder.cast(LLVMZExt, is_zero, divisor.ty());
    let mut guarded = builder.binary(LLVMOr, divisor, one_if_zero);
    if is_signed {
        // Only 0 and the least number are their own opposites, and 0 divided by 1 is 0, too.
        let always = builder.compare(LLVMIntEQ, zero, zero);
        let [one, minus_one] =
            [LLVMZExt, LLVMSExt].map(|cast| builder.cast(cast, always, divisor.ty()));
        let opposite = builder.binary(LLVMSub, zero, dividend);
        let is_least = builder.compare(LLVMIntEQ, dividend, opposite);
        let is_minus_one = builder.compare(LLVMIntEQ, divisor, minus_one);
        let overflows = builder.binary(LLVMAnd, is_least, is_minus_one);
        guarded = builder.select(overflows, one, guarded);
    }
    division.set_operand(1, guarded);
}

fn is_minus_one(divisor: Value) -> bool {
    divisor.as_signed_int() == Some(-1)
}

//! How many instructions of the host code takes, as an estimate.
//!
//! A vector takes as many registers of the host as hold its lanes, and an operation on it is that many instructions.
//! The time of the back end grows with their number (docs/decisions/0050-costly-warp-forms.md).

use llvm_sys::LLVMTypeKind;

use crate::ir::{Layout, Machine, Type, Value};

/// The instructions of a function. `bits` are those of the host's vector registers.
pub fn count(function: Value, layout: &Layout, bits: u64) -> u64 {
    let instructions = function.instructions().into_iter();
    instructions.map(|it| registers(it, layout, bits)).sum()
}

/// Bits of a vector register of the host.
pub fn register_bits(machine: &Machine) -> u64 {
    match machine {
        _ if machine.has("avx512f") => 512,
        _ if machine.has("avx") => 256,
        _ => 128,
    }
}

/// The registers of an instruction's widest value: its result or an operand.
fn registers(instruction: Value, layout: &Layout, bits: u64) -> u64 {
    let of_type = |ty: Type| match ty.kind() {
        LLVMTypeKind::LLVMVectorTypeKind => (8 * layout.alloc_size(ty)).div_ceil(bits),
        _ => 1,
    };
    let operands = instruction.operands().into_iter();
    let widest = operands.map(|operand| of_type(operand.ty())).max();
    widest.unwrap_or(1).max(of_type(instruction.ty()))
}

//! Matrices (PTX ISA, "Warp Level Matrix Multiply-Accumulate Instructions").
//!
//! A warp has a matrix together: each lane has some elements in registers, a *fragment* (`fragment`). What a lane needs
//! of other lanes comes by `shfl`, and each lane computes its own elements. So both engines run them as they run
//! shuffles.

mod exchange;
mod format;
mod fragment;
mod intrinsic;
mod lines;
mod multiply;
mod quad_pairs;
mod rows;
mod sparse;
mod transfer;

pub use intrinsic::as_assembly;

use super::emitter::Emitter;
use super::syntax::{Instruction, Operand};
use super::types::unsigned;

/// Emits an instruction of this family.
pub fn emit(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let part = |index: usize| instruction.opcode.get(index).map_or("", String::as_str);
    match (part(0), part(1)) {
        ("wmma", "load") => transfer::load(emitter, instruction),
        ("wmma", "store") => transfer::store(emitter, instruction),
        ("wmma", "mma") | ("mma", "sync") => multiply::emit(emitter, instruction),
        ("mma", "sp" | "sp::ordered_metadata") => sparse::emit(emitter, instruction),
        ("ldmatrix", _) => rows::load(emitter, instruction),
        ("stmatrix", _) => rows::store(emitter, instruction),
        ("movmatrix", _) => rows::transpose(emitter, instruction),
        _ => None,
    }
}

/// The registers of a fragment.
fn registers(operand: &Operand) -> Vec<&Operand> {
    match operand {
        Operand::Tuple(parts) => parts.iter().collect(),
        one => vec![one],
    }
}

/// The values of a fragment's registers, if there are so many.
fn values(
    emitter: &mut Emitter,
    operand: &Operand,
    count: usize,
    bits: u32,
) -> Option<Vec<String>> {
    let registers = registers(operand);
    if registers.len() != count {
        return None;
    }
    let values = registers.into_iter();
    values
        .map(|register| emitter.value(register, unsigned(bits)))
        .collect()
}

/// Gives a fragment's registers their values.
fn assign(emitter: &mut Emitter, operand: &Operand, bits: u32, values: &[String]) -> Option<()> {
    let registers = registers(operand);
    if registers.len() != values.len() {
        return None;
    }
    for (register, value) in registers.into_iter().zip(values) {
        emitter.assign(register, unsigned(bits), value)?;
    }
    Some(())
}

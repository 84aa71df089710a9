//! Video instructions (PTX ISA, "Video Instructions"): those forms whose operands and result are whole words.

use super::emitter::Emitter;
use super::syntax::Instruction;
use super::types::{Ty, unsigned};

/// Emits an instruction of this family.
pub fn emit(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let [name, made, left, right, forms @ ..] = instruction.opcode.as_slice() else {
        return None;
    };
    let word = unsigned(32);
    if [made, left, right]
        .into_iter()
        .any(|part| Ty::of(part) != Some(word))
        || forms.last()? != "add"
    {
        return None;
    }
    let [to, a, b, c] = instruction.operands.as_slice() else {
        return None;
    };
    let (a, b, c) = (
        emitter.value(a, word)?,
        emitter.value(b, word)?,
        emitter.value(c, word)?,
    );
    let value = match name.as_str() {
        "vadd" => emitter.op(&format!("add i32 {a}, {b}")),
        "vsub" => emitter.op(&format!("sub i32 {a}, {b}")),
        "vshl" | "vshr" => shifted(emitter, name, forms, &a, &b),
        _ => return None,
    };
    let sum = emitter.op(&format!("add i32 {value}, {c}"));
    emitter.assign(to, word, &sum)
}

fn shifted(emitter: &mut Emitter, name: &str, forms: &[String], value: &str, by: &str) -> String {
    let operation = if name == "vshl" { "shl" } else { "lshr" };
    let within = emitter.op(&format!("and i32 {by}, 31"));
    let moved = emitter.op(&format!("{operation} i32 {value}, {within}"));
    if !forms.iter().any(|form| form == "clamp") {
        return moved;
    }
    let beyond = emitter.op(&format!("icmp uge i32 {by}, 32"));
    emitter.op(&format!("select i1 {beyond}, i32 0, i32 {moved}"))
}

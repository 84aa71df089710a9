//! Comparisons and choices (PTX ISA, "Comparison and Selection Instructions").

use super::emitter::Emitter;
use super::syntax::{Instruction, Operand};
use super::types::{Kind, PREDICATE, Ty, unsigned};

/// Emits an instruction of this family.
pub fn emit(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    match instruction.opcode[0].as_str() {
        "setp" => set_predicate(emitter, instruction),
        "set" => set(emitter, instruction),
        "selp" => select(emitter, instruction),
        _ => None,
    }
}

/// `setp.lt[.and].u32 p[|q], a, b[, c]`
fn set_predicate(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let ty = Ty::of(instruction.opcode.last()?)?;
    let [to, a, b, rest @ ..] = instruction.operands.as_slice() else {
        return None;
    };
    let holds = comparison(emitter, instruction.opcode.get(1)?, ty, a, b)?;
    let Operand::Pair(first, second) = to else {
        let value = combined(emitter, instruction, holds, rest)?;
        return emitter.assign(to, PREDICATE, &value);
    };
    if ty.elements == 2 {
        let low = emitter.op(&format!("extractelement <2 x i1> {holds}, i32 0"));
        let high = emitter.op(&format!("extractelement <2 x i1> {holds}, i32 1"));
        emitter.assign(first, PREDICATE, &low)?;
        return emitter.assign(second, PREDICATE, &high);
    }
    let not = emitter.op(&format!("xor i1 {holds}, true"));
    let value = combined(emitter, instruction, holds, rest)?;
    let other = combined(emitter, instruction, not, rest)?;
    emitter.assign(first, PREDICATE, &value)?;
    emitter.assign(second, PREDICATE, &other)
}

/// A comparison's outcome with the predicate that may come last.
fn combined(
    emitter: &mut Emitter,
    instruction: &Instruction,
    holds: String,
    rest: &[Operand],
) -> Option<String> {
    let Some(other) = rest.first() else {
        return Some(holds);
    };
    let operation = ["and", "or", "xor"]
        .into_iter()
        .find(|name| instruction.has(name))?;
    let other = emitter.value(other, PREDICATE)?;
    Some(emitter.op(&format!("{operation} i1 {holds}, {other}")))
}

/// `set.lt[.and].u32.f32 d, a, b[, c]`: all ones or 1.0 where it holds.
fn set(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let [.., made, ty] = instruction.opcode.as_slice() else {
        return None;
    };
    let (made, ty) = (Ty::of(made)?, Ty::of(ty)?);
    let [to, a, b, rest @ ..] = instruction.operands.as_slice() else {
        return None;
    };
    // Both halves of a pair have no predicate in common.
    if ty.elements == 2 && !rest.is_empty() {
        return None;
    }
    let holds = comparison(emitter, instruction.opcode.get(1)?, ty, a, b)?;
    let holds = combined(emitter, instruction, holds, rest)?;
    if made.is_float() {
        let conditions = if ty.elements == 2 { "<2 x i1>" } else { "i1" };
        let value = emitter.op(&format!("uitofp {conditions} {holds} to {}", made.llvm()));
        return emitter.assign(to, made, &value);
    }
    let value = match ty.elements {
        2 => {
            let both = emitter.op(&format!("sext <2 x i1> {holds} to <2 x i16>"));
            emitter.op(&format!("bitcast <2 x i16> {both} to i32"))
        }
        _ => emitter.op(&format!("sext i1 {holds} to {}", made.llvm())),
    };
    emitter.assign(to, unsigned(made.bits), &value)
}

/// `selp.b32 d, a, b, p`
fn select(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let ty = Ty::of(instruction.opcode.last()?)?;
    let [to, a, b, condition] = instruction.operands.as_slice() else {
        return None;
    };
    let (a, b) = (emitter.value(a, ty)?, emitter.value(b, ty)?);
    let condition = emitter.value(condition, PREDICATE)?;
    let llvm = ty.llvm();
    let value = emitter.op(&format!("select i1 {condition}, {llvm} {a}, {llvm} {b}"));
    emitter.assign(to, ty, &value)
}

fn comparison(
    emitter: &mut Emitter,
    name: &str,
    ty: Ty,
    a: &Operand,
    b: &Operand,
) -> Option<String> {
    let (a, b) = (emitter.value(a, ty)?, emitter.value(b, ty)?);
    let (instruction, condition) = match ty.is_float() {
        true => ("fcmp", of_floats(name)?.to_owned()),
        false => ("icmp", of_integers(name, ty)?),
    };
    Some(emitter.op(&format!("{instruction} {condition} {} {a}, {b}", ty.llvm())))
}

/// A plain comparison with NaN does not hold; one that ends in `u` does.
fn of_floats(name: &str) -> Option<&'static str> {
    Some(match name {
        "eq" => "oeq",
        "ne" => "one",
        "lt" => "olt",
        "le" => "ole",
        "gt" => "ogt",
        "ge" => "oge",
        "equ" => "ueq",
        "neu" => "une",
        "ltu" => "ult",
        "leu" => "ule",
        "gtu" => "ugt",
        "geu" => "uge",
        "num" => "ord",
        "nan" => "uno",
        _ => return None,
    })
}

fn of_integers(name: &str, ty: Ty) -> Option<String> {
    let order = match name {
        "eq" | "ne" => return Some(name.to_owned()),
        "lo" | "lt" => "lt",
        "ls" | "le" => "le",
        "hi" | "gt" => "gt",
        "hs" | "ge" => "ge",
        _ => return None,
    };
    let letter = if ty.kind == Kind::Signed { 's' } else { 'u' };
    Some(format!("{letter}{order}"))
}

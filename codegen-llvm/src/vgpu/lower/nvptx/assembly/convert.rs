//! Moves and conversions (PTX ISA, "Data Movement and Conversion Instructions": `mov`, `cvt`, `cvta`).

use super::arithmetic::clamped;
use super::emitter::Emitter;
use super::syntax::{Instruction, Operand};
use super::types::{Kind, Ty, unsigned};

/// Emits an instruction of this family.
pub fn emit(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let [to, sources @ ..] = instruction.operands.as_slice() else {
        return None;
    };
    match (instruction.opcode[0].as_str(), sources) {
        ("mov", [source]) => {
            let ty = Ty::of(instruction.opcode.last()?)?;
            let ty = if ty.is_float() {
                unsigned(ty.size())
            } else {
                ty
            };
            let value = emitter.value(source, ty)?;
            emitter.assign(to, ty, &value)
        }
        ("cvta", [source]) => address(emitter, instruction, to, source),
        ("cvt", [source]) => convert(emitter, instruction, to, source),
        ("cvt", [high, low]) => pack(emitter, instruction, to, high, low),
        _ => None,
    }
}

/// `cvta[.to].space.u64`: addresses of one space are those of all.
fn address(
    emitter: &mut Emitter,
    instruction: &Instruction,
    to: &Operand,
    source: &Operand,
) -> Option<()> {
    let ty = unsigned(64);
    let value = emitter.value(source, ty)?;
    let value = match instruction.has("shared") && !instruction.has("to") {
        true => {
            let low = emitter.resize(&value, 64, 32, false);
            emitter.shared_address(&low)
        }
        false => value,
    };
    emitter.assign(to, ty, &value)
}

fn convert(
    emitter: &mut Emitter,
    instruction: &Instruction,
    to: &Operand,
    source: &Operand,
) -> Option<()> {
    let [.., made, ty] = instruction.opcode.as_slice() else {
        return None;
    };
    let tf32 = made == "tf32";
    let (made, ty) = (Ty::of(made)?, Ty::of(ty)?);
    let value = emitter.value(source, ty)?;
    let value = match (ty.is_float(), made.is_float()) {
        _ if tf32 => return to_tf32(emitter, to, &value),
        (false, false) => return to_whole(emitter, instruction, to, (made, ty), &value),
        (true, false) => from_float(emitter, instruction, (made, ty), value)?,
        (false, true) => to_float(emitter, instruction, (made, ty), &value)?,
        (true, true) => between_floats(emitter, instruction, (made, ty), value)?,
    };
    emitter.assign(to, made, &value)
}

/// Rounds to 10 bits after the point, ties away from zero; the other bits are zero.
fn to_tf32(emitter: &mut Emitter, to: &Operand, value: &str) -> Option<()> {
    let bits = emitter.op(&format!("bitcast float {value} to i32"));
    let up = emitter.op(&format!("add i32 {bits}, 4096"));
    let rounded = emitter.op(&format!("and i32 {up}, -8192"));
    emitter.assign(to, unsigned(32), &rounded)
}

fn to_whole(
    emitter: &mut Emitter,
    instruction: &Instruction,
    to: &Operand,
    (made, ty): (Ty, Ty),
    value: &str,
) -> Option<()> {
    if instruction.has("sat") {
        return None;
    }
    let value = emitter.resize(value, ty.bits, made.bits, ty.is_signed());
    emitter.assign(to, made, &value)
}

/// Rounds, then clamps; NaN is 0.
fn from_float(
    emitter: &mut Emitter,
    instruction: &Instruction,
    (made, ty): (Ty, Ty),
    value: String,
) -> Option<String> {
    let whole = rounded(emitter, instruction, ty, value);
    let letter = if made.is_signed() { 's' } else { 'u' };
    let name = format!("llvm.fpto{letter}i.sat.i{}.{}", made.bits, ty.suffix());
    Some(emitter.call(&made.llvm(), &name, &[(ty.llvm(), whole)]))
}

/// To a whole number, as the opcode says.
fn rounded(emitter: &mut Emitter, instruction: &Instruction, ty: Ty, value: String) -> String {
    let modes = [
        ("rni", "roundeven"),
        ("rzi", "trunc"),
        ("rmi", "floor"),
        ("rpi", "ceil"),
    ];
    match modes.into_iter().find(|(mode, _)| instruction.has(mode)) {
        Some((_, name)) => emitter.call(
            &ty.llvm(),
            &format!("llvm.{name}.{}", ty.suffix()),
            &[(ty.llvm(), value)],
        ),
        None => value,
    }
}

/// The mode if it is not to the nearest.
fn directed(instruction: &Instruction) -> Option<&'static str> {
    ["rz", "rm", "rp"]
        .into_iter()
        .find(|mode| instruction.has(mode))
}

fn to_float(
    emitter: &mut Emitter,
    instruction: &Instruction,
    (made, ty): (Ty, Ty),
    value: &str,
) -> Option<String> {
    let letter = if ty.is_signed() { 's' } else { 'u' };
    let Some(mode) = directed(instruction) else {
        return Some(emitter.op(&format!(
            "{letter}itofp {} {value} to {}",
            ty.llvm(),
            made.llvm()
        )));
    };
    let from = match (ty.bits, ty.is_signed()) {
        (32, true) => "i",
        (32, false) => "ui",
        (64, true) => "ll",
        (64, false) => "ull",
        _ => return None,
    };
    let to = match (made.kind, made.bits) {
        (Kind::Float, 32) => "f",
        (Kind::Float, 64) => "d",
        _ => return None,
    };
    let name = format!("llvm.nvvm.{from}2{to}.{mode}");
    Some(emitter.call(&made.llvm(), &name, &[(ty.llvm(), value.to_owned())]))
}

fn between_floats(
    emitter: &mut Emitter,
    instruction: &Instruction,
    (made, ty): (Ty, Ty),
    value: String,
) -> Option<String> {
    let value = rounded(emitter, instruction, ty, value);
    let value = match (made.bits.cmp(&ty.bits), directed(instruction)) {
        (std::cmp::Ordering::Equal, None) if made.kind == ty.kind => value,
        (std::cmp::Ordering::Greater, _) => {
            emitter.op(&format!("fpext {} {value} to {}", ty.llvm(), made.llvm()))
        }
        (std::cmp::Ordering::Less, None) => {
            emitter.op(&format!("fptrunc {} {value} to {}", ty.llvm(), made.llvm()))
        }
        (std::cmp::Ordering::Less, Some(mode)) if (ty.bits, made.bits) == (64, 32) => emitter.call(
            "float",
            &format!("llvm.nvvm.d2f.{mode}"),
            &[("double".into(), value)],
        ),
        (std::cmp::Ordering::Less, Some("rz")) if (ty.bits, made.kind) == (32, Kind::Brain) => {
            cut_to_brain(emitter, &value)
        }
        _ => return None,
    };
    Some(clamped(emitter, instruction, made, value))
}

/// The upper half of a `float`'s bits, which is its `bfloat` rounded towards zero. NaN stays one.
fn cut_to_brain(emitter: &mut Emitter, value: &str) -> String {
    let bits = emitter.op(&format!("bitcast float {value} to i32"));
    let upper = emitter.op(&format!("lshr i32 {bits}, 16"));
    let upper = emitter.op(&format!("trunc i32 {upper} to i16"));
    let unordered = emitter.op(&format!("fcmp uno float {value}, {value}"));
    let upper = emitter.op(&format!("select i1 {unordered}, i16 32767, i16 {upper}"));
    emitter.op(&format!("bitcast i16 {upper} to bfloat"))
}

/// `cvt.rn.f16x2.f32 d, high, low`
fn pack(
    emitter: &mut Emitter,
    instruction: &Instruction,
    to: &Operand,
    high: &Operand,
    low: &Operand,
) -> Option<()> {
    let [.., made, ty] = instruction.opcode.as_slice() else {
        return None;
    };
    let (made, ty) = (Ty::of(made)?, Ty::of(ty)?);
    if directed(instruction).is_some() || made.elements != 2 {
        return None;
    }
    let mut whole = "poison".to_owned();
    for (index, operand) in [low, high].into_iter().enumerate() {
        let value = emitter.value(operand, ty)?;
        let element = made.element().llvm();
        let narrow = emitter.op(&format!("fptrunc {} {value} to {element}", ty.llvm()));
        whole = emitter.op(&format!(
            "insertelement {} {whole}, {element} {narrow}, i32 {index}",
            made.llvm()
        ));
    }
    let value = clamped(emitter, instruction, made, whole);
    emitter.assign(to, made, &value)
}

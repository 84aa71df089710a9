//! Moves and conversions (PTX ISA, "Data Movement and Conversion Instructions": `mov`, `cvt`, `cvta`, `mapa`).

use super::super::convert::of_nan;
use super::arithmetic::clamped;
use super::emitter::Emitter;
use super::small_floats;
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
        // A cluster has one block: that is where the address is.
        ("mapa", [source, _]) => {
            let ty = Ty::of(instruction.opcode.last()?)?;
            let value = emitter.value(source, ty)?;
            emitter.assign(to, ty, &value)
        }
        ("getctarank", [_]) => emitter.assign(to, unsigned(32), "0"),
        ("cvt", sources) if instruction.has("pack") => {
            pack_whole(emitter, instruction, to, sources)
        }
        ("cvt", _) if instruction.opcode.iter().any(|part| is_small(part)) => {
            small_floats::convert(emitter, instruction, to, sources)
        }
        ("cvt", [source]) => convert(emitter, instruction, to, source),
        ("cvt", [high, low]) => pack(emitter, instruction, to, high, low),
        _ => None,
    }
}

/// Whether an opcode's part names a format of 8 bits or less.
fn is_small(part: &str) -> bool {
    part.starts_with(['e', 'u']) && part.ends_with("x2")
}

/// A number in single precision.
const SINGLE: Ty = Ty {
    kind: Kind::Float,
    bits: 32,
    elements: 1,
};

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
        _ if tf32 => return to_tf32(emitter, instruction, to, &value),
        (false, false) => return to_whole(emitter, instruction, to, (made, ty), &value),
        (true, false) => from_float(emitter, instruction, (made, ty), value)?,
        (false, true) => to_float(emitter, instruction, (made, ty), &value)?,
        (true, true) => between_floats(emitter, instruction, (made, ty), value)?,
    };
    emitter.assign(to, made, &value)
}

/// Rounds to 10 bits after the point, as the opcode says; the other bits are zero.
fn to_tf32(
    emitter: &mut Emitter,
    instruction: &Instruction,
    to: &Operand,
    value: &str,
) -> Option<()> {
    let value = clamped(emitter, instruction, SINGLE, value.to_owned());
    let bits = emitter.op(&format!("bitcast float {value} to i32"));
    let up = if instruction.has("rna") {
        emitter.op(&format!("add i32 {bits}, 4096"))
    } else if instruction.has("rn") {
        // Ties to even.
        let last = emitter.op(&format!("lshr i32 {bits}, 13"));
        let last = emitter.op(&format!("and i32 {last}, 1"));
        let half = emitter.op(&format!("add i32 {last}, 4095"));
        emitter.op(&format!("add i32 {bits}, {half}"))
    } else if instruction.has("rz") {
        bits
    } else {
        return None;
    };
    let mut rounded = emitter.op(&format!("and i32 {up}, -8192"));
    if instruction.has("satfinite") {
        rounded = finite(
            emitter,
            &rounded,
            32,
            0x7fff_e000 - 0x0080_0000,
            0x7fff_ffff,
            &value,
        );
    }
    emitter.assign(to, unsigned(32), &rounded)
}

/// The bits of a number in a format, of infinity's those of the greatest number (`.satfinite`). `value` says what it
/// was made of: of NaN it becomes the one that PTX calls canonical.
fn finite(
    emitter: &mut Emitter,
    bits: &str,
    size: u32,
    greatest: u32,
    canonical: u32,
    value: &str,
) -> String {
    let ty = format!("i{size}");
    let sign = 1u32 << (size - 1);
    let magnitude = emitter.op(&format!("and {ty} {bits}, {}", sign - 1));
    let limits = [magnitude, greatest.to_string()].map(|value| (ty.clone(), value));
    let magnitude = emitter.call(&ty, &format!("llvm.umin.{ty}"), &limits);
    let sign = emitter.op(&format!("and {ty} {bits}, {}", sign as i32 as i64));
    let whole = emitter.op(&format!("or disjoint {ty} {magnitude}, {sign}"));
    let is_nan = emitter.op(&format!("fcmp uno float {value}, {value}"));
    emitter.op(&format!(
        "select i1 {is_nan}, {ty} {canonical}, {ty} {whole}"
    ))
}

/// The same of a number of 16 bits.
fn finite_half(emitter: &mut Emitter, ty: Ty, narrow: &str, value: &str) -> String {
    let llvm = ty.llvm();
    // All ones but the exponent's last bit.
    let greatest = if ty.kind == Kind::Brain {
        0x7f7f
    } else {
        0x7bff
    };
    let bits = emitter.op(&format!("bitcast {llvm} {narrow} to i16"));
    let bits = finite(emitter, &bits, 16, greatest, 0x7fff, value);
    emitter.op(&format!("bitcast i16 {bits} to {llvm}"))
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

/// Rounds, then clamps. NaN is what [`of_nan`] says.
fn from_float(
    emitter: &mut Emitter,
    instruction: &Instruction,
    (made, ty): (Ty, Ty),
    value: String,
) -> Option<String> {
    let whole = match instruction.has("rzi") {
        // As the conversion does.
        true => value.clone(),
        false => rounded(emitter, instruction, ty, value.clone()),
    };
    let letter = if made.is_signed() { 's' } else { 'u' };
    let name = format!("llvm.fpto{letter}i.sat.i{}.{}", made.bits, ty.suffix());
    let (llvm, from) = (made.llvm(), ty.llvm());
    let number = emitter.call(&llvm, &name, &[(from.clone(), whole)]);
    let nan = of_nan(ty.bits, made.bits);
    if nan == 0 {
        return Some(number);
    }
    let is_nan = emitter.op(&format!("fcmp uno {from} {value}, {value}"));
    Some(emitter.op(&format!(
        "select i1 {is_nan}, {llvm} {nan}, {llvm} {number}"
    )))
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
    let finite = instruction.has("satfinite");
    if finite && (ty.bits, made.bits) != (32, 16) {
        return None;
    }
    let value = rounded(emitter, instruction, ty, value);
    let wide = value.clone();
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
        (std::cmp::Ordering::Less, Some(mode)) if made.bits == 16 => {
            directed_half(emitter, mode, (made, ty), &value)
        }
        _ => return None,
    };
    let value = match finite {
        true => finite_half(emitter, made, &value, &wide),
        false => value,
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

/// The nearest number of 16 bits, or its neighbour where that lies on the wrong side of the value.
fn directed_half(emitter: &mut Emitter, mode: &str, (made, ty): (Ty, Ty), value: &str) -> String {
    let (narrow, wide) = (made.llvm(), ty.llvm());
    let near = emitter.op(&format!("fptrunc {wide} {value} to {narrow}"));
    let back = emitter.op(&format!("fpext {narrow} {near} to {wide}"));
    let bits = emitter.op(&format!("bitcast {narrow} {near} to i16"));
    let negative = emitter.op(&format!("icmp slt i16 {bits}, 0"));
    // The bits of what is larger without its sign are a larger number.
    let (relation, step) = match mode {
        "rm" => (
            "ogt",
            emitter.op(&format!("select i1 {negative}, i16 1, i16 -1")),
        ),
        "rp" => (
            "olt",
            emitter.op(&format!("select i1 {negative}, i16 -1, i16 1")),
        ),
        _ => ("ogt", "-1".to_owned()),
    };
    let [back, value] = match mode {
        "rz" => [&back, value].map(|number| {
            let name = format!("llvm.fabs.{}", ty.suffix());
            emitter.call(&wide, &name, &[(wide.clone(), number.to_owned())])
        }),
        _ => [back, value.to_owned()],
    };
    let is_wrong = emitter.op(&format!("fcmp {relation} {wide} {back}, {value}"));
    let step = emitter.op(&format!("select i1 {is_wrong}, i16 {step}, i16 0"));
    let bits = emitter.op(&format!("add i16 {bits}, {step}"));
    emitter.op(&format!("bitcast i16 {bits} to {narrow}"))
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
    if made.elements != 2 {
        return None;
    }
    let element = made.element();
    let mut whole = "poison".to_owned();
    for (index, operand) in [low, high].into_iter().enumerate() {
        let value = emitter.value(operand, ty)?;
        let narrow = match directed(instruction) {
            None => emitter.op(&format!(
                "fptrunc {} {value} to {}",
                ty.llvm(),
                element.llvm()
            )),
            Some("rz") if element.kind == Kind::Brain => cut_to_brain(emitter, &value),
            Some(mode) => directed_half(emitter, mode, (element, ty), &value),
        };
        let narrow = match instruction.has("satfinite") {
            true => finite_half(emitter, element, &narrow, &value),
            false => narrow,
        };
        whole = emitter.op(&format!(
            "insertelement {} {whole}, {} {narrow}, i32 {index}",
            made.llvm(),
            element.llvm()
        ));
    }
    let value = clamped(emitter, instruction, made, whole);
    emitter.assign(to, made, &value)
}

/// `cvt.pack.sat.made.s32 d, high, low` and `cvt.pack.sat.made.s32.b32 d, high, low, above`
fn pack_whole(
    emitter: &mut Emitter,
    instruction: &Instruction,
    to: &Operand,
    sources: &[Operand],
) -> Option<()> {
    let [_, pack, sat, made, ty, rest @ ..] = instruction.opcode.as_slice() else {
        return None;
    };
    if (pack.as_str(), sat.as_str(), ty.as_str()) != ("pack", "sat", "s32") {
        return None;
    }
    let (signed, bits) = (made.starts_with('s'), made.get(1..)?.parse::<u32>().ok()?);
    let (high, low, above) = match (bits, rest, sources) {
        (16, [], [high, low]) => (high, low, None),
        (2 | 4 | 8, [last], [high, low, above]) if last == "b32" => (high, low, Some(above)),
        _ => return None,
    };
    if !signed && !made.starts_with('u') {
        return None;
    }
    let word = unsigned(32);
    let mut whole = match above {
        Some(above) => {
            let above = emitter.value(above, word)?;
            emitter.op(&format!("shl i32 {above}, {}", 2 * bits))
        }
        None => "0".to_owned(),
    };
    for (place, operand) in [(0, low), (bits, high)] {
        let value = emitter.value(operand, word)?;
        let value = within(emitter, &value, bits, signed);
        let value = emitter.op(&format!("shl i32 {value}, {place}"));
        whole = emitter.op(&format!("or disjoint i32 {whole}, {value}"));
    }
    emitter.assign(to, word, &whole)
}

/// The lower bits of the nearest number that has so many.
fn within(emitter: &mut Emitter, value: &str, bits: u32, signed: bool) -> String {
    let (least, most) = match signed {
        true => (-(1i32 << (bits - 1)), (1i32 << (bits - 1)) - 1),
        false => (0, (1i32 << bits) - 1),
    };
    let mut limited = value.to_owned();
    for (name, limit) in [("smax", least), ("smin", most)] {
        let arguments = [limited, limit.to_string()].map(|value| ("i32".to_owned(), value));
        limited = emitter.call("i32", &format!("llvm.{name}.i32"), &arguments);
    }
    emitter.op(&format!("and i32 {limited}, {}", (1u32 << bits) - 1))
}

//! Video instructions (PTX ISA, "Video Instructions"): operands may be a byte or a half of a register, results may be
//! put into one. All is computed in 128 bits, so that nothing is lost before it is clamped.

use super::emitter::Emitter;
use super::syntax::{Instruction, Operand};
use super::types::{Ty, unsigned};

/// Bits in which all is computed.
const WIDE: u32 = 128;

/// Emits an instruction of this family.
pub fn emit(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let (name, forms) = instruction.opcode.split_first()?;
    let known = [
        "vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset", "vmad",
    ];
    if !known.contains(&name.as_str()) {
        return None;
    }
    let [to, a, b, rest @ ..] = instruction.operands.as_slice() else {
        return None;
    };
    // A comparison has no type of its result.
    let (result, types) = match name.as_str() {
        "vset" => (unsigned(32), forms.get(..2)?),
        _ => (word(forms.first()?)?, forms.get(1..3)?),
    };
    let types = [word(&types[0])?, word(&types[1])?];
    let (a, b) = (Part::of(a), Part::of(b));
    if name == "vmad" {
        return multiply(emitter, instruction, to, [a, b], rest, types);
    }
    let a = a.value(emitter, types[0])?;
    let b = b.value(emitter, types[1])?;
    let made = match name.as_str() {
        "vset" => compared(emitter, instruction.opcode.get(3)?, &a, &b)?,
        "vshl" | "vshr" => shifted(emitter, instruction, &a, &b)?,
        name => computed(emitter, name, &a, &b),
    };
    let (to, place) = split(to);
    let made = match instruction.has("sat") {
        true => {
            let bits = place.map_or(Some(32), |place| Some(field(place)?.1))?;
            clamped(emitter, &made, bits, result.is_signed())
        }
        false => made,
    };
    let secondary = forms
        .last()
        .filter(|form| matches!(form.as_str(), "add" | "min" | "max"));
    let value = match (place, secondary, rest) {
        (None, None, []) => emitter.resize(&made, WIDE, 32, false),
        (None, Some(secondary), [c]) => {
            let c = Part::of(c).value(emitter, result)?;
            let value = computed(emitter, &format!("v{secondary}"), &made, &c);
            emitter.resize(&value, WIDE, 32, false)
        }
        (Some(place), None, [c]) => merged(emitter, &made, c, field(place)?)?,
        _ => return None,
    };
    emitter.assign(&to, unsigned(32), &value)
}

fn word(part: &str) -> Option<Ty> {
    Ty::of(part).filter(|ty| ty.bits == 32 && !ty.is_float())
}

/// A register's name and what stands behind it.
pub fn split(operand: &Operand) -> (Operand, Option<&str>) {
    match operand {
        Operand::Name(name) => match name.split_once('.') {
            Some((register, part)) => (Operand::Name(register.to_owned()), Some(part)),
            None => (operand.clone(), None),
        },
        _ => (operand.clone(), None),
    }
}

/// Place and length of `b0` to `b3`, `h0`, `h1`, in bits.
fn field(part: &str) -> Option<(u32, u32)> {
    let (letter, number) = part.split_at_checked(1)?;
    let number = number.parse::<u32>().ok()?;
    match (letter, number) {
        ("b", 0..=3) => Some((8 * number, 8)),
        ("h", 0..=1) => Some((16 * number, 16)),
        _ => None,
    }
}

/// A source: a register or a part of it.
struct Part<'a> {
    register: Operand,
    part: Option<&'a str>,
    negative: bool,
}

impl Part<'_> {
    fn of(operand: &Operand) -> Part<'_> {
        let (inner, negative) = match operand {
            Operand::Negative(inner) => (&**inner, true),
            plain => (plain, false),
        };
        let (register, part) = split(inner);
        Part {
            register,
            part,
            negative,
        }
    }

    /// The number, extended as its type says.
    fn value(&self, emitter: &mut Emitter, ty: Ty) -> Option<String> {
        let value = emitter.value(&self.register, unsigned(32))?;
        let Some(part) = self.part else {
            return Some(emitter.resize(&value, 32, WIDE, ty.is_signed()));
        };
        let (place, bits) = field(part)?;
        let moved = emitter.op(&format!("lshr i32 {value}, {place}"));
        let narrow = emitter.resize(&moved, 32, bits, false);
        Some(emitter.resize(&narrow, bits, WIDE, ty.is_signed()))
    }
}

fn extremum(emitter: &mut Emitter, which: &str, a: &str, b: &str) -> String {
    let both = [a, b].map(|value| (format!("i{WIDE}"), value.to_owned()));
    emitter.call(
        &format!("i{WIDE}"),
        &format!("llvm.s{which}.i{WIDE}"),
        &both,
    )
}

fn computed(emitter: &mut Emitter, name: &str, a: &str, b: &str) -> String {
    match name {
        "vadd" => emitter.op(&format!("add i{WIDE} {a}, {b}")),
        "vsub" => emitter.op(&format!("sub i{WIDE} {a}, {b}")),
        "vmin" => extremum(emitter, "min", a, b),
        "vmax" => extremum(emitter, "max", a, b),
        _ => {
            let (high, low) = (
                extremum(emitter, "max", a, b),
                extremum(emitter, "min", a, b),
            );
            emitter.op(&format!("sub i{WIDE} {high}, {low}"))
        }
    }
}

/// 1 where the comparison holds.
fn compared(emitter: &mut Emitter, comparison: &str, a: &str, b: &str) -> Option<String> {
    let predicate = predicate(comparison)?;
    let holds = emitter.op(&format!("icmp {predicate} i{WIDE} {a}, {b}"));
    Some(emitter.resize(&holds, 1, WIDE, false))
}

/// LLVM's name of a comparison of numbers that have room for their signs.
pub fn predicate(comparison: &str) -> Option<&'static str> {
    let all = [
        ("eq", "eq"),
        ("ne", "ne"),
        ("lt", "slt"),
        ("le", "sle"),
        ("gt", "sgt"),
        ("ge", "sge"),
    ];
    let found = all.into_iter().find(|(name, _)| *name == comparison)?;
    Some(found.1)
}

/// By 32 places at most, or by a number's lower five bits.
fn shifted(emitter: &mut Emitter, instruction: &Instruction, a: &str, by: &str) -> Option<String> {
    let by = match (instruction.has("clamp"), instruction.has("wrap")) {
        (true, false) => extremum(emitter, "min", by, "32"),
        (false, true) => emitter.op(&format!("and i{WIDE} {by}, 31")),
        _ => return None,
    };
    let operation = if instruction.opcode[0] == "vshl" {
        "shl"
    } else {
        "ashr"
    };
    Some(emitter.op(&format!("{operation} i{WIDE} {a}, {by}")))
}

/// The nearest number of so many bits.
fn clamped(emitter: &mut Emitter, value: &str, bits: u32, signed: bool) -> String {
    let (least, most) = match signed {
        true => (-(1i64 << (bits - 1)), (1i64 << (bits - 1)) - 1),
        false => (0, (1i64 << bits) - 1),
    };
    let value = extremum(emitter, "max", value, &least.to_string());
    extremum(emitter, "min", &value, &most.to_string())
}

/// A register with the result in a part of it.
fn merged(
    emitter: &mut Emitter,
    value: &str,
    whole: &Operand,
    (place, bits): (u32, u32),
) -> Option<String> {
    let mask = ((1u64 << bits) - 1) << place;
    let whole = emitter.value(whole, unsigned(32))?;
    let value = emitter.resize(value, WIDE, 32, false);
    let value = emitter.op(&format!("shl i32 {value}, {place}"));
    let value = emitter.op(&format!("and i32 {value}, {mask}"));
    let rest = emitter.op(&format!("and i32 {whole}, {}", !mask as u32));
    Some(emitter.op(&format!("or disjoint i32 {value}, {rest}")))
}

/// `vmad{.sat}{.shr7,.shr15} d, {-}a, {-}b, {-}c`, and `vmad.po`, which adds 1.
fn multiply(
    emitter: &mut Emitter,
    instruction: &Instruction,
    to: &Operand,
    [a, b]: [Part<'_>; 2],
    rest: &[Operand],
    types: [Ty; 2],
) -> Option<()> {
    let [c] = rest else {
        return None;
    };
    let c = Part::of(c);
    let turned = a.negative ^ b.negative;
    let signed = types.iter().any(|ty| ty.is_signed()) || turned || c.negative;
    let plus_one = instruction.has("po");
    let (a, b) = (a.value(emitter, types[0])?, b.value(emitter, types[1])?);
    let mut product = emitter.op(&format!("mul i{WIDE} {a}, {b}"));
    let mut added = emitter.value(&c.register, unsigned(32))?;
    if turned && !plus_one {
        product = emitter.op(&format!("xor i{WIDE} {product}, -1"));
    } else if c.negative && !plus_one {
        added = emitter.op(&format!("xor i32 {added}, -1"));
    }
    let added = emitter.resize(&added, 32, WIDE, signed);
    let mut sum = emitter.op(&format!("add i{WIDE} {product}, {added}"));
    if plus_one || turned || c.negative {
        sum = emitter.op(&format!("add i{WIDE} {sum}, 1"));
    }
    for (form, by) in [("shr7", 7), ("shr15", 15)] {
        if instruction.has(form) {
            sum = emitter.op(&format!("ashr i{WIDE} {sum}, {by}"));
        }
    }
    if instruction.has("sat") {
        sum = clamped(emitter, &sum, 32, signed);
    }
    let sum = emitter.resize(&sum, WIDE, 32, false);
    emitter.assign(to, unsigned(32), &sum)
}

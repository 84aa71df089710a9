//! SIMD video instructions (PTX ISA, "SIMD Video Instructions"): two halves or four bytes of a word at once. clang's
//! headers make CUDA's SIMD intrinsics of them (`__vmaxs4`, `__vabsdiffu2`, `__vcmpeq4`).

use super::emitter::Emitter;
use super::syntax::{Instruction, Operand};
use super::types::{Ty, unsigned};
use super::video::{predicate, split};

/// How the parts of a word are computed.
struct Parts {
    count: u32,
    /// Whether the parts of the operands have signs.
    signed: [bool; 2],
    /// Whether those of the result have, if there are any but of comparisons.
    result_signed: bool,
    saturates: bool,
}

impl Parts {
    /// Bits of a part.
    fn bits(&self) -> u32 {
        32 / self.count
    }

    /// The parts with room for every result.
    fn wide(&self) -> String {
        format!("<{} x i32>", self.count)
    }

    /// The parts.
    fn narrow(&self) -> String {
        format!("<{} x i{}>", self.count, self.bits())
    }

    /// All ones for each part of a mask.
    fn kept(&self, mask: &[u32]) -> String {
        let ones = |part| {
            if mask.contains(&part) {
                "i32 -1"
            } else {
                "i32 0"
            }
        };
        let all: Vec<_> = (0..self.count).map(ones).collect();
        format!("<{}>", all.join(", "))
    }

    fn splat(&self, value: i64) -> String {
        format!("splat (i32 {value})")
    }
}

/// Emits an instruction of this family.
pub fn emit(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let (name, forms) = instruction.opcode.split_first()?;
    let count = match name.strip_suffix(['2', '4'])? {
        "vadd" | "vsub" | "vavrg" | "vabsdiff" | "vmin" | "vmax" | "vset" => {
            name.chars().last()?.to_digit(10)?
        }
        _ => return None,
    };
    let operation = &name[..name.len() - 1];
    let types = forms.iter().map_while(|form| Ty::of(form));
    let types: Vec<Ty> = types.collect();
    // A comparison has no type of its result.
    let (result, [left, right]) = match (operation, types.as_slice()) {
        ("vset", &[left, right]) => (unsigned(32), [left, right]),
        (_, &[result, left, right]) if operation != "vset" => (result, [left, right]),
        _ => return None,
    };
    if [result, left, right]
        .iter()
        .any(|ty| ty.bits != 32 || ty.is_float())
    {
        return None;
    }
    let modifiers = &forms[types.len()..];
    let parts = Parts {
        count,
        signed: [left.is_signed(), right.is_signed()],
        result_signed: result.is_signed(),
        saturates: modifiers.iter().any(|form| form == "sat"),
    };
    let [to, a, b, c] = instruction.operands.as_slice() else {
        return None;
    };
    let word = unsigned(32);
    let (a, of_a) = split(a);
    let (b, of_b) = split(b);
    let words = [emitter.value(&a, word)?, emitter.value(&b, word)?];
    let a = widened(emitter, &parts, 0, &words, of_a)?;
    let b = widened(emitter, &parts, 1, &words, of_b)?;
    let (to, mask) = split(to);
    let mask = match mask {
        Some(mask) => chosen(mask, count)?,
        None => (0..count).collect(),
    };
    let made = match operation {
        "vset" => compared(emitter, &parts, modifiers.first()?, &a, &b)?,
        _ => computed(emitter, &parts, operation, &a, &b),
    };
    let value = match modifiers.iter().any(|form| form == "add") {
        true => {
            let c = emitter.value(c, word)?;
            let kept = parts.kept(&mask);
            let made = emitter.op(&format!("and {} {made}, {kept}", parts.wide()));
            let sum = format!("llvm.vector.reduce.add.v{count}i32");
            let sum = emitter.call("i32", &sum, &[(parts.wide(), made)]);
            emitter.op(&format!("add i32 {sum}, {c}"))
        }
        false => {
            let narrow = parts.narrow();
            let made = emitter.op(&format!("trunc {} {made} to {narrow}", parts.wide()));
            let made = emitter.op(&format!("bitcast {narrow} {made} to i32"));
            with_rest(emitter, &parts, &mask, &made, c)?
        }
    };
    emitter.assign(&to, word, &value)
}

/// The numbers of `h31`, `b3210` or a mask, the last digit first.
fn chosen(selector: &str, count: u32) -> Option<Vec<u32>> {
    let letter = if count == 2 { 'h' } else { 'b' };
    let digits = selector.strip_prefix(letter)?.chars().rev();
    let numbers: Vec<_> = digits
        .map(|digit| digit.to_digit(10))
        .collect::<Option<_>>()?;
    let known = numbers.iter().all(|number| *number < 2 * count);
    (known && numbers.len() <= count as usize).then_some(numbers)
}

/// The parts of an operand: those of its own register, or the ones of both registers that a selector names.
fn widened(
    emitter: &mut Emitter,
    parts: &Parts,
    operand: usize,
    words: &[String; 2],
    selector: Option<&str>,
) -> Option<String> {
    let narrow = parts.narrow();
    let own = operand as u32 * parts.count;
    let numbers = match selector {
        Some(selector) => chosen(selector, parts.count)?,
        None => (own..own + parts.count).collect(),
    };
    if numbers.len() != parts.count as usize {
        return None;
    }
    let [a, b] = [0, 1].map(|index| {
        let word = &words[index];
        emitter.op(&format!("bitcast i32 {word} to {narrow}"))
    });
    let places: Vec<_> = numbers
        .iter()
        .map(|number| format!("i32 {number}"))
        .collect();
    let picked = emitter.op(&format!(
        "shufflevector {narrow} {a}, {narrow} {b}, {} <{}>",
        parts.wide(),
        places.join(", ")
    ));
    let extend = if parts.signed[operand] {
        "sext"
    } else {
        "zext"
    };
    Some(emitter.op(&format!("{extend} {narrow} {picked} to {}", parts.wide())))
}

/// The parts that a mask names, and the others of the third operand.
fn with_rest(
    emitter: &mut Emitter,
    parts: &Parts,
    mask: &[u32],
    made: &str,
    rest: &Operand,
) -> Option<String> {
    if mask.len() == parts.count as usize {
        return Some(made.to_owned());
    }
    let one = (1u32 << parts.bits()) - 1;
    let kept = mask
        .iter()
        .fold(0, |kept, part| kept | one << (part * parts.bits()));
    let rest = emitter.value(rest, unsigned(32))?;
    let made = emitter.op(&format!("and i32 {made}, {kept}"));
    let rest = emitter.op(&format!("and i32 {rest}, {}", !kept));
    Some(emitter.op(&format!("or disjoint i32 {made}, {rest}")))
}

fn computed(emitter: &mut Emitter, parts: &Parts, operation: &str, a: &str, b: &str) -> String {
    let wide = parts.wide();
    let mut made = match operation {
        "vadd" => emitter.op(&format!("add {wide} {a}, {b}")),
        "vsub" => emitter.op(&format!("sub {wide} {a}, {b}")),
        "vavrg" => average(emitter, parts, a, b),
        "vabsdiff" => {
            let distance = emitter.op(&format!("sub {wide} {a}, {b}"));
            let name = format!("llvm.abs.v{}i32", parts.count);
            let arguments = [(wide.clone(), distance), ("i1".into(), "false".into())];
            emitter.call(&wide, &name, &arguments)
        }
        "vmin" => extremum(emitter, parts, "smin", a, b),
        _ => extremum(emitter, parts, "smax", a, b),
    };
    if parts.saturates {
        let bits = parts.bits();
        let (least, most) = match parts.result_signed {
            true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
            false => (0, (1 << bits) - 1),
        };
        made = extremum(emitter, parts, "smax", &made, &parts.splat(least));
        made = extremum(emitter, parts, "smin", &made, &parts.splat(most));
    }
    made
}

/// Half the sum. One that is not negative is rounded up.
fn average(emitter: &mut Emitter, parts: &Parts, a: &str, b: &str) -> String {
    let wide = parts.wide();
    let sum = emitter.op(&format!("add {wide} {a}, {b}"));
    let positive = emitter.op(&format!("icmp sge {wide} {sum}, zeroinitializer"));
    let up = emitter.op(&format!("zext <{} x i1> {positive} to {wide}", parts.count));
    let sum = emitter.op(&format!("add {wide} {sum}, {up}"));
    emitter.op(&format!("ashr {wide} {sum}, {}", parts.splat(1)))
}

fn extremum(emitter: &mut Emitter, parts: &Parts, which: &str, a: &str, b: &str) -> String {
    let wide = parts.wide();
    let name = format!("llvm.{which}.v{}i32", parts.count);
    let arguments = [a, b].map(|value| (wide.clone(), value.to_owned()));
    emitter.call(&wide, &name, &arguments)
}

/// 1 in each part for which the comparison holds. The parts have room for their signs.
fn compared(
    emitter: &mut Emitter,
    parts: &Parts,
    comparison: &str,
    a: &str,
    b: &str,
) -> Option<String> {
    let predicate = predicate(comparison)?;
    let wide = parts.wide();
    let holds = emitter.op(&format!("icmp {predicate} {wide} {a}, {b}"));
    Some(emitter.op(&format!("zext <{} x i1> {holds} to {wide}", parts.count)))
}

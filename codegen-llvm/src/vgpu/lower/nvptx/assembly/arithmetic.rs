//! Arithmetic (PTX ISA, "Integer Arithmetic Instructions", "Extended-Precision Integer Arithmetic Instructions",
//! "Floating Point Instructions", "Half Precision Floating Point Instructions").

use super::emitter::Emitter;
use super::extremes;
use super::syntax::Instruction;
use super::types::{Kind, Ty, unsigned};

/// The register of the carry.
const CARRY: &str = "CC.CF";

/// Emits an instruction of this family.
pub fn emit(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let name = instruction.opcode[0].as_str();
    let ty = Ty::of(instruction.opcode.last()?)?;
    if ty.kind == Kind::Predicate {
        return None;
    }
    if matches!(name, "addc" | "subc" | "madc") || instruction.has("cc") {
        return extended(emitter, instruction, ty);
    }
    match name {
        "dp4a" | "dp2a" => dot(emitter, instruction),
        "add" | "sub" | "fma" if ty.bits == 16 && ty.is_float() && instruction.has("f32") => {
            of_two_types(emitter, instruction, ty)
        }
        "min" | "max" if ty.is_float() => extremes::emit(emitter, instruction, ty),
        "mul" | "mad" | "mul24" | "mad24" if !ty.is_float() => product(emitter, instruction, ty),
        "add" | "sub" | "mul" | "fma" | "mad" | "div" | "rem" | "min" | "max" | "neg" | "abs"
        | "sad" => {
            let (to, from) = instruction.operands.split_first()?;
            let arguments: Option<Vec<_>> = from
                .iter()
                .map(|operand| emitter.value(operand, ty))
                .collect();
            let result = match ty.is_float() {
                true => float(emitter, instruction, ty, &arguments?)?,
                false => integer(emitter, instruction, ty, &arguments?)?,
            };
            emitter.assign(to, ty, &result)
        }
        _ => None,
    }
}

/// `dp4a.u32.s32 d, a, b, c`, `dp2a.lo.u32.s32 d, a, b, c`: the types are those of the factors.
fn dot(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let [name, .., left, right] = instruction.opcode.as_slice() else {
        return None;
    };
    let [to, a, b, c] = instruction.operands.as_slice() else {
        return None;
    };
    let (left, right) = (Ty::of(left)?, Ty::of(right)?);
    let word = unsigned(32);
    let (a, b, c) = (
        emitter.value(a, word)?,
        emitter.value(b, word)?,
        emitter.value(c, word)?,
    );
    let mut arguments = [a, b].map(|value| ("i32".to_owned(), value)).to_vec();
    if name == "dp2a" {
        arguments.push(("i1".into(), instruction.has("hi").to_string()));
    }
    arguments.push(("i32".into(), c));
    let letter = |ty: Ty| if ty.is_signed() { 's' } else { 'u' };
    let intrinsic = format!("llvm.nvvm.i{name}.{}.{}", letter(left), letter(right));
    let value = emitter.call("i32", &intrinsic, &arguments);
    emitter.assign(to, word, &value)
}

fn integer(
    emitter: &mut Emitter,
    instruction: &Instruction,
    ty: Ty,
    arguments: &[String],
) -> Option<String> {
    let name = instruction.opcode[0].as_str();
    let llvm = ty.llvm();
    let signed = ty.is_signed();
    Some(match (name, arguments) {
        ("add" | "sub", [a, b]) if instruction.has("sat") => {
            let letter = if signed { 's' } else { 'u' };
            let arguments = [a, b].map(|value| (llvm.clone(), value.clone()));
            let intrinsic = format!("llvm.{letter}{name}.sat.{}", ty.suffix());
            emitter.call(&llvm, &intrinsic, &arguments)
        }
        ("min" | "max", [a, b]) if instruction.has("relu") => {
            let value = extremum(emitter, name, ty, a, b);
            extremum(emitter, "max", ty, &value, "zeroinitializer")
        }
        _ if instruction.has("sat") || instruction.has("relu") => return None,
        ("add" | "sub", [a, b]) => emitter.op(&format!("{name} {llvm} {a}, {b}")),
        ("div" | "rem", [a, b]) => quotient(emitter, name, ty, a, b),
        ("min" | "max", [a, b]) => extremum(emitter, name, ty, a, b),
        ("neg", [a]) => emitter.op(&format!("sub {llvm} 0, {a}")),
        ("abs", [a]) => emitter.call(
            &llvm,
            &format!("llvm.abs.{}", ty.suffix()),
            &[(llvm.clone(), a.clone()), ("i1".into(), "false".into())],
        ),
        ("sad", [a, b, c]) => {
            let high = extremum(emitter, "max", ty, a, b);
            let low = extremum(emitter, "min", ty, a, b);
            let distance = emitter.op(&format!("sub {llvm} {high}, {low}"));
            emitter.op(&format!("add {llvm} {distance}, {c}"))
        }
        _ => return None,
    })
}

/// A division or a remainder. By zero both are -1 on GPUs; the PTX ISA leaves the value open, but compilers divide
/// where nobody uses the result. The least number divided by -1 is itself.
fn quotient(emitter: &mut Emitter, name: &str, ty: Ty, a: &str, b: &str) -> String {
    let llvm = ty.llvm();
    let letter = if ty.is_signed() { 's' } else { 'u' };
    if b.parse().is_ok_and(|number: i64| number > 0) {
        return emitter.op(&format!("{letter}{name} {llvm} {a}, {b}"));
    }
    let is_zero = emitter.op(&format!("icmp eq {llvm} {b}, 0"));
    let mut by = emitter.op(&format!("select i1 {is_zero}, {llvm} 1, {llvm} {b}"));
    if ty.is_signed() {
        let opposite = emitter.op(&format!("sub {llvm} 0, {a}"));
        // Only 0 and the least number are their own opposites, and 0 divided by 1 is 0, too.
        let is_least = emitter.op(&format!("icmp eq {llvm} {a}, {opposite}"));
        let is_minus_one = emitter.op(&format!("icmp eq {llvm} {b}, -1"));
        let overflows = emitter.op(&format!("and i1 {is_least}, {is_minus_one}"));
        by = emitter.op(&format!("select i1 {overflows}, {llvm} 1, {llvm} {by}"));
    }
    let value = emitter.op(&format!("{letter}{name} {llvm} {a}, {by}"));
    emitter.op(&format!("select i1 {is_zero}, {llvm} -1, {llvm} {value}"))
}

fn extremum(emitter: &mut Emitter, name: &str, ty: Ty, a: &str, b: &str) -> String {
    let letter = if ty.is_signed() { 's' } else { 'u' };
    let intrinsic = format!("llvm.{letter}{name}.{}", ty.suffix());
    let arguments = [a, b].map(|value| (ty.llvm(), value.to_owned()));
    emitter.call(&ty.llvm(), &intrinsic, &arguments)
}

/// `mul.{lo,hi,wide}`, `mad.…`
fn product(emitter: &mut Emitter, instruction: &Instruction, ty: Ty) -> Option<()> {
    let [to, a, b, rest @ ..] = instruction.operands.as_slice() else {
        return None;
    };
    if instruction.has("sat") {
        return None;
    }
    let (a, b) = (emitter.value(a, ty)?, emitter.value(b, ty)?);
    let whole = unsigned(2 * ty.bits);
    let a = emitter.resize(&a, ty.bits, whole.bits, ty.is_signed());
    let b = emitter.resize(&b, ty.bits, whole.bits, ty.is_signed());
    let all = emitter.op(&format!("mul {} {a}, {b}", whole.llvm()));
    let (made, mut value) = if instruction.has("wide") {
        (
            Ty {
                bits: whole.bits,
                ..ty
            },
            all,
        )
    } else if instruction.has("hi") {
        let high = emitter.op(&format!("lshr {} {all}, {}", whole.llvm(), ty.bits));
        (ty, emitter.resize(&high, whole.bits, ty.bits, false))
    } else {
        (ty, emitter.resize(&all, whole.bits, ty.bits, false))
    };
    if let [added] = rest {
        let added = emitter.value(added, made)?;
        value = emitter.op(&format!("add {} {value}, {added}", made.llvm()));
    }
    emitter.assign(to, made, &value)
}

/// Arithmetic with a carry: `add.cc`, `addc`, `mad.lo.cc`, ….
fn extended(emitter: &mut Emitter, instruction: &Instruction, ty: Ty) -> Option<()> {
    let name = instruction.opcode[0].as_str();
    let [to, operands @ ..] = instruction.operands.as_slice() else {
        return None;
    };
    let whole = unsigned(2 * ty.bits);
    let mut wide = Vec::new();
    for operand in operands {
        let value = emitter.value(operand, unsigned(ty.bits))?;
        wide.push(emitter.resize(&value, ty.bits, whole.bits, false));
    }
    let llvm = whole.llvm();
    let (left, right) = match (name, wide.as_slice()) {
        ("add" | "addc" | "sub" | "subc", [a, b]) => (a.clone(), b.clone()),
        ("mad" | "madc", [a, b, c]) => (part_of_product(emitter, instruction, ty, a, b), c.clone()),
        _ => return None,
    };
    let operation = if name.starts_with("sub") {
        "sub"
    } else {
        "add"
    };
    let mut sum = emitter.op(&format!("{operation} {llvm} {left}, {right}"));
    if name.ends_with('c') {
        let (_, carry) = emitter.load(CARRY)?;
        let carry = emitter.resize(&carry, 1, whole.bits, false);
        sum = emitter.op(&format!("{operation} {llvm} {sum}, {carry}"));
    }
    let value = emitter.resize(&sum, whole.bits, ty.bits, false);
    emitter.assign(to, unsigned(ty.bits), &value)?;
    if instruction.has("cc") {
        let above = emitter.op(&format!("lshr {llvm} {sum}, {}", ty.bits));
        let carry = emitter.resize(&above, whole.bits, 1, false);
        emitter.register(CARRY, 1);
        emitter.store(CARRY, &carry)?;
    }
    Some(())
}

/// The half of a product that the opcode names, in the wider type.
fn part_of_product(
    emitter: &mut Emitter,
    instruction: &Instruction,
    ty: Ty,
    a: &str,
    b: &str,
) -> String {
    let whole = unsigned(2 * ty.bits);
    let all = emitter.op(&format!("mul {} {a}, {b}", whole.llvm()));
    if instruction.has("hi") {
        return emitter.op(&format!("lshr {} {all}, {}", whole.llvm(), ty.bits));
    }
    let low = emitter.resize(&all, whole.bits, ty.bits, false);
    emitter.resize(&low, ty.bits, whole.bits, false)
}

/// `add.f32.f16 d, a, c`, `fma.rn.f32.bf16 d, a, b, c`: what is added is of single precision, the rest becomes so.
fn of_two_types(emitter: &mut Emitter, instruction: &Instruction, narrow: Ty) -> Option<()> {
    let single = Ty::of("f32")?;
    let [to, narrow_ones @ .., added] = instruction.operands.as_slice() else {
        return None;
    };
    let mut arguments = Vec::new();
    for operand in narrow_ones {
        let value = emitter.value(operand, narrow)?;
        arguments.push(emitter.op(&format!("fpext {} {value} to float", narrow.llvm())));
    }
    arguments.push(emitter.value(added, single)?);
    let result = float(emitter, instruction, single, &arguments)?;
    emitter.assign(to, single, &result)
}

fn float(
    emitter: &mut Emitter,
    instruction: &Instruction,
    ty: Ty,
    arguments: &[String],
) -> Option<String> {
    let (llvm, suffix) = (ty.llvm(), ty.suffix());
    let name = match instruction.opcode[0].as_str() {
        "mad" => "fma",
        name => name,
    };
    if let Some(mode) = ["rz", "rm", "rp"]
        .into_iter()
        .find(|mode| instruction.has(mode))
    {
        return directed(emitter, name, mode, ty, arguments);
    }
    let typed: Vec<_> = arguments
        .iter()
        .map(|value| (llvm.clone(), value.clone()))
        .collect();
    let result = match (name, arguments) {
        ("add" | "sub" | "mul" | "div", [a, b]) => emitter.op(&format!("f{name} {llvm} {a}, {b}")),
        ("fma", [_, _, _]) => emitter.call(&llvm, &format!("llvm.fma.{suffix}"), &typed),
        ("neg", [a]) => emitter.op(&format!("fneg {llvm} {a}")),
        ("abs", [_]) => emitter.call(&llvm, &format!("llvm.fabs.{suffix}"), &typed),
        _ => return None,
    };
    Some(clamped(emitter, instruction, ty, result))
}

/// The result in [0, 1] (`.sat`) or [0, ∞) (`.relu`), if the opcode says so.
pub fn clamped(emitter: &mut Emitter, instruction: &Instruction, ty: Ty, value: String) -> String {
    let (llvm, suffix) = (ty.llvm(), ty.suffix());
    let saturated = instruction.has("sat");
    if !saturated && !instruction.has("relu") {
        return value;
    }
    let maximum = if saturated { "maximumnum" } else { "maximum" };
    let zero = (llvm.clone(), "zeroinitializer".to_owned());
    let positive = emitter.call(
        &llvm,
        &format!("llvm.{maximum}.{suffix}"),
        &[(llvm.clone(), value), zero],
    );
    if !saturated {
        return positive;
    }
    let one = match ty.kind {
        Kind::Brain => "0xR3F80",
        _ => "1.0",
    };
    let one = match ty.elements {
        1 => one.to_owned(),
        _ => format!("splat ({} {one})", ty.element().llvm()),
    };
    let arguments = [(llvm.clone(), positive), (llvm.clone(), one)];
    emitter.call(&llvm, &format!("llvm.minimumnum.{suffix}"), &arguments)
}

/// Another rounding than to the nearest: NVPTX's intrinsics have it.
fn directed(
    emitter: &mut Emitter,
    name: &str,
    mode: &str,
    ty: Ty,
    arguments: &[String],
) -> Option<String> {
    let letter = match (ty.bits, ty.elements) {
        (32, 1) => "f",
        (64, 1) => "d",
        (32, 2) => return directed_pair(emitter, name, mode, ty, arguments),
        _ => return None,
    };
    let mut typed: Vec<_> = arguments
        .iter()
        .map(|value| (ty.llvm(), value.clone()))
        .collect();
    let takes = if name == "fma" { 3 } else { 2 };
    if typed.len() != takes {
        return None;
    }
    let name = match name {
        "sub" => {
            let (_, subtracted) = typed.get_mut(1)?;
            *subtracted = emitter.op(&format!("fneg {} {subtracted}", ty.llvm()));
            "add"
        }
        "add" | "mul" | "div" | "fma" => name,
        _ => return None,
    };
    Some(emitter.call(
        &ty.llvm(),
        &format!("llvm.nvvm.{name}.{mode}.{letter}"),
        &typed,
    ))
}

/// The same of two numbers, one after the other.
fn directed_pair(
    emitter: &mut Emitter,
    name: &str,
    mode: &str,
    ty: Ty,
    arguments: &[String],
) -> Option<String> {
    let (pair, element) = (ty.llvm(), ty.element().llvm());
    let mut whole = "poison".to_owned();
    for index in 0..2 {
        let of = |emitter: &mut Emitter, both: &String| {
            emitter.op(&format!("extractelement {pair} {both}, i32 {index}"))
        };
        let numbers: Vec<_> = arguments.iter().map(|both| of(emitter, both)).collect();
        let one = directed(emitter, name, mode, ty.element(), &numbers)?;
        whole = emitter.op(&format!(
            "insertelement {pair} {whole}, {element} {one}, i32 {index}"
        ));
    }
    Some(whole)
}

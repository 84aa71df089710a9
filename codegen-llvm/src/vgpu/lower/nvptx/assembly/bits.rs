//! Bits (PTX ISA, "Logic and Shift Instructions", and the counts and fields of "Integer Arithmetic Instructions").

use super::emitter::Emitter;
use super::syntax::{Instruction, Operand};
use super::types::{PREDICATE, Ty, unsigned};

/// Emits an instruction of this family.
pub fn emit(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let ty = Ty::of(instruction.opcode.last()?)?;
    let operands = instruction.operands.as_slice();
    let [to, rest @ ..] = operands else {
        return None;
    };
    let (name, llvm) = (instruction.opcode[0].as_str(), ty.llvm());
    match name {
        "and" | "or" | "xor" => {
            let (a, b) = (
                emitter.value(rest.first()?, ty)?,
                emitter.value(rest.get(1)?, ty)?,
            );
            let value = emitter.op(&format!("{name} {llvm} {a}, {b}"));
            emitter.assign(to, ty, &value)
        }
        "not" => {
            let a = emitter.value(rest.first()?, ty)?;
            let value = emitter.op(&format!("xor {llvm} {a}, -1"));
            emitter.assign(to, ty, &value)
        }
        "shl" | "shr" => shift(emitter, name, ty, to, rest),
        "shf" => funnel(emitter, instruction, to, rest),
        "popc" => count(emitter, "ctpop", ty, to, rest),
        "clz" => count(emitter, "ctlz", ty, to, rest),
        "brev" => {
            let a = emitter.value(rest.first()?, ty)?;
            let value = emitter.call(
                &llvm,
                &format!("llvm.bitreverse.{}", ty.suffix()),
                &[(llvm.clone(), a)],
            );
            emitter.assign(to, ty, &value)
        }
        "bfind" if !ty.is_signed() => highest(emitter, instruction, ty, to, rest),
        "bfe" => extract(emitter, ty, to, rest),
        "bfi" => insert(emitter, ty, to, rest),
        "prmt" => permute(emitter, instruction, to, rest),
        "lop3" => lookup(emitter, instruction, to, rest),
        _ => None,
    }
}

/// Shifts by more than all bits leave none, or the sign.
fn shift(emitter: &mut Emitter, name: &str, ty: Ty, to: &Operand, rest: &[Operand]) -> Option<()> {
    let [a, by] = rest else {
        return None;
    };
    let llvm = ty.llvm();
    let value = emitter.value(a, ty)?;
    let by = emitter.value(by, unsigned(32))?;
    let by = emitter.resize(&by, 32, ty.bits.max(32), false);
    let by = match ty.bits {
        16 => emitter.call(
            "i32",
            "llvm.umin.i32",
            &[("i32".into(), by), ("i32".into(), "16".into())],
        ),
        _ => by,
    };
    let wide = ty.bits.max(32);
    let by = emitter.resize(&by, wide, ty.bits, false);
    let beyond = emitter.op(&format!("icmp uge {llvm} {by}, {}", ty.bits));
    let all = emitter.op(&format!(
        "select i1 {beyond}, {llvm} {}, {llvm} {by}",
        ty.bits - 1
    ));
    let operation = match (name, ty.is_signed()) {
        ("shl", _) => "shl",
        (_, true) => "ashr",
        _ => "lshr",
    };
    let mut shifted = emitter.op(&format!("{operation} {llvm} {value}, {all}"));
    if operation != "ashr" {
        shifted = emitter.op(&format!("select i1 {beyond}, {llvm} 0, {llvm} {shifted}"));
    }
    emitter.assign(to, ty, &shifted)
}

/// `shf.{l,r}.{wrap,clamp}.b32 d, low, high, by`
fn funnel(
    emitter: &mut Emitter,
    instruction: &Instruction,
    to: &Operand,
    rest: &[Operand],
) -> Option<()> {
    let [low, high, by] = rest else {
        return None;
    };
    let ty = unsigned(32);
    let (low, high) = (emitter.value(low, ty)?, emitter.value(high, ty)?);
    let by = emitter.value(by, ty)?;
    let left = instruction.has("l");
    let name = if left {
        "llvm.fshl.i32"
    } else {
        "llvm.fshr.i32"
    };
    let typed = [&high, &low, &by].map(|value| ("i32".to_owned(), value.clone()));
    let mut value = emitter.call("i32", name, &typed);
    if instruction.has("clamp") {
        let beyond = emitter.op(&format!("icmp uge i32 {by}, 32"));
        let all = if left { low } else { high };
        value = emitter.op(&format!("select i1 {beyond}, i32 {all}, i32 {value}"));
    }
    emitter.assign(to, ty, &value)
}

/// `popc`, `clz`: the result has 32 bits.
fn count(emitter: &mut Emitter, name: &str, ty: Ty, to: &Operand, rest: &[Operand]) -> Option<()> {
    let a = emitter.value(rest.first()?, ty)?;
    let mut arguments = vec![(ty.llvm(), a)];
    if name == "ctlz" {
        arguments.push(("i1".into(), "false".into()));
    }
    let value = emitter.call(
        &ty.llvm(),
        &format!("llvm.{name}.{}", ty.suffix()),
        &arguments,
    );
    let value = emitter.resize(&value, ty.bits, 32, false);
    emitter.assign(to, unsigned(32), &value)
}

/// `bfind`: the place of the highest bit, or all ones.
fn highest(
    emitter: &mut Emitter,
    instruction: &Instruction,
    ty: Ty,
    to: &Operand,
    rest: &[Operand],
) -> Option<()> {
    let a = emitter.value(rest.first()?, ty)?;
    let arguments = [(ty.llvm(), a.clone()), ("i1".into(), "false".into())];
    let above = emitter.call(
        &ty.llvm(),
        &format!("llvm.ctlz.{}", ty.suffix()),
        &arguments,
    );
    let above = emitter.resize(&above, ty.bits, 32, false);
    let place = match instruction.has("shiftamt") {
        true => above,
        false => emitter.op(&format!("sub i32 {}, {above}", ty.bits - 1)),
    };
    let none = emitter.op(&format!("icmp eq {} {a}, 0", ty.llvm()));
    let value = emitter.op(&format!("select i1 {none}, i32 -1, i32 {place}"));
    emitter.assign(to, unsigned(32), &value)
}

/// `bfe d, a, begin, length`: computed with twice the bits, where no shift is too far.
fn extract(emitter: &mut Emitter, ty: Ty, to: &Operand, rest: &[Operand]) -> Option<()> {
    let [a, begin, length] = rest else {
        return None;
    };
    let (bits, wide) = (ty.bits, 4 * ty.bits);
    let a = emitter.value(a, ty)?;
    let a = emitter.resize(&a, bits, wide, ty.is_signed());
    let begin = byte(emitter, begin, wide)?;
    let length = byte(emitter, length, wide)?;
    let shift = if ty.is_signed() { "ashr" } else { "lshr" };
    // 255 bits at most, but the value is used up sooner.
    let last = wide - 1;
    let begin = at_most(emitter, &begin, wide, last);
    let moved = emitter.op(&format!("{shift} i{wide} {a}, {begin}"));
    let length = at_most(emitter, &length, wide, bits);
    let unused = emitter.op(&format!("sub i{wide} {wide}, {length}"));
    let unused = at_most(emitter, &unused, wide, last);
    let up = emitter.op(&format!("shl i{wide} {moved}, {unused}"));
    let field = emitter.op(&format!("{shift} i{wide} {up}, {unused}"));
    let empty = emitter.op(&format!("icmp eq i{wide} {length}, 0"));
    let field = emitter.op(&format!("select i1 {empty}, i{wide} 0, i{wide} {field}"));
    let value = emitter.resize(&field, wide, bits, false);
    emitter.assign(to, ty, &value)
}

/// `bfi d, a, b, begin, length`: `a` into `b`.
fn insert(emitter: &mut Emitter, ty: Ty, to: &Operand, rest: &[Operand]) -> Option<()> {
    let [a, b, begin, length] = rest else {
        return None;
    };
    let (bits, wide) = (ty.bits, 4 * ty.bits);
    let (a, b) = (emitter.value(a, ty)?, emitter.value(b, ty)?);
    let (a, b) = (
        emitter.resize(&a, bits, wide, false),
        emitter.resize(&b, bits, wide, false),
    );
    let begin = byte(emitter, begin, wide)?;
    let begin = at_most(emitter, &begin, wide, bits);
    let length = byte(emitter, length, wide)?;
    let length = at_most(emitter, &length, wide, bits);
    let one = emitter.op(&format!("shl i{wide} 1, {length}"));
    let ones = emitter.op(&format!("sub i{wide} {one}, 1"));
    let mask = emitter.op(&format!("shl i{wide} {ones}, {begin}"));
    let moved = emitter.op(&format!("shl i{wide} {a}, {begin}"));
    let chosen = emitter.op(&format!("and i{wide} {moved}, {mask}"));
    let others = emitter.op(&format!("xor i{wide} {mask}, -1"));
    let kept = emitter.op(&format!("and i{wide} {b}, {others}"));
    let whole = emitter.op(&format!("or i{wide} {chosen}, {kept}"));
    let value = emitter.resize(&whole, wide, bits, false);
    emitter.assign(to, ty, &value)
}

/// The lowest byte of an operand, in `bits`.
fn byte(emitter: &mut Emitter, operand: &Operand, bits: u32) -> Option<String> {
    let value = emitter.value(operand, unsigned(32))?;
    let low = emitter.op(&format!("and i32 {value}, 255"));
    Some(emitter.resize(&low, 32, bits, false))
}

fn at_most(emitter: &mut Emitter, value: &str, bits: u32, limit: u32) -> String {
    let arguments = [value.to_owned(), limit.to_string()].map(|value| (format!("i{bits}"), value));
    emitter.call(
        &format!("i{bits}"),
        &format!("llvm.umin.i{bits}"),
        &arguments,
    )
}

fn permute(
    emitter: &mut Emitter,
    instruction: &Instruction,
    to: &Operand,
    rest: &[Operand],
) -> Option<()> {
    if instruction.opcode.len() > 2 {
        return None;
    }
    let typed = emitter.words(rest)?;
    let value = emitter.call("i32", "llvm.nvvm.prmt", &typed);
    emitter.assign(to, unsigned(32), &value)
}

/// `lop3.b32 d, a, b, c, table`: bit n of the table is the result where a, b, c are the bits of n.
/// `lop3.or.b32 d|p, a, b, c, table, q`: the predicate says, too, whether any bit of it is set.
fn lookup(
    emitter: &mut Emitter,
    instruction: &Instruction,
    to: &Operand,
    rest: &[Operand],
) -> Option<()> {
    let (to, predicate, rest) = match (to, rest) {
        (Operand::Pair(to, predicate), [rest @ .., other]) => {
            (&**to, Some((&**predicate, other)), rest)
        }
        _ => (to, None, rest),
    };
    let [a, b, c, table] = rest else {
        return None;
    };
    let ty = unsigned(32);
    let inputs = [
        emitter.value(a, ty)?,
        emitter.value(b, ty)?,
        emitter.value(c, ty)?,
    ];
    let table = emitter.constant(table)?;
    let mut whole = "0".to_owned();
    for row in (0..8u64).filter(|row| table >> row & 1 == 1) {
        let mut term = "-1".to_owned();
        for (index, input) in inputs.iter().enumerate() {
            let wanted = row >> (2 - index) & 1 == 1;
            let input = match wanted {
                true => input.clone(),
                false => emitter.op(&format!("xor i32 {input}, -1")),
            };
            term = emitter.op(&format!("and i32 {term}, {input}"));
        }
        whole = emitter.op(&format!("or i32 {whole}, {term}"));
    }
    emitter.assign(to, ty, &whole)?;
    let Some((predicate, other)) = predicate else {
        return Some(());
    };
    let operation = ["and", "or"]
        .into_iter()
        .find(|name| instruction.has(name))?;
    let other = emitter.value(other, PREDICATE)?;
    let any = emitter.op(&format!("icmp ne i32 {whole}, 0"));
    let value = emitter.op(&format!("{operation} i1 {any}, {other}"));
    emitter.assign(predicate, PREDICATE, &value)
}

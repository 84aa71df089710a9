//! Operations of a warp (PTX ISA: `shfl`, `vote`, `match`, `redux`, `activemask`, `elect`), as NVPTX's intrinsics.

use super::emitter::Emitter;
use super::syntax::{Instruction, Operand};
use super::types::{PREDICATE, Ty, unsigned};

const WORD: Ty = unsigned(32);

/// Emits an instruction of this family.
pub fn emit(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let (to, rest) = instruction.operands.split_first()?;
    match instruction.opcode[0].as_str() {
        "shfl" => shuffle(emitter, instruction, to, rest),
        "vote" => vote(emitter, instruction, to, rest),
        "match" => matches(emitter, instruction, to, rest),
        "redux" => redux(emitter, instruction, to, rest),
        "activemask" => {
            let lanes = emitter.call("i32", "llvm.nvvm.activemask", &[]);
            emitter.assign(to, WORD, &lanes)
        }
        "elect" => {
            let mask = emitter.value(rest.first()?, WORD)?;
            let both = emitter.call(
                "{ i32, i1 }",
                "llvm.nvvm.elect.sync",
                &[("i32".into(), mask)],
            );
            assign_pair(emitter, to, &both)
        }
        _ => None,
    }
}

/// A result with a predicate: `d|p`, or `d` alone.
fn assign_pair(emitter: &mut Emitter, to: &Operand, both: &str) -> Option<()> {
    let (value, predicate) = match to {
        Operand::Pair(value, predicate) => (value.as_ref(), Some(predicate)),
        value => (value, None),
    };
    let first = emitter.op(&format!("extractvalue {{ i32, i1 }} {both}, 0"));
    emitter.assign(value, WORD, &first)?;
    let Some(predicate) = predicate else {
        return Some(());
    };
    let second = emitter.op(&format!("extractvalue {{ i32, i1 }} {both}, 1"));
    emitter.assign(predicate, PREDICATE, &second)
}

/// `shfl[.sync].mode.b32 d[|p], a, lane, clamp[, mask]`
fn shuffle(
    emitter: &mut Emitter,
    instruction: &Instruction,
    to: &Operand,
    rest: &[Operand],
) -> Option<()> {
    let mode = ["up", "down", "bfly", "idx"]
        .into_iter()
        .find(|mode| instruction.has(mode))?;
    let (sync, arguments) = match (instruction.has("sync"), rest) {
        (true, [value, lane, clamp, mask]) => ("sync.", emitter.words([mask, value, lane, clamp])?),
        (false, [value, lane, clamp]) => ("", emitter.words([value, lane, clamp])?),
        _ => return None,
    };
    if matches!(to, Operand::Pair(..)) {
        let both = emitter.call(
            "{ i32, i1 }",
            &format!("llvm.nvvm.shfl.{sync}{mode}.i32p"),
            &arguments,
        );
        return assign_pair(emitter, to, &both);
    }
    let value = emitter.call(
        "i32",
        &format!("llvm.nvvm.shfl.{sync}{mode}.i32"),
        &arguments,
    );
    emitter.assign(to, WORD, &value)
}

/// `vote[.sync].mode.{pred,b32} d, p[, mask]`
fn vote(
    emitter: &mut Emitter,
    instruction: &Instruction,
    to: &Operand,
    rest: &[Operand],
) -> Option<()> {
    let mode = ["all", "any", "uni", "ballot"]
        .into_iter()
        .find(|mode| instruction.has(mode))?;
    let ty = if mode == "ballot" { WORD } else { PREDICATE };
    let (predicate, rest) = rest.split_first()?;
    let predicate = ("i1".to_owned(), emitter.value(predicate, PREDICATE)?);
    let (suffix, arguments) = match (instruction.has("sync"), rest) {
        (true, [mask]) => (
            ".sync",
            vec![("i32".to_owned(), emitter.value(mask, WORD)?), predicate],
        ),
        (false, []) => ("", vec![predicate]),
        _ => return None,
    };
    let value = emitter.call(
        &ty.llvm(),
        &format!("llvm.nvvm.vote.{mode}{suffix}"),
        &arguments,
    );
    emitter.assign(to, ty, &value)
}

/// `match.{any,all}.sync.type d[|p], a, mask`
fn matches(
    emitter: &mut Emitter,
    instruction: &Instruction,
    to: &Operand,
    rest: &[Operand],
) -> Option<()> {
    let ty = Ty::of(instruction.opcode.last()?)?;
    let [value, mask] = rest else {
        return None;
    };
    let arguments = [
        ("i32".to_owned(), emitter.value(mask, WORD)?),
        (ty.llvm(), emitter.value(value, ty)?),
    ];
    if instruction.has("all") {
        let name = format!("llvm.nvvm.match.all.sync.i{}p", ty.bits);
        let both = emitter.call("{ i32, i1 }", &name, &arguments);
        return assign_pair(emitter, to, &both);
    }
    let lanes = emitter.call(
        "i32",
        &format!("llvm.nvvm.match.any.sync.i{}", ty.bits),
        &arguments,
    );
    emitter.assign(to, WORD, &lanes)
}

/// `redux.sync.op.type d, a, mask`
fn redux(
    emitter: &mut Emitter,
    instruction: &Instruction,
    to: &Operand,
    rest: &[Operand],
) -> Option<()> {
    let ty = Ty::of(instruction.opcode.last()?)?;
    if ty.bits != 32 || ty.elements != 1 {
        return None;
    }
    if ty.is_float() {
        return redux_of_floats(emitter, instruction, to, rest);
    }
    let operation = ["add", "min", "max", "and", "or", "xor"]
        .into_iter()
        .find(|name| instruction.has(name))?;
    let extremum = matches!(operation, "min" | "max");
    let letter = if extremum && !ty.is_signed() { "u" } else { "" };
    let [value, mask] = rest else {
        return None;
    };
    let arguments = emitter.words([value, mask])?;
    let value = emitter.call(
        "i32",
        &format!("llvm.nvvm.redux.sync.{letter}{operation}"),
        &arguments,
    );
    emitter.assign(to, WORD, &value)
}

/// `redux.sync.{min,max}{.abs}{.NaN}.f32 d, a, mask`, by words that have the numbers' order. Without `.NaN` a number
/// wins.
fn redux_of_floats(
    emitter: &mut Emitter,
    instruction: &Instruction,
    to: &Operand,
    rest: &[Operand],
) -> Option<()> {
    let [value, mask] = rest else {
        return None;
    };
    let least = match (instruction.has("min"), instruction.has("max")) {
        (true, false) => true,
        (false, true) => false,
        _ => return None,
    };
    let bits = emitter.value(value, WORD)?;
    let magnitude = emitter.op(&format!("and i32 {bits}, 2147483647"));
    let is_nan = emitter.op(&format!("icmp ugt i32 {magnitude}, 2139095040"));
    let bits = if instruction.has("abs") {
        magnitude
    } else {
        bits
    };
    // Of negative numbers all bits are turned, of others the sign.
    let sign = emitter.op(&format!("ashr i32 {bits}, 31"));
    let turned = emitter.op(&format!("or i32 {sign}, -2147483648"));
    let key = emitter.op(&format!("xor i32 {bits}, {turned}"));
    // NaN is beyond all numbers, on the side that wins or on the one that loses.
    let of_nan = match instruction.has("NaN") == least {
        true => "0",
        false => "-1",
    };
    let key = emitter.op(&format!("select i1 {is_nan}, i32 {of_nan}, i32 {key}"));
    let mask = emitter.value(mask, WORD)?;
    let name = format!(
        "llvm.nvvm.redux.sync.u{}",
        if least { "min" } else { "max" }
    );
    let both = [key, mask].map(|word| ("i32".to_owned(), word));
    let key = emitter.call("i32", &name, &both);
    let sign = emitter.op(&format!("ashr i32 {key}, 31"));
    let sign = emitter.op(&format!("xor i32 {sign}, -1"));
    let turned = emitter.op(&format!("or i32 {sign}, -2147483648"));
    let bits = emitter.op(&format!("xor i32 {key}, {turned}"));
    let none = emitter.op(&format!("icmp eq i32 {key}, {of_nan}"));
    let bits = emitter.op(&format!("select i1 {none}, i32 2147483647, i32 {bits}"));
    emitter.assign(to, WORD, &bits)
}

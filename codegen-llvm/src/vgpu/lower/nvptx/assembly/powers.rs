//! Conversions to and from powers of two of 8 bits (PTX ISA, "cvt": `.ue8m0x2`), by which blocks of small numbers are
//! scaled. The bits are the exponent that single precision has; the last is NaN.

use super::emitter::Emitter;
use super::syntax::{Instruction, Operand};
use super::types::{Ty, unsigned};

/// Emits a conversion to or from two powers. The first of two operands becomes the upper one.
pub fn convert(
    emitter: &mut Emitter,
    instruction: &Instruction,
    to: &Operand,
    sources: &[Operand],
) -> Option<()> {
    let [.., made, ty] = instruction.opcode.as_slice() else {
        return None;
    };
    let single = Ty::of("f32")?;
    match (made.as_str(), ty.as_str(), sources) {
        ("ue8m0x2", "f32", [high, low]) => {
            let numbers = [emitter.value(low, single)?, emitter.value(high, single)?];
            make(emitter, instruction, to, numbers)
        }
        ("ue8m0x2", "bf16x2", [pair]) => {
            let pair = emitter.value(pair, unsigned(32))?;
            let numbers = [
                format!("shl i32 {pair}, 16"),
                format!("and i32 {pair}, -65536"),
            ];
            let numbers = numbers.map(|upper| {
                let upper = emitter.op(&upper);
                emitter.op(&format!("bitcast i32 {upper} to float"))
            });
            make(emitter, instruction, to, numbers)
        }
        ("bf16x2", "ue8m0x2", [pair]) => take(emitter, to, pair),
        _ => None,
    }
}

fn make(
    emitter: &mut Emitter,
    instruction: &Instruction,
    to: &Operand,
    numbers: [String; 2],
) -> Option<()> {
    let up = match (instruction.has("rp"), instruction.has("rz")) {
        (true, false) => true,
        (false, true) => false,
        _ => return None,
    };
    // Infinity is the largest power, or NaN.
    let most = if instruction.has("satfinite") {
        254
    } else {
        255
    };
    let [low, high] = numbers.map(|number| power(emitter, &number, up, most));
    let high = emitter.op(&format!("shl i32 {high}, 8"));
    let both = emitter.op(&format!("or disjoint i32 {low}, {high}"));
    let both = emitter.resize(&both, 32, 16, false);
    emitter.assign(to, unsigned(16), &both)
}

/// The bits of the power of two that is next to a number without its sign. The least is 2^-127: half of the least
/// normal number, so subnormal numbers up to it are it.
fn power(emitter: &mut Emitter, number: &str, up: bool, most: u32) -> String {
    let bits = emitter.op(&format!("bitcast float {number} to i32"));
    let magnitude = emitter.op(&format!("and i32 {bits}, 2147483647"));
    let is_nan = emitter.op(&format!("icmp ugt i32 {magnitude}, 2139095040"));
    let whole = emitter.op(&format!("lshr i32 {magnitude}, 23"));
    let mut found = whole.clone();
    if up {
        let fraction = emitter.op(&format!("and i32 {magnitude}, 8388607"));
        let is_least = emitter.op(&format!("icmp ule i32 {magnitude}, 4194304"));
        let is_more = emitter.op(&format!("icmp ne i32 {fraction}, 0"));
        let step = emitter.op(&format!("zext i1 {is_more} to i32"));
        let step = emitter.op(&format!("select i1 {is_least}, i32 0, i32 {step}"));
        found = emitter.op(&format!("add i32 {whole}, {step}"));
    }
    let limits = [found, most.to_string()].map(|value| ("i32".to_owned(), value));
    let found = emitter.call("i32", "llvm.umin.i32", &limits);
    emitter.op(&format!("select i1 {is_nan}, i32 255, i32 {found}"))
}

/// A power is the exponent of a `bfloat`, and the least one its largest subnormal power.
fn take(emitter: &mut Emitter, to: &Operand, pair: &Operand) -> Option<()> {
    let pair = emitter.value(pair, unsigned(16))?;
    let pair = emitter.resize(&pair, 16, 32, false);
    let [low, high] = [0, 8].map(|place| {
        let bits = emitter.op(&format!("lshr i32 {pair}, {place}"));
        let bits = emitter.op(&format!("and i32 {bits}, 255"));
        let number = emitter.op(&format!("shl i32 {bits}, 7"));
        let is_least = emitter.op(&format!("icmp eq i32 {bits}, 0"));
        let number = emitter.op(&format!("select i1 {is_least}, i32 64, i32 {number}"));
        let is_nan = emitter.op(&format!("icmp eq i32 {bits}, 255"));
        emitter.op(&format!("select i1 {is_nan}, i32 32767, i32 {number}"))
    });
    let high = emitter.op(&format!("shl i32 {high}, 16"));
    let both = emitter.op(&format!("or disjoint i32 {low}, {high}"));
    emitter.assign(to, unsigned(32), &both)
}

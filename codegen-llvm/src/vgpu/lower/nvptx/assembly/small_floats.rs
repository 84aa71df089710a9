//! Conversions to and from floating-point formats of 8, 6 and 4 bits (PTX ISA, "cvt": `.e4m3x2` and its like). Those to
//! them round to the nearest and become the largest number where none is near (`.satfinite`).

use super::emitter::Emitter;
use super::powers;
use super::syntax::{Instruction, Operand};
use super::types::{Ty, unsigned};

/// A format: a sign, an exponent and a fraction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmallFloat {
    /// Bits of the exponent.
    exponent: u32,
    /// Bits of the fraction.
    fraction: u32,
    /// Bits of its place in a register of two.
    place: u32,
    /// The largest number.
    largest: f32,
    /// The bits that NaN becomes.
    nan: u32,
}

/// A format of 8 bits, whose largest numbers stay below all ones: those are NaN.
pub const E4M3: SmallFloat = SmallFloat {
    exponent: 4,
    fraction: 3,
    place: 8,
    largest: 448.0,
    nan: 0x7f,
};
/// A format of 8 bits with infinities.
pub const E5M2: SmallFloat = SmallFloat {
    exponent: 5,
    fraction: 2,
    place: 8,
    largest: 57344.0,
    nan: 0x7f,
};
/// One of 6 bits. The formats of less than 8 bits have neither NaN nor infinities.
pub const E3M2: SmallFloat = SmallFloat {
    exponent: 3,
    fraction: 2,
    place: 8,
    largest: 28.0,
    nan: 0x1f,
};
/// One of 6 bits.
pub const E2M3: SmallFloat = SmallFloat {
    exponent: 2,
    fraction: 3,
    place: 8,
    largest: 7.5,
    nan: 0x1f,
};
/// One of 4 bits.
pub const E2M1: SmallFloat = SmallFloat {
    exponent: 2,
    fraction: 1,
    place: 4,
    largest: 6.0,
    nan: 0x7,
};

impl SmallFloat {
    /// The format of which an opcode's part names two.
    fn of_pair(part: &str) -> Option<SmallFloat> {
        Some(match part {
            "e4m3x2" => E4M3,
            "e5m2x2" => E5M2,
            "e3m2x2" => E3M2,
            "e2m3x2" => E2M3,
            "e2m1x2" => E2M1,
            _ => return None,
        })
    }

    fn bias(self) -> u32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// Bits without the sign.
    fn magnitude(self) -> u32 {
        self.exponent + self.fraction
    }

    /// Emits its bits, extended with zeros to 32, as a `float`.
    pub fn number(self, emitter: &mut Emitter, bits: &str) -> String {
        let mask = (1 << self.magnitude()) - 1;
        let magnitude = emitter.op(&format!("and i32 {bits}, {mask}"));
        // A half has a larger exponent: with the same fields its value is a power of two below this one's.
        let fields = emitter.op(&format!("shl i32 {magnitude}, {}", 10 - self.fraction));
        let sign = emitter.op(&format!("and i32 {bits}, {}", mask + 1));
        let sign = emitter.op(&format!("shl i32 {sign}, {}", 15 - self.magnitude()));
        let whole = emitter.op(&format!("or disjoint i32 {fields}, {sign}"));
        let half = emitter.resize(&whole, 32, 16, false);
        let half = emitter.op(&format!("bitcast i16 {half} to half"));
        let single = emitter.op(&format!("fpext half {half} to float"));
        let scale = (1u32 << (15 - self.bias())) as f32;
        let value = match self {
            E5M2 => return single,
            _ => emitter.op(&format!("fmul float {single}, {scale:e}")),
        };
        if self != E4M3 {
            return value;
        }
        let is_nan = emitter.op(&format!("icmp eq i32 {magnitude}, {mask}"));
        emitter.op(&format!(
            "select i1 {is_nan}, float 0x7FF8000000000000, float {value}"
        ))
    }

    /// Emits the bits of the nearest number to a `float`, ties to even, extended with zeros to 32.
    fn nearest(self, emitter: &mut Emitter, value: &str) -> String {
        let bits = emitter.op(&format!("bitcast float {value} to i32"));
        let magnitude = emitter.op(&format!("and i32 {bits}, 2147483647"));
        let is_nan = emitter.op(&format!("icmp ugt i32 {magnitude}, 2139095040"));
        let largest = self.largest.to_bits().to_string();
        let limits = [magnitude, largest].map(|bits| ("i32".to_owned(), bits));
        let magnitude = emitter.call("i32", "llvm.umin.i32", &limits);
        let normal = self.normal(emitter, &magnitude);
        let subnormal = self.subnormal(emitter, &magnitude);
        let least_normal = (128 - self.bias()) << 23;
        let is_small = emitter.op(&format!("icmp ult i32 {magnitude}, {least_normal}"));
        let found = emitter.op(&format!(
            "select i1 {is_small}, i32 {subnormal}, i32 {normal}"
        ));
        let sign = emitter.op(&format!("lshr i32 {bits}, 31"));
        let sign = emitter.op(&format!("shl i32 {sign}, {}", self.magnitude()));
        let found = emitter.op(&format!("or disjoint i32 {found}, {sign}"));
        emitter.op(&format!(
            "select i1 {is_nan}, i32 {}, i32 {found}",
            self.nan
        ))
    }

    /// The upper bits of a `float`'s, after half of the last one is added.
    fn normal(self, emitter: &mut Emitter, magnitude: &str) -> String {
        let dropped = 23 - self.fraction;
        let last = emitter.op(&format!("lshr i32 {magnitude}, {dropped}"));
        let last = emitter.op(&format!("and i32 {last}, 1"));
        let up = emitter.op(&format!("add i32 {magnitude}, {last}"));
        let up = emitter.op(&format!("add i32 {up}, {}", (1 << (dropped - 1)) - 1));
        let kept = emitter.op(&format!("lshr i32 {up}, {dropped}"));
        emitter.op(&format!(
            "sub i32 {kept}, {}",
            (127 - self.bias()) << self.fraction
        ))
    }

    /// A number so large that a `float` near it has the distance of two subnormal numbers: the sum rounds.
    fn subnormal(self, emitter: &mut Emitter, magnitude: &str) -> String {
        let power = 24 - self.bias() as i32 - self.fraction as i32;
        let large = 2f32.powi(power);
        let small = emitter.op(&format!("bitcast i32 {magnitude} to float"));
        let sum = emitter.op(&format!("fadd float {small}, {large:e}"));
        let sum = emitter.op(&format!("bitcast float {sum} to i32"));
        emitter.op(&format!("sub i32 {sum}, {}", large.to_bits()))
    }
}

/// Emits a conversion to or from two numbers of a small format. The first of two operands becomes the upper one.
pub fn convert(
    emitter: &mut Emitter,
    instruction: &Instruction,
    to: &Operand,
    sources: &[Operand],
) -> Option<()> {
    let [.., made, ty] = instruction.opcode.as_slice() else {
        return None;
    };
    if made == "ue8m0x2" || ty == "ue8m0x2" {
        return powers::convert(emitter, instruction, to, sources);
    }
    if let Some(format) = SmallFloat::of_pair(made) {
        let numbers = match (ty.as_str(), sources) {
            ("f32", [high, low]) => {
                let single = Ty::of("f32")?;
                [emitter.value(low, single)?, emitter.value(high, single)?]
            }
            ("f16x2", [pair]) => halves(emitter, pair)?,
            _ => return None,
        };
        return instruction
            .has("satfinite")
            .then(|| make(emitter, instruction, format, to, numbers))?;
    }
    let (format, [source]) = (SmallFloat::of_pair(ty)?, sources) else {
        return None;
    };
    (made == "f16x2").then(|| take(emitter, instruction, format, to, source))?
}

fn halves(emitter: &mut Emitter, pair: &Operand) -> Option<[String; 2]> {
    let pair = emitter.value(pair, Ty::of("f16x2")?)?;
    Some([0, 1].map(|index| {
        let half = emitter.op(&format!("extractelement <2 x half> {pair}, i32 {index}"));
        emitter.op(&format!("fpext half {half} to float"))
    }))
}

fn make(
    emitter: &mut Emitter,
    instruction: &Instruction,
    format: SmallFloat,
    to: &Operand,
    numbers: [String; 2],
) -> Option<()> {
    let single = Ty::of("f32")?;
    let [low, high] = numbers.map(|number| {
        let number = super::arithmetic::clamped(emitter, instruction, single, number);
        format.nearest(emitter, &number)
    });
    let high = emitter.op(&format!("shl i32 {high}, {}", format.place));
    let both = emitter.op(&format!("or disjoint i32 {low}, {high}"));
    let size = 2 * format.place;
    let both = emitter.resize(&both, 32, size, false);
    emitter.assign(to, unsigned(size), &both)
}

fn take(
    emitter: &mut Emitter,
    instruction: &Instruction,
    format: SmallFloat,
    to: &Operand,
    source: &Operand,
) -> Option<()> {
    let size = 2 * format.place;
    let pair = emitter.value(source, unsigned(size))?;
    let pair = emitter.resize(&pair, size, 32, false);
    let made = Ty::of("f16x2")?;
    let mut whole = "poison".to_owned();
    for index in 0..2 {
        let bits = emitter.op(&format!("lshr i32 {pair}, {}", index * format.place));
        let number = format.number(emitter, &bits);
        let half = emitter.op(&format!("fptrunc float {number} to half"));
        whole = emitter.op(&format!(
            "insertelement <2 x half> {whole}, half {half}, i32 {index}"
        ));
    }
    let whole = super::arithmetic::clamped(emitter, instruction, made, whole);
    emitter.assign(to, made, &whole)
}

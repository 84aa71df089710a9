//! The formats of elements, and how they become numbers that a CPU computes with.

use super::super::emitter::Emitter;
use super::super::small_floats;

/// A format of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    E4m3,
    E5m2,
    /// Formats of 6 and 4 bits, each element in 8 bits.
    E3m2,
    E2m3,
    E2m1,
    /// Integers of so many bits, with or without a sign.
    Int {
        bits: u32,
        signed: bool,
    },
    S32,
    /// Bits
    B1,
}

use Format::{B1, Bf16, E2m1, E2m3, E3m2, E4m3, E5m2, F16, F32, F64, Int, S32, Tf32};

impl Format {
    /// The format that a part of an opcode names.
    pub fn of(part: &str) -> Option<Format> {
        Some(match part {
            "f16" => F16,
            "bf16" => Bf16,
            "tf32" => Tf32,
            "f32" => F32,
            "f64" => F64,
            "e4m3" => E4m3,
            "e5m2" => E5m2,
            "e3m2" => E3m2,
            "e2m3" => E2m3,
            "e2m1" => E2m1,
            "s32" => S32,
            "b1" => B1,
            "s8" | "u8" | "s4" | "u4" => Int {
                bits: part[1..].parse().ok()?,
                signed: part.starts_with('s'),
            },
            _ => return None,
        })
    }

    /// Bits of an element.
    pub fn bits(self) -> u32 {
        match self {
            F16 | Bf16 => 16,
            Tf32 | F32 | S32 => 32,
            F64 => 64,
            E4m3 | E5m2 | E3m2 | E2m3 | E2m1 => 8,
            Int { bits, .. } => bits,
            B1 => 1,
        }
    }

    /// Bits of a register.
    pub fn register(self) -> u32 {
        self.bits().max(32)
    }

    /// Elements of a register.
    pub fn per_register(self) -> u32 {
        self.register() / self.bits()
    }

    /// Whether what is multiplied is a floating-point number.
    pub fn is_float(self) -> bool {
        !matches!(self, Int { .. } | S32 | B1)
    }

    /// Whether it is one of the formats of 8 bits and less, which may be multiplied with each other.
    pub fn is_small(self) -> bool {
        matches!(self, E4m3 | E5m2) || self.is_in_wider()
    }

    /// Whether elements have fewer bits than their places.
    pub fn is_in_wider(self) -> bool {
        matches!(self, E3m2 | E2m3 | E2m1)
    }
}

/// An element of a register as `float`, or as `double` of 64 bits.
pub fn number(emitter: &mut Emitter, format: Format, register: &str, index: u32) -> String {
    let bits = format.register();
    if matches!(format, F32 | F64) {
        let ty = if format == F64 { "double" } else { "float" };
        return emitter.op(&format!("bitcast i{bits} {register} to {ty}"));
    }
    let element = element(emitter, format, register, index);
    match format {
        // A multiplication takes the upper 19 bits.
        Tf32 => {
            let kept = emitter.op(&format!("and i32 {element}, -8192"));
            emitter.op(&format!("bitcast i32 {kept} to float"))
        }
        Bf16 => {
            let upper = emitter.op(&format!("shl i32 {element}, 16"));
            emitter.op(&format!("bitcast i32 {upper} to float"))
        }
        E5m2 => small_floats::E5M2.number(emitter, &element),
        E4m3 => small_floats::E4M3.number(emitter, &element),
        E3m2 => small_floats::E3M2.number(emitter, &element),
        E2m3 => small_floats::E2M3.number(emitter, &element),
        // In the middle of its place.
        E2m1 => {
            let moved = emitter.op(&format!("lshr i32 {element}, 2"));
            small_floats::E2M1.number(emitter, &moved)
        }
        _ => half(emitter, &element),
    }
}

/// The bits of an element, extended with zeros to 32 bits.
pub fn element(emitter: &mut Emitter, format: Format, register: &str, index: u32) -> String {
    let bits = format.bits();
    let moved = match index {
        0 => register.to_owned(),
        index => emitter.op(&format!("lshr i32 {register}, {}", index * bits)),
    };
    match bits {
        32 => moved,
        bits => emitter.op(&format!("and i32 {moved}, {}", (1 << bits) - 1)),
    }
}

fn half(emitter: &mut Emitter, bits: &str) -> String {
    let half = emitter.resize(bits, 32, 16, false);
    let half = emitter.op(&format!("bitcast i16 {half} to half"));
    emitter.op(&format!("fpext half {half} to float"))
}

/// Two numbers, of `float`, as a register of halves.
pub fn halves(emitter: &mut Emitter, [low, high]: [&str; 2]) -> String {
    let mut bits = |number: &str| {
        let half = emitter.op(&format!("fptrunc float {number} to half"));
        let half = emitter.op(&format!("bitcast half {half} to i16"));
        emitter.resize(&half, 16, 32, false)
    };
    let (low, high) = (bits(low), bits(high));
    let high = emitter.op(&format!("shl i32 {high}, 16"));
    emitter.op(&format!("or disjoint i32 {low}, {high}"))
}

//! PTX ISA, "cvt": half precision with directed rounding, and formats of 8, 6 and 4 bits.

use crate::{Case, case, case_of};

/// A format of few bits: of exponent and fraction, and whether its last numbers are not finite.
#[derive(Clone, Copy)]
struct Format {
    exponent: i32,
    fraction: i32,
    /// Without its sign, the bits of the largest number, and those that NaN becomes.
    largest: u64,
    nan: u64,
}

const E4M3: Format = Format {
    exponent: 4,
    fraction: 3,
    largest: 0x7e,
    nan: 0x7f,
};
const E5M2: Format = Format {
    exponent: 5,
    fraction: 2,
    largest: 0x7b,
    nan: 0x7f,
};
const E3M2: Format = Format {
    exponent: 3,
    fraction: 2,
    largest: 0x1f,
    nan: 0x1f,
};
const E2M3: Format = Format {
    exponent: 2,
    fraction: 3,
    largest: 0x1f,
    nan: 0x1f,
};
const E2M1: Format = Format {
    exponent: 2,
    fraction: 1,
    largest: 7,
    nan: 7,
};
/// Half precision: its largest number is finite for directed rounding.
const HALF: Format = Format {
    exponent: 5,
    fraction: 10,
    largest: 0x7bff,
    nan: 0x7fff,
};

impl Format {
    fn sign(self) -> u64 {
        1 << (self.exponent + self.fraction)
    }

    /// The number that bits without a sign are, by the definition of such formats.
    fn number(self, bits: u64) -> f64 {
        let bias = (1 << (self.exponent - 1)) - 1;
        let fraction = (bits & ((1 << self.fraction) - 1)) as f64 / f64::from(1 << self.fraction);
        match (bits >> self.fraction) as i32 {
            0 => fraction * 2f64.powi(1 - bias),
            exponent => (1.0 + fraction) * 2f64.powi(exponent - bias),
        }
    }

    /// The bits of the nearest finite number, ties to even: found by trying all.
    fn nearest(self, value: f64) -> u64 {
        if value.is_nan() {
            return self.nan;
        }
        let sign = if value.is_sign_negative() {
            self.sign()
        } else {
            0
        };
        let magnitude = value.abs().min(self.number(self.largest));
        let distance = |bits: &u64| (self.number(*bits) - magnitude).abs();
        let closer = |left: &u64, right: &u64| {
            (distance(left), left & 1)
                .partial_cmp(&(distance(right), right & 1))
                .expect("numbers")
        };
        sign | (0..=self.largest).min_by(closer).expect("a number")
    }

    /// The bits of the largest number that is not above a value, both without sign.
    fn below(self, value: f64) -> u64 {
        (0..=self.largest)
            .rev()
            .find(|bits| self.number(*bits) <= value)
            .expect("zero")
    }
}

fn single(bits: u64) -> f64 {
    f32::from_bits(bits as u32).into()
}

fn pair(format: Format, place: u32, high: f64, low: f64) -> u64 {
    format.nearest(high) << place | format.nearest(low)
}

/// Half precision that is not to the nearest; `up` says of a sign whether to round away from zero.
fn directed(value: f64, up: impl Fn(bool) -> bool) -> u64 {
    let negative = value.is_sign_negative();
    let sign = if negative { HALF.sign() } else { 0 };
    if value.is_infinite() {
        return sign | 0x7c00;
    }
    let below = HALF.below(value.abs());
    let exact = HALF.number(below) == value.abs();
    sign | (below + u64::from(!exact && up(negative)))
}

/// Half precision as single precision, where a test compares numbers and not the bits of NaN.
fn widened(bits: u64) -> u64 {
    let sign = if bits & HALF.sign() != 0 { -1.0 } else { 1.0 };
    let magnitude = match bits & 0x7fff {
        0x7c00 => f64::INFINITY,
        bits => HALF.number(bits),
    };
    ((sign * magnitude) as f32).to_bits().into()
}

fn rounded(bits: u64, up: impl Fn(bool) -> bool) -> u64 {
    match single(bits).is_nan() {
        true => f32::NAN.to_bits().into(),
        false => widened(directed(single(bits), up)),
    }
}

/// The cases.
pub fn cases() -> Vec<Case> {
    let mut all = vec![
        case(
            "cvt.rz.f16.f32 %w16d, {a}; cvt.f32.f16 {d}, %w16d;",
            32,
            |a, _, _| rounded(a, |_| false),
        ),
        case(
            "cvt.rm.f16.f32 %w16d, {a}; cvt.f32.f16 {d}, %w16d;",
            32,
            |a, _, _| rounded(a, |negative| negative),
        ),
        case(
            "cvt.rp.f16.f32 %w16d, {a}; cvt.f32.f16 {d}, %w16d;",
            32,
            |a, _, _| rounded(a, |negative| !negative),
        ),
        case("cvt.rn.tf32.f32 {d}, {a};", 32, |a, _, _| {
            let even = 0xfff + (a >> 13 & 1);
            (a + even) & 0xffff_e000
        }),
        case("cvt.rna.satfinite.tf32.f32 {d}, {a};", 32, |a, _, _| {
            let magnitude = ((a & 0x7fff_ffff) + 0x1000) & 0xffff_e000;
            match single(a).is_nan() {
                true => 0x7fff_ffff,
                false => magnitude.min(0x7f7f_e000) | a & 0x8000_0000,
            }
        }),
        case("cvt.rz.relu.tf32.f32 {d}, {a};", 32, |a, _, _| {
            let negative = single(a).is_sign_negative();
            if negative && !single(a).is_nan() {
                0
            } else {
                a & 0xffff_e000
            }
        }),
        case(
            "cvt.rn.satfinite.f16.f32 %w16d, {a}; cvt.f32.f16 {d}, %w16d;",
            32,
            |a, _, _| match single(a).is_nan() {
                true => f32::NAN.to_bits().into(),
                false => widened(HALF.nearest(single(a))),
            },
        ),
        case(
            "cvt.rn.satfinite.relu.bf16x2.f32 {d}, {a}, {b};",
            32,
            |a, b, _| brain(a) << 16 | brain(b),
        ),
        case("cvt.rz.tf32.f32 {d}, {a};", 32, |a, _, _| a & 0xffff_e000),
        case("cvt.pack.sat.u16.s32 {d}, {a}, {b};", 32, |a, b, _| {
            packed(a, b, 0, 16, 0, 0xffff)
        }),
        case(
            "cvt.pack.sat.s8.s32.b32 {d}, {a}, {b}, {c};",
            32,
            |a, b, c| packed(a, b, c, 8, -128, 127),
        ),
        case(
            "cvt.pack.sat.u4.s32.b32 {d}, {a}, {b}, {c};",
            32,
            |a, b, c| packed(a, b, c, 4, 0, 15),
        ),
    ];
    all.extend(pairs());
    all.extend(powers());
    all.extend(halves());
    all
}

/// The bits of the nearest finite `bfloat` that is not negative.
fn brain(bits: u64) -> u64 {
    let value = single(bits);
    match value.is_nan() {
        true => 0x7fff,
        false if value <= 0.0 => 0,
        false => ((bits + 0x7fff + (bits >> 16 & 1)) >> 16).min(0x7f7f),
    }
}

/// A power of two of 8 bits next to a number without its sign, by trying all. 255 is NaN.
fn power(bits: u64, up: bool, most: u64) -> u64 {
    let value = single(bits).abs();
    let number = |power: u64| 2f64.powi(power as i32 - 127);
    if value.is_nan() {
        return 255;
    }
    let found = match up {
        true => (0..255).find(|power| number(*power) >= value),
        false => (0..255)
            .rev()
            .find(|power| number(*power) <= value)
            .or(Some(0)),
    };
    let infinite = value.is_infinite();
    found.filter(|_| !infinite).unwrap_or(255).min(most)
}

fn powers() -> Vec<Case> {
    vec![
        case_of(
            "cvt.rp.satfinite.ue8m0x2.f32 {d}, {a}, {b};",
            16,
            [32; 3],
            |a, b, _| power(a, true, 254) << 8 | power(b, true, 254),
        ),
        case_of(
            "cvt.rz.ue8m0x2.f32 {d}, {a}, {b};",
            16,
            [32; 3],
            |a, b, _| power(a, false, 255) << 8 | power(b, false, 255),
        ),
        case_of("cvt.rp.ue8m0x2.bf16x2 {d}, {a};", 16, [32; 3], |a, _, _| {
            power(a & 0xffff_0000, true, 255) << 8 | power(a << 16, true, 255)
        }),
        case_of("cvt.rn.bf16x2.ue8m0x2 {d}, {a};", 32, [16; 3], |a, _, _| {
            let brain = |power: u64| match power {
                255 => 0x7fff,
                power => u64::from((2f64.powi(power as i32 - 127) as f32).to_bits() >> 16),
            };
            brain(a >> 8) << 16 | brain(a & 255)
        }),
    ]
}

/// What `cvt.pack` does, as the PTX ISA writes it.
fn packed(a: u64, b: u64, c: u64, bits: u32, least: i64, most: i64) -> u64 {
    let limited =
        |value: u64| (i64::from(value as u32 as i32).clamp(least, most) as u64) & ((1 << bits) - 1);
    c << (2 * bits) | limited(a) << bits | limited(b)
}

fn pairs() -> Vec<Case> {
    vec![
        case_of(
            "cvt.rn.satfinite.e4m3x2.f32 {d}, {a}, {b};",
            16,
            [32; 3],
            |a, b, _| pair(E4M3, 8, single(a), single(b)),
        ),
        case_of(
            "cvt.rn.satfinite.e5m2x2.f32 {d}, {a}, {b};",
            16,
            [32; 3],
            |a, b, _| pair(E5M2, 8, single(a), single(b)),
        ),
        case_of(
            "cvt.rn.satfinite.e3m2x2.f32 {d}, {a}, {b};",
            16,
            [32; 3],
            |a, b, _| pair(E3M2, 8, single(a), single(b)),
        ),
        case_of(
            "cvt.rn.satfinite.e2m3x2.f32 {d}, {a}, {b};",
            16,
            [32; 3],
            |a, b, _| pair(E2M3, 8, single(a), single(b)),
        ),
        case_of(
            "{ .reg .b8 %few; cvt.rn.satfinite.e2m1x2.f32 %few, {a}, {b}; cvt.u32.u8 {d}, %few; }",
            32,
            [32; 3],
            |a, b, _| pair(E2M1, 4, single(a), single(b)),
        ),
        case_of(
            "cvt.rn.satfinite.relu.e4m3x2.f32 {d}, {a}, {b};",
            16,
            [32; 3],
            |a, b, _| {
                let positive = |value: f64| if value <= 0.0 { 0.0 } else { value };
                pair(E4M3, 8, positive(single(a)), positive(single(b)))
            },
        ),
        // Of halves: the same numbers, as far as a half has them.
        case_of(
            "mov.b32 %t1, 0x7bff3555; cvt.rn.satfinite.e5m2x2.f16x2 {d}, %t1;",
            16,
            [32; 3],
            |_, _, _| pair(E5M2, 8, HALF.number(0x7bff), HALF.number(0x3555)),
        ),
    ]
}

/// From a small format: each element as single precision.
fn halves() -> Vec<Case> {
    fn element(bits: u64, format: Format, place: u32, index: u32) -> u64 {
        let bits = bits >> (index * place);
        let magnitude = bits & (format.sign() - 1);
        let is_nan = magnitude > format.largest;
        let number = match (is_nan, format.exponent, magnitude) {
            (true, 5, 0x7c) => f64::INFINITY,
            (true, ..) => f64::NAN,
            _ => format.number(magnitude),
        };
        let sign = if bits & format.sign() != 0 { -1.0 } else { 1.0 };
        ((sign * number) as f32).to_bits().into()
    }
    vec![
        case_of(
            "cvt.rn.f16x2.e4m3x2 %t1, {a}; mov.b32 {%w16d, _}, %t1; cvt.f32.f16 {d}, %w16d;",
            32,
            [16; 3],
            |a, _, _| element(a, E4M3, 8, 0),
        ),
        case_of(
            "cvt.rn.f16x2.e5m2x2 %t1, {a}; mov.b32 {_, %w16d}, %t1; cvt.f32.f16 {d}, %w16d;",
            32,
            [16; 3],
            |a, _, _| element(a, E5M2, 8, 1),
        ),
        case_of(
            "cvt.rn.f16x2.e2m3x2 %t1, {a}; mov.b32 {_, %w16d}, %t1; cvt.f32.f16 {d}, %w16d;",
            32,
            [16; 3],
            |a, _, _| element(a, E2M3, 8, 1),
        ),
        case_of(
            "{ .reg .b8 %few; cvt.u8.u32 %few, {a}; cvt.rn.f16x2.e2m1x2 %t1, %few; mov.b32 {_, %w16d}, %t1; } \
             cvt.f32.f16 {d}, %w16d;",
            32,
            [32; 3],
            |a, _, _| element(a, E2M1, 4, 1),
        ),
    ]
}

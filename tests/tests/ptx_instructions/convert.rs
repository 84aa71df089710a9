//! PTX ISA, "cvt".

use crate::{Case, case, case_of, low, signed};

/// Conversions of integers.
pub fn cases() -> Vec<Case> {
    vec![
        case("cvt.s32.s8 {d}, {a};", 32, |a, _, _| signed(a, 8) as u64),
        case_of("cvt.u64.u8 {d}, {a};", 64, [32; 3], |a, _, _| low(a, 8)),
        case_of("cvt.s64.s32 {d}, {a};", 64, [32; 3], |a, _, _| {
            signed(a, 32) as u64
        }),
        case_of("cvt.u16.u64 {d}, {a};", 16, [64; 3], |a, _, _| a),
        case("cvt.sat.u8.s32 {d}, {a};", 32, |a, _, _| {
            signed(a, 32).clamp(0, 255) as u64
        }),
        case("cvt.sat.s8.s32 {d}, {a};", 32, |a, _, _| {
            signed(a, 32).clamp(-128, 127) as u64
        }),
        case_of("cvt.sat.s32.u64 {d}, {a};", 32, [64; 3], |a, _, _| {
            a.min(i32::MAX as u64)
        }),
        case_of("cvt.sat.u32.s64 {d}, {a};", 32, [64; 3], |a, _, _| {
            (a as i64).clamp(0, u32::MAX.into()) as u64
        }),
        case("cvt.rn.f32.s32 {d}, {a};", 32, |a, _, _| {
            (a as i32 as f32).to_bits().into()
        }),
        case_of("cvt.rn.f32.u64 {d}, {a};", 32, [64; 3], |a, _, _| {
            (a as f32).to_bits().into()
        }),
        case_of("cvt.rn.f64.s64 {d}, {a};", 64, [64; 3], |a, _, _| {
            (a as i64 as f64).to_bits()
        }),
        case_of("cvt.rn.f64.u32 {d}, {a};", 64, [32; 3], |a, _, _| {
            f64::from(a as u32).to_bits()
        }),
    ]
}

fn f(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

/// What NaN becomes where 64 bits take part: the highest bit alone.
fn of_double(number: f64, bits: u32, convert: impl Fn(f64) -> u64) -> u64 {
    match number.is_nan() {
        true => 1 << (bits - 1),
        false => convert(number),
    }
}

/// Conversions of floating-point numbers. NaN becomes 0 but for those; what is too large becomes the largest.
pub fn of_floats() -> Vec<Case> {
    vec![
        case("cvt.rzi.s32.f32 {d}, {a};", 32, |a, _, _| {
            f(a) as i32 as u64
        }),
        case("cvt.rni.s32.f32 {d}, {a};", 32, |a, _, _| {
            f(a).round_ties_even() as i32 as u64
        }),
        case("cvt.rmi.u32.f32 {d}, {a};", 32, |a, _, _| {
            (f(a).floor() as u32).into()
        }),
        case_of("cvt.rpi.s64.f64 {d}, {a};", 64, [64; 3], |a, _, _| {
            of_double(f64::from_bits(a), 64, |it| it.ceil() as i64 as u64)
        }),
        case_of("cvt.rzi.s32.f64 {d}, {a};", 32, [64; 3], |a, _, _| {
            of_double(f64::from_bits(a), 32, |it| it as i32 as u64)
        }),
        case_of("cvt.rni.u32.f64 {d}, {a};", 32, [64; 3], |a, _, _| {
            of_double(f64::from_bits(a), 32, |it| {
                (it.round_ties_even() as u32).into()
            })
        }),
        case_of("cvt.rzi.u64.f32 {d}, {a};", 64, [32; 3], |a, _, _| {
            of_double(f(a).into(), 64, |it| it as u64)
        }),
        case_of("cvt.rzi.u16.f32 {d}, {a};", 16, [32; 3], |a, _, _| {
            (f(a) as u16).into()
        }),
        case("cvt.rni.f32.f32 {d}, {a};", 32, |a, _, _| {
            f(a).round_ties_even().to_bits().into()
        }),
        case("cvt.sat.f32.f32 {d}, {a};", 32, |a, _, _| match f(a) {
            value if value.is_nan() => 0,
            value => (value.clamp(0.0, 1.0) + 0.0).to_bits().into(),
        }),
        case_of("cvt.f64.f32 {d}, {a};", 64, [32; 3], |a, _, _| {
            f64::from(f(a)).to_bits()
        }),
        case_of("cvt.rn.f32.f64 {d}, {a};", 32, [64; 3], |a, _, _| {
            (f64::from_bits(a) as f32).to_bits().into()
        }),
        case_of(
            "cvt.rz.bf16.f32 {d}, {a};",
            16,
            [32; 3],
            |a, _, _| match f(a).is_nan() {
                true => 0x7fff,
                false => low(a, 32) >> 16,
            },
        ),
        // To half precision and back.
        case(
            "cvt.rn.f16.f32 %w16a, 0f3FC00000; cvt.f32.f16 {d}, %w16a;",
            32,
            |_, _, _| 1.5f32.to_bits().into(),
        ),
        case(
            "cvt.rn.bf16.f32 %w16a, 0f3FC00000; cvt.f32.bf16 {d}, %w16a;",
            32,
            |_, _, _| 1.5f32.to_bits().into(),
        ),
    ]
}

//! PTX ISA, "Floating Point Instructions". Denormals are kept, as without `.ftz`.

use crate::{Case, case, case_of};

fn f(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn d(bits: u64) -> f64 {
    f64::from_bits(bits)
}

fn single(text: &'static str, expected: impl Fn(f32, f32, f32) -> f32 + 'static) -> Case {
    case(text, 32, move |a, b, c| {
        expected(f(a), f(b), f(c)).to_bits().into()
    })
}

fn double(text: &'static str, expected: impl Fn(f64, f64, f64) -> f64 + 'static) -> Case {
    case(text, 64, move |a, b, c| {
        expected(d(a), d(b), d(c)).to_bits()
    })
}

fn test(text: &'static str, expected: impl Fn(f32, f32) -> bool + 'static) -> Case {
    case_of(text, 1, [32; 3], move |a, b, _| expected(f(a), f(b)).into())
}

/// The cases.
pub fn cases() -> Vec<Case> {
    let mut all = arithmetic();
    all.extend(directed());
    all.extend(comparisons());
    all
}

fn arithmetic() -> Vec<Case> {
    vec![
        single("add.f32 {d}, {a}, {b};", |a, b, _| a + b),
        single("sub.rn.f32 {d}, {a}, {b};", |a, b, _| a - b),
        single("mul.f32 {d}, {a}, {b};", |a, b, _| a * b),
        single("div.rn.f32 {d}, {a}, {b};", |a, b, _| a / b),
        single("fma.rn.f32 {d}, {a}, {b}, {c};", |a, b, c| a.mul_add(b, c)),
        single("neg.f32 {d}, {a};", |a, _, _| -a),
        single("abs.f32 {d}, {a};", |a, _, _| a.abs()),
        single("sqrt.rn.f32 {d}, {a};", |a, _, _| a.sqrt()),
        single("rcp.rn.f32 {d}, {a};", |a, _, _| 1.0 / a),
        single("add.sat.f32 {d}, {a}, {b};", |a, b, _| match a + b {
            sum if sum.is_nan() => 0.0,
            sum => sum.clamp(0.0, 1.0) + 0.0,
        }),
        single("copysign.f32 {d}, {a}, {b};", |a, b, _| b.copysign(a)),
        single("mul.f32 {d}, {a}, 0f40490FDB;", |a, _, _| {
            a * f32::from_bits(0x4049_0fdb)
        }),
        single("mul.f32 {d}, {a}, 2.5;", |a, _, _| a * 2.5),
        double("add.f64 {d}, {a}, {b};", |a, b, _| a + b),
        double("mul.rn.f64 {d}, {a}, {b};", |a, b, _| a * b),
        double("div.rn.f64 {d}, {a}, {b};", |a, b, _| a / b),
        double("fma.rn.f64 {d}, {a}, {b}, {c};", |a, b, c| a.mul_add(b, c)),
        double("sqrt.rn.f64 {d}, {a};", |a, _, _| a.sqrt()),
        double("copysign.f64 {d}, {a}, {b};", |a, b, _| b.copysign(a)),
        // Of two zeros -0 is the smaller; a number is taken before NaN.
        double("max.f64 {d}, {a}, {b};", |a, b, _| larger(a, b)),
        single("min.f32 {d}, {a}, {b};", |a, b, _| {
            -larger((-a).into(), (-b).into()) as f32
        }),
        single("max.NaN.f32 {d}, {a}, {b};", |a, b, _| {
            match a.is_nan() || b.is_nan() {
                true => f32::NAN,
                false => larger(a.into(), b.into()) as f32,
            }
        }),
        // The sign is the one of the product.
        single("max.xorsign.abs.f32 {d}, {a}, {b};", |a, b, _| {
            let most = larger(a.abs().into(), b.abs().into()) as f32;
            match most.is_nan() {
                true => most,
                false => most.copysign(f32::from_bits(a.to_bits() ^ b.to_bits())),
            }
        }),
    ]
}

/// Forms that newer GPUs have.
pub fn newer_cases() -> Vec<Case> {
    // The lower half of a word as a number; a random half may be NaN.
    let brain = |bits: u64| f(bits << 16);
    vec![
        single("max.f32 {d}, {a}, {b}, {c};", |a, b, c| {
            larger(larger(a.into(), b.into()), c.into()) as f32
        }),
        single("min.NaN.abs.f32 {d}, {a}, {b}, {c};", |a, b, c| {
            match a.is_nan() || b.is_nan() || c.is_nan() {
                true => f32::NAN,
                false => a.abs().min(b.abs()).min(c.abs()),
            }
        }),
        case(
            "cvt.u16.u32 %w16a, {a}; add.rn.f32.bf16 {d}, %w16a, {b};",
            32,
            move |a, b, _| (brain(a) + f(b)).to_bits().into(),
        ),
        case(
            "cvt.u16.u32 %w16a, {a}; sub.rn.f32.bf16 {d}, %w16a, {b};",
            32,
            move |a, b, _| (brain(a) - f(b)).to_bits().into(),
        ),
        case(
            "mov.b32 {%w16a, %w16b}, {a}; fma.rn.f32.bf16 {d}, %w16a, %w16b, {c};",
            32,
            move |a, _, c| brain(a).mul_add(brain(a >> 16), f(c)).to_bits().into(),
        ),
        case(
            "mov.b16 %w16a, 0x3e00; add.sat.f32.f16 {d}, %w16a, {b};",
            32,
            |_, b, _| match 1.5 + f(b) {
                sum if sum.is_nan() => 0,
                sum => (sum.clamp(0.0, 1.0) + 0.0).to_bits().into(),
            },
        ),
        // The upper half of the sum is rounded up.
        single(
            "and.b32 {a}, {a}, 0x807fffff; or.b32 {a}, {a}, 0x3f800000; and.b32 {b}, {b}, 0x807fffff; \
             or.b32 {b}, {b}, 0x3c800000; mov.b64 %q0, {{c}, {a}}; mov.b64 %q1, {{c}, {b}}; \
             add.rp.f32x2 %q0, %q0, %q1; mov.b64 {_, %w32d}, %q0; mov.b32 {d}, {d};",
            |a, b, _| {
                let small = |number: f32, exponent| {
                    f32::from_bits(number.to_bits() & 0x807f_ffff | exponent)
                };
                rounded_sum(small(a, 0x3f80_0000), small(b, 0x3c80_0000), |_| Some(true))
            },
        ),
        single(
            "mov.b64 %q0, {{a}, {b}}; mov.b64 %q1, {{c}, {a}}; fma.rn.f32x2 %q0, %q0, %q1, %q1; \
             mov.b64 {_, %w32d}, %q0; add.f32 {d}, {d}, 0f00000000;",
            |a, b, _| b.mul_add(a, a) + 0.0,
        ),
    ]
}

fn larger(a: f64, b: f64) -> f64 {
    match (a.is_nan(), b.is_nan()) {
        (true, _) => b,
        (_, true) => a,
        _ if a == b => {
            if a.is_sign_negative() {
                b
            } else {
                a
            }
        }
        _ => a.max(b),
    }
}

/// The sum rounded up, down or towards zero. Sums that single precision cannot hold are left out.
fn rounded_sum(a: f32, b: f32, up: impl Fn(f32) -> Option<bool>) -> f32 {
    let sum = a + b;
    // The sum of two numbers of single precision has its error as such a number (Knuth, TAOCP 2, 4.2.2).
    let tail = sum - a;
    let error = (a - (sum - tail)) + (b - tail);
    match (up(sum), error.partial_cmp(&0.0)) {
        (Some(true), Some(std::cmp::Ordering::Greater)) => sum.next_up(),
        (Some(false), Some(std::cmp::Ordering::Less)) => sum.next_down(),
        _ => sum,
    }
}

fn directed() -> Vec<Case> {
    // Numbers between 1 and 2, with either sign: no sum of theirs overflows.
    const SMALL: &str = "and.b32 {a}, {a}, 0x807fffff; or.b32 {a}, {a}, 0x3f800000; \
                         and.b32 {b}, {b}, 0x807fffff; or.b32 {b}, {b}, 0x3c800000; ";
    let small = |bits: u64, exponent: u64| f(bits & 0x807f_ffff | exponent);
    let sum = move |text: &str, up: fn(f32) -> Option<bool>| {
        let text: &'static str = format!("{SMALL}{text}").leak();
        case(text, 32, move |a, b, _| {
            rounded_sum(small(a, 0x3f80_0000), small(b, 0x3c80_0000), up)
                .to_bits()
                .into()
        })
    };
    vec![
        sum("add.rp.f32 {d}, {a}, {b};", |_| Some(true)),
        sum("add.rm.f32 {d}, {a}, {b};", |_| Some(false)),
        sum("add.rz.f32 {d}, {a}, {b};", |sum| Some(sum < 0.0)),
    ]
}

fn comparisons() -> Vec<Case> {
    vec![
        test("setp.lt.f32 {d}, {a}, {b};", |a, b| a < b),
        test("setp.ne.f32 {d}, {a}, {b};", |a, b| {
            a != b && !a.is_nan() && !b.is_nan()
        }),
        test("setp.neu.f32 {d}, {a}, {b};", |a, b| a != b),
        test("setp.geu.f32 {d}, {a}, {b};", |a, b| {
            a.partial_cmp(&b) != Some(std::cmp::Ordering::Less)
        }),
        test("setp.num.f32 {d}, {a}, {b};", |a, b| {
            !a.is_nan() && !b.is_nan()
        }),
        test("setp.nan.f32 {d}, {a}, {b};", |a, b| {
            a.is_nan() || b.is_nan()
        }),
        test("testp.finite.f32 {d}, {a};", |a, _| a.is_finite()),
        test("testp.infinite.f32 {d}, {a};", |a, _| a.is_infinite()),
        test("testp.number.f32 {d}, {a};", |a, _| !a.is_nan()),
        test("testp.notanumber.f32 {d}, {a};", |a, _| a.is_nan()),
        test("testp.normal.f32 {d}, {a};", |a, _| {
            a.is_normal() || a == 0.0
        }),
        test("testp.subnormal.f32 {d}, {a};", |a, _| a.is_subnormal()),
        case("slct.u32.f32 {d}, {a}, {b}, {c};", 32, |a, b, c| {
            if f(c) >= 0.0 { a } else { b }
        }),
        case_of("set.lt.f32.f64 {d}, {a}, {b};", 32, [64; 3], |a, b, _| {
            (if d(a) < d(b) { 1f32 } else { 0.0 }).to_bits().into()
        }),
    ]
}

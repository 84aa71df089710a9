//! PTX ISA, "Integer Arithmetic Instructions", "Extended-Precision Integer Arithmetic Instructions", comparisons.

use crate::{Case, case, case_of, low, signed};

fn s(value: u64) -> i64 {
    signed(value, 32)
}

/// The cases.
pub fn cases() -> Vec<Case> {
    let mut all = arithmetic();
    all.extend(products());
    all.extend(carries());
    all.extend(comparisons());
    all
}

fn arithmetic() -> Vec<Case> {
    vec![
        case("add.s32 {d}, {a}, {b};", 32, |a, b, _| a.wrapping_add(b)),
        case("add.u16 {d}, {a}, {b};", 16, |a, b, _| a.wrapping_add(b)),
        case("add.u64 {d}, {a}, 7;", 64, |a, _, _| a.wrapping_add(7)),
        case("sub.s64 {d}, {a}, {b};", 64, |a, b, _| a.wrapping_sub(b)),
        case("add.sat.s32 {d}, {a}, {b};", 32, |a, b, _| {
            (a as i32).saturating_add(b as i32) as u64
        }),
        case("sub.sat.s32 {d}, {a}, {b};", 32, |a, b, _| {
            (a as i32).saturating_sub(b as i32) as u64
        }),
        case("neg.s32 {d}, {a};", 32, |a, _, _| a.wrapping_neg()),
        case("abs.s32 {d}, {a};", 32, |a, _, _| {
            (a as i32).wrapping_abs() as u64
        }),
        case("abs.s64 {d}, {a};", 64, |a, _, _| {
            (a as i64).wrapping_abs() as u64
        }),
        case("min.s32 {d}, {a}, {b};", 32, |a, b, _| {
            s(a).min(s(b)) as u64
        }),
        case("max.u64 {d}, {a}, {b};", 64, |a, b, _| a.max(b)),
        case("min.u16 {d}, {a}, {b};", 16, |a, b, _| a.min(b)),
        case("max.relu.s32 {d}, {a}, {b};", 32, |a, b, _| {
            s(a).max(s(b)).max(0) as u64
        }),
        case("sad.s32 {d}, {a}, {b}, {c};", 32, |a, b, c| {
            c.wrapping_add(s(a).abs_diff(s(b)))
        }),
        case("sad.u32 {d}, {a}, {b}, {c};", 32, |a, b, c| {
            c.wrapping_add(a.abs_diff(b))
        }),
        case(
            "or.b32 {b}, {b}, 1; div.u32 {d}, {a}, {b};",
            32,
            |a, b, _| a / (b | 1),
        ),
        case(
            "or.b64 {b}, {b}, 1; rem.u64 {d}, {a}, {b};",
            64,
            |a, b, _| a % (b | 1),
        ),
        case(
            "and.b32 {b}, {b}, 255; or.b32 {b}, {b}, 1; div.s32 {d}, {a}, {b};",
            32,
            |a, b, _| (s(a) / ((b & 255 | 1) as i64)) as u64,
        ),
        case(
            "and.b32 {b}, {b}, 255; or.b32 {b}, {b}, 1; rem.s32 {d}, {a}, {b};",
            32,
            |a, b, _| (s(a) % ((b & 255 | 1) as i64)) as u64,
        ),
        // By zero, too, and the least number by -1: what hardware gives.
        case(
            "and.b32 {b}, {b}, {c}; div.u32 {d}, {a}, {b};",
            32,
            |a, b, c| a.checked_div(b & c).unwrap_or(u64::MAX),
        ),
        case(
            "and.b64 {b}, {b}, {c}; rem.u64 {d}, {a}, {b};",
            64,
            |a, b, c| a.checked_rem(b & c).unwrap_or(u64::MAX),
        ),
        case(
            "shr.s32 {b}, {b}, 30; shr.s32 {a}, {a}, 31; shl.b32 {a}, {a}, 31; div.s32 {d}, {a}, {b};",
            32,
            |a, b, _| (s(a) >> 31 << 31).checked_div(s(b) >> 30).unwrap_or(-1) as u64,
        ),
        case(
            "shr.s32 {b}, {b}, 30; rem.s32 {d}, {a}, {b};",
            32,
            |a, b, _| s(a).checked_rem(s(b) >> 30).unwrap_or(-1) as u64,
        ),
        case(
            "shr.s64 {b}, {b}, 62; div.s64 {d}, {a}, {b};",
            64,
            |a, b, _| match (b as i64) >> 62 {
                0 => u64::MAX,
                by => (a as i64).wrapping_div(by) as u64,
            },
        ),
        case("cnot.b32 {d}, {a};", 32, |a, _, _| u64::from(a == 0)),
        case("add.u16x2 {d}, {a}, {b};", 32, |a, b, _| {
            low(a.wrapping_add(b), 16) | low((a >> 16).wrapping_add(b >> 16), 16) << 16
        }),
        case("min.s16x2 {d}, {a}, {b};", 32, |a, b, _| {
            let least = |shift: u64| {
                low(
                    signed(a >> shift, 16).min(signed(b >> shift, 16)) as u64,
                    16,
                )
            };
            least(0) | least(16) << 16
        }),
    ]
}

fn products() -> Vec<Case> {
    vec![
        case("mul.lo.s32 {d}, {a}, {b};", 32, |a, b, _| a.wrapping_mul(b)),
        case("mul.hi.s32 {d}, {a}, {b};", 32, |a, b, _| {
            ((s(a) * s(b)) >> 32) as u64
        }),
        case("mul.hi.u32 {d}, {a}, {b};", 32, |a, b, _| (a * b) >> 32),
        case("mul.hi.u64 {d}, {a}, {b};", 64, |a, b, _| {
            ((u128::from(a) * u128::from(b)) >> 64) as u64
        }),
        case("mul.hi.s64 {d}, {a}, {b};", 64, |a, b, _| {
            ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64
        }),
        case_of("mul.wide.s32 {d}, {a}, {b};", 64, [32; 3], |a, b, _| {
            (s(a) * s(b)) as u64
        }),
        case_of("mul.wide.u16 {d}, {a}, {b};", 32, [16; 3], |a, b, _| a * b),
        case_of(
            "mad.wide.u32 {d}, {a}, {b}, {c};",
            64,
            [32, 32, 64],
            |a, b, c| (a * b).wrapping_add(c),
        ),
        case("mad.lo.s32 {d}, {a}, {b}, {c};", 32, |a, b, c| {
            a.wrapping_mul(b).wrapping_add(c)
        }),
        case("mad.hi.u32 {d}, {a}, {b}, {c};", 32, |a, b, c| {
            ((a * b) >> 32).wrapping_add(c)
        }),
        case("mad.hi.sat.s32 {d}, {a}, {b}, {c};", 32, |a, b, c| {
            (((s(a) * s(b)) >> 32) as i32).saturating_add(c as i32) as u64
        }),
        case("mul24.lo.u32 {d}, {a}, {b};", 32, |a, b, _| {
            low(a, 24) * low(b, 24)
        }),
        case("mul24.hi.s32 {d}, {a}, {b};", 32, |a, b, _| {
            ((signed(a, 24) * signed(b, 24)) >> 16) as u64
        }),
        case("mad24.lo.s32 {d}, {a}, {b}, {c};", 32, |a, b, c| {
            ((signed(a, 24) * signed(b, 24)) as u64).wrapping_add(c)
        }),
        case("dp4a.u32.u32 {d}, {a}, {b}, {c};", 32, |a, b, c| {
            (0..4).fold(c, |sum, at| {
                sum.wrapping_add((a >> (8 * at) & 255) * (b >> (8 * at) & 255))
            })
        }),
        case("dp4a.s32.u32 {d}, {a}, {b}, {c};", 32, |a, b, c| {
            let product = |at: u64| signed(a >> (8 * at), 8) * (b >> (8 * at) & 255) as i64;
            (0..4).fold(c, |sum, at| sum.wrapping_add(product(at) as u64))
        }),
        case("dp2a.lo.s32.s32 {d}, {a}, {b}, {c};", 32, |a, b, c| {
            let product = |at: u64| signed(a >> (16 * at), 16) * signed(b >> (8 * at), 8);
            (0..2).fold(c, |sum, at| sum.wrapping_add(product(at) as u64))
        }),
        case("dp2a.hi.u32.u32 {d}, {a}, {b}, {c};", 32, |a, b, c| {
            let product = |at: u64| (a >> (16 * at) & 0xffff) * (b >> (8 * at + 16) & 255);
            (0..2).fold(c, |sum, at| sum.wrapping_add(product(at)))
        }),
    ]
}

fn carries() -> Vec<Case> {
    vec![
        case(
            "add.cc.u32 %t1, {a}, {b}; addc.u32 {d}, {c}, {c};",
            32,
            |a, b, c| 2 * c + ((a + b) >> 32),
        ),
        case(
            "add.cc.u64 %q1, {a}, {b}; addc.cc.u64 %q1, {a}, {b}; addc.u64 {d}, {c}, 0;",
            64,
            |a, b, c| {
                let (_, first) = a.overflowing_add(b);
                let sum = u128::from(a) + u128::from(b) + u128::from(first);
                c.wrapping_add((sum >> 64) as u64)
            },
        ),
        case(
            "sub.cc.u32 %t1, {a}, {b}; subc.u32 {d}, {c}, 5;",
            32,
            |a, b, c| c.wrapping_sub(5).wrapping_sub(u64::from(a < b)),
        ),
        case(
            "mad.lo.cc.u32 %t1, {a}, {b}, {c}; madc.hi.u32 {d}, {a}, {b}, {c};",
            32,
            |a, b, c| {
                let carry = (low(a.wrapping_mul(b), 32) + c) >> 32;
                ((a * b) >> 32).wrapping_add(c).wrapping_add(carry)
            },
        ),
    ]
}

fn comparisons() -> Vec<Case> {
    vec![
        case_of("setp.lt.s32 {d}, {a}, {b};", 1, [32; 3], |a, b, _| {
            u64::from(s(a) < s(b))
        }),
        case_of("setp.hi.u64 {d}, {a}, {b};", 1, [64; 3], |a, b, _| {
            u64::from(a > b)
        }),
        case_of("setp.ls.u16 {d}, {a}, {b};", 1, [16; 3], |a, b, _| {
            u64::from(a <= b)
        }),
        case_of(
            "setp.ge.and.u32 {d}, {a}, {b}, {c};",
            1,
            [32, 32, 1],
            |a, b, c| u64::from(a >= b && c != 0),
        ),
        case_of(
            "setp.eq.xor.u32 {d}|%p1, {a}, {b}, !{c};",
            1,
            [32, 32, 1],
            |a, b, c| u64::from((a == b) ^ (c == 0)),
        ),
        case("set.ne.u32.u32 {d}, {a}, {b};", 32, |a, b, _| {
            if a == b { 0 } else { u64::MAX }
        }),
        case_of(
            "selp.b32 {d}, {a}, {b}, {c};",
            32,
            [32, 32, 1],
            |a, b, c| if c != 0 { a } else { b },
        ),
        case("slct.u32.s32 {d}, {a}, {b}, {c};", 32, |a, b, c| {
            if s(c) >= 0 { a } else { b }
        }),
        case(
            "setp.gt.u32 %p1, {a}, {b}; mov.u32 {d}, 1; @%p1 mov.u32 {d}, 2; @!%p1 add.u32 {d}, {d}, 7;",
            32,
            |a, b, _| if a > b { 2 } else { 8 },
        ),
    ]
}

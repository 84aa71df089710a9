//! PTX ISA, "Video Instructions".

use crate::{Case, case, low, signed};

/// The number of so many bits at a place.
fn part(value: u64, place: u32, bits: u32, is_signed: bool) -> i128 {
    let field = low(value >> place, bits);
    match is_signed {
        true => signed(field, bits).into(),
        false => field.into(),
    }
}

fn clamped(value: i128, bits: u32, is_signed: bool) -> i128 {
    match is_signed {
        true => value.clamp(-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => value.clamp(0, (1 << bits) - 1),
    }
}

/// A word with a number at a place.
fn merged(value: i128, whole: u64, place: u32, bits: u32) -> u64 {
    let mask = ((1u64 << bits) - 1) << place;
    (value as u64) << place & mask | whole & !mask
}

/// Parts of two words, by the digits of a selector, the last one first.
fn parts(a: u64, b: u64, selector: &[u32], bits: u32, is_signed: bool) -> Vec<i128> {
    let both = low(b, 32) << 32 | low(a, 32);
    let number = |digit: &u32| part(both, digit * bits, bits, is_signed);
    selector.iter().rev().map(number).collect()
}

/// The cases.
pub fn cases() -> Vec<Case> {
    let mut all = scalars();
    all.extend(products());
    all.extend(vectors());
    all
}

fn scalars() -> Vec<Case> {
    vec![
        case(
            "vadd.s32.u32.s32.sat {d}, {a}.b1, {b}.h1;",
            32,
            |a, b, _| {
                let sum = part(a, 8, 8, false) + part(b, 16, 16, true);
                clamped(sum, 32, true) as u64
            },
        ),
        case("vadd.u32.u32.u32.sat {d}, {a}, {b};", 32, |a, b, _| {
            clamped(i128::from(a) + i128::from(b), 32, false) as u64
        }),
        case(
            "vsub.s32.u32.s32.min {d}, {a}.b0, {b}, {c};",
            32,
            |a, b, c| {
                let difference = part(a, 0, 8, false) - part(b, 0, 32, true);
                difference.min(signed(c, 32).into()) as u64
            },
        ),
        case(
            "vsub.u32.u32.u32.sat.max {d}, {a}, {b}, {c};",
            32,
            |a, b, c| {
                let difference = clamped(i128::from(a) - i128::from(b), 32, false);
                difference.max(c.into()) as u64
            },
        ),
        case(
            "vabsdiff.u32.s32.s32.sat {d}.b2, {a}.h0, {b}.h1, {c};",
            32,
            |a, b, c| {
                let distance = (part(a, 0, 16, true) - part(b, 16, 16, true)).abs();
                merged(clamped(distance, 8, false), c, 16, 8)
            },
        ),
        case("vmin.s32.s32.u32 {d}, {a}, {b};", 32, |a, b, _| {
            part(a, 0, 32, true).min(b.into()) as u64
        }),
        case(
            "vmax.s32.s32.s32 {d}.h1, {a}, {b}.b3, {c};",
            32,
            |a, b, c| {
                let most = part(a, 0, 32, true).max(part(b, 24, 8, true));
                merged(most, c, 16, 16)
            },
        ),
        case(
            "vshl.u32.u32.u32.clamp.add {d}, {a}.h0, {b}, {c};",
            32,
            |a, b, c| {
                let moved = part(a, 0, 16, false) << b.min(32);
                (moved + i128::from(c)) as u64
            },
        ),
        case(
            "vshr.s32.s32.u32.sat.wrap {d}, {a}, {b}.b1;",
            32,
            |a, b, _| (part(a, 0, 32, true) >> (part(b, 8, 8, false) & 31)) as u64,
        ),
        case("vset.s32.u32.lt.add {d}, {a}, {b}, {c};", 32, |a, b, c| {
            u64::from(part(a, 0, 32, true) < b.into()) + c
        }),
        case(
            "vset.u32.s32.ge {d}.b0, {a}.b2, {b}.b1, {c};",
            32,
            |a, b, c| {
                let holds = part(a, 16, 8, false) >= part(b, 8, 8, true);
                merged(holds.into(), c, 0, 8)
            },
        ),
    ]
}

fn products() -> Vec<Case> {
    vec![
        case("vmad.u32.u32.u32 {d}, {a}, {b}, {c};", 32, |a, b, c| {
            a.wrapping_mul(b).wrapping_add(c)
        }),
        case(
            "vmad.s32.s32.u32.sat.shr7 {d}, {a}, {b}.h1, {c};",
            32,
            |a, b, c| {
                let product = part(a, 0, 32, true) * part(b, 16, 16, false);
                clamped((product + i128::from(signed(c, 32))) >> 7, 32, true) as u64
            },
        ),
        case(
            "vmad.s32.u32.u32.shr15 {d}, -{a}.h0, {b}, {c};",
            32,
            |a, b, c| {
                let product = -(part(a, 0, 16, false) * i128::from(b));
                ((product + i128::from(signed(c, 32))) >> 15) as u64
            },
        ),
        case(
            "vmad.s32.u32.u32.sat {d}, {a}, {b}, -{c};",
            32,
            |a, b, c| {
                // The complement is taken in 32 bits, and then extended.
                let complement = i128::from(signed(low(!c, 32), 32));
                clamped(i128::from(a) * i128::from(b) + complement + 1, 32, true) as u64
            },
        ),
        case(
            "vmad.u32.u32.u32.po.sat {d}, {a}.b3, {b}.b0, {c};",
            32,
            |a, b, c| {
                let product = part(a, 24, 8, false) * part(b, 0, 8, false);
                clamped(product + i128::from(c) + 1, 32, false) as u64
            },
        ),
    ]
}

fn vectors() -> Vec<Case> {
    vec![
        case(
            "vadd2.s32.u32.s32.sat {d}.h0, {a}.h31, {b}.h02, {c};",
            32,
            |a, b, c| {
                let left = parts(a, b, &[3, 1], 16, false);
                let right = parts(a, b, &[0, 2], 16, true);
                merged(clamped(left[0] + right[0], 16, true), c, 0, 16)
            },
        ),
        case(
            "vabsdiff2.u32.s32.s32.add {d}.h1, {a}, {b}, {c};",
            32,
            |a, b, c| {
                let left = parts(a, b, &[1, 0], 16, true);
                let right = parts(a, b, &[3, 2], 16, true);
                (left[1] - right[1]).unsigned_abs() as u64 + c
            },
        ),
        case(
            "vset4.s32.u32.ge {d}.b310, {a}.b7210, {b}.b0011, {c};",
            32,
            |a, b, c| {
                let left = parts(a, b, &[7, 2, 1, 0], 8, true);
                let right = parts(a, b, &[0, 0, 1, 1], 8, false);
                [0, 1, 3].into_iter().fold(c, |word, index| {
                    let holds = left[index as usize] >= right[index as usize];
                    merged(holds.into(), word, 8 * index, 8)
                })
            },
        ),
        case(
            "vadd4.u32.u32.u32.add {d}.b31, {a}, {b}.b4567, {c};",
            32,
            |a, b, c| {
                let left = parts(a, b, &[3, 2, 1, 0], 8, false);
                let right = parts(a, b, &[4, 5, 6, 7], 8, false);
                (left[3] + right[3] + left[1] + right[1]) as u64 + c
            },
        ),
        case("vavrg4.s32.s32.s32 {d}, {a}, {b}, {c};", 32, |a, b, _| {
            let left = parts(a, b, &[3, 2, 1, 0], 8, true);
            let right = parts(a, b, &[7, 6, 5, 4], 8, true);
            (0..4).fold(0, |word, index| {
                let sum = left[index as usize] + right[index as usize];
                let half = (sum + i128::from(sum >= 0)) >> 1;
                merged(half, word, 8 * index, 8)
            })
        }),
    ]
}

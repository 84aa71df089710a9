//! PTX ISA, "Logic and Shift Instructions", and those integer instructions that count and move bits.

use crate::{Case, case, case_of, low, signed};

/// The cases.
pub fn cases() -> Vec<Case> {
    let mut all = logic();
    all.extend(fields());
    all
}

/// A shift by as many bits as there are leaves none, or the sign.
fn shifted_right(value: i64, by: u64) -> u64 {
    (value >> by.min(63)) as u64
}

fn logic() -> Vec<Case> {
    vec![
        case("and.b32 {d}, {a}, {b};", 32, |a, b, _| a & b),
        case("or.b64 {d}, {a}, {b};", 64, |a, b, _| a | b),
        case("xor.b16 {d}, {a}, {b};", 16, |a, b, _| a ^ b),
        case("not.b32 {d}, {a};", 32, |a, _, _| !a),
        case_of("and.pred {d}, {a}, {b};", 1, [1; 3], |a, b, _| a & b),
        case_of("not.pred {d}, {a};", 1, [1; 3], |a, _, _| 1 - a),
        case("shl.b32 {d}, {a}, {b};", 32, |a, b, _| {
            if b < 32 { a << b } else { 0 }
        }),
        case_of("shl.b64 {d}, {a}, {b};", 64, [64, 32, 32], |a, b, _| {
            if b < 64 { a << b } else { 0 }
        }),
        case_of("shl.b16 {d}, {a}, {b};", 16, [16, 32, 32], |a, b, _| {
            if b < 16 { a << b } else { 0 }
        }),
        case("shr.u32 {d}, {a}, {b};", 32, |a, b, _| {
            if b < 32 { a >> b } else { 0 }
        }),
        case("shr.s32 {d}, {a}, {b};", 32, |a, b, _| {
            shifted_right(signed(a, 32), b)
        }),
        case_of("shr.s64 {d}, {a}, {b};", 64, [64, 32, 32], |a, b, _| {
            shifted_right(a as i64, b)
        }),
        case_of("shr.s16 {d}, {a}, {b};", 16, [16, 32, 32], |a, b, _| {
            shifted_right(signed(a, 16), b)
        }),
        case("shf.l.wrap.b32 {d}, {a}, {b}, {c};", 32, |a, b, c| {
            ((b << 32 | a) << (c & 31)) >> 32
        }),
        case("shf.r.wrap.b32 {d}, {a}, {b}, {c};", 32, |a, b, c| {
            (b << 32 | a) >> (c & 31)
        }),
        case("shf.l.clamp.b32 {d}, {a}, {b}, {c};", 32, |a, b, c| {
            ((b << 32 | a) << c.min(32)) >> 32
        }),
        case("shf.r.clamp.b32 {d}, {a}, {b}, {c};", 32, |a, b, c| {
            (b << 32 | a) >> c.min(32)
        }),
        case("lop3.b32 {d}, {a}, {b}, {c}, 0xe8;", 32, |a, b, c| {
            a & b | a & c | b & c
        }),
        case("lop3.b32 {d}, {a}, {b}, {c}, 0x1e;", 32, |a, b, c| {
            a ^ (b | c)
        }),
        case(
            "setp.lt.s32 %p0, {b}, 0; lop3.or.b32 {d}|%p1, {a}, {b}, {c}, 0x80, %p0; @%p1 xor.b32 {d}, {d}, 5;",
            32,
            |a, b, c| {
                let all = a & b & c;
                let holds = all != 0 || b >> 31 == 1;
                if holds { all ^ 5 } else { all }
            },
        ),
        case_of(
            "setp.lt.s32 %p0, {b}, 0; lop3.and.b32 _|{d}, {a}, {b}, {c}, 0x3c, !%p0;",
            1,
            [32; 3],
            |a, b, _| (a ^ b != 0 && b >> 31 == 0).into(),
        ),
        case(
            "setp.lt.s32 %p0, {c}, 0; set.gt.and.u32.s32 {d}, {a}, {b}, !%p0;",
            32,
            |a, b, c| {
                let holds = a as i32 > b as i32 && c >> 31 == 0;
                if holds { u64::MAX } else { 0 }
            },
        ),
        case_of("popc.b64 {d}, {a};", 32, [64; 3], |a, _, _| {
            a.count_ones().into()
        }),
        case("popc.b32 {d}, {a};", 32, |a, _, _| a.count_ones().into()),
        case("clz.b32 {d}, {a};", 32, |a, _, _| {
            (a as u32).leading_zeros().into()
        }),
        case_of("clz.b64 {d}, {a};", 32, [64; 3], |a, _, _| {
            a.leading_zeros().into()
        }),
        case("brev.b32 {d}, {a};", 32, |a, _, _| {
            (a as u32).reverse_bits().into()
        }),
        case("brev.b64 {d}, {a};", 64, |a, _, _| a.reverse_bits()),
    ]
}

/// The place of the highest bit, or all ones.
fn highest(value: u64) -> u64 {
    value.checked_ilog2().map_or(u64::MAX, u64::from)
}

fn fields() -> Vec<Case> {
    vec![
        case("bfind.u32 {d}, {a};", 32, |a, _, _| highest(a)),
        case_of("bfind.u64 {d}, {a};", 32, [64; 3], |a, _, _| highest(a)),
        case("bfind.s32 {d}, {a};", 32, |a, _, _| {
            let value = signed(a, 32);
            highest(low((value ^ (value >> 63)) as u64, 32))
        }),
        case("bfind.shiftamt.u32 {d}, {a};", 32, |a, _, _| match a {
            0 => u64::MAX,
            a => 31 - highest(a),
        }),
        case_of(
            "bfe.u32 {d}, {a}, {b}, {c};",
            32,
            [32, 32, 32],
            |a, b, c| extracted(a, b & 255, c & 255, 32),
        ),
        case_of(
            "bfe.u64 {d}, {a}, {b}, {c};",
            64,
            [64, 32, 32],
            |a, b, c| extracted(a, b & 255, c & 255, 64),
        ),
        case("bfe.s32 {d}, {a}, {b}, {c};", 32, |a, b, c| {
            extracted_signed(a, b & 255, c & 255)
        }),
        case("bfi.b32 {d}, {a}, {b}, 5, 9;", 32, |a, b, _| {
            b & !(0x1ff << 5) | (a & 0x1ff) << 5
        }),
        case_of(
            "bfi.b64 {d}, {a}, {b}, {c}, 60;",
            64,
            [64, 64, 32],
            |a, b, c| {
                let begin = c & 255;
                let mask = match begin {
                    0..64 => low(u64::MAX, 60) << begin,
                    _ => 0,
                };
                b & !mask | a.checked_shl(begin as u32).unwrap_or(0) & mask
            },
        ),
        case("prmt.b32 {d}, {a}, {b}, {c};", 32, permuted),
        case("prmt.b32.f4e {d}, {a}, {b}, {c};", 32, |a, b, c| {
            (b << 32 | a) >> (8 * (c & 3))
        }),
        case("prmt.b32.rc8 {d}, {a}, {b}, {c};", 32, |a, _, c| {
            (a >> (8 * (c & 3)) & 255) * 0x0101_0101
        }),
        case("szext.wrap.s32 {d}, {a}, {b};", 32, |a, b, _| {
            match b & 31 {
                0 => 0,
                bits => signed(a, bits as u32) as u64,
            }
        }),
        case("szext.clamp.u32 {d}, {a}, {b};", 32, |a, b, _| {
            low(a, b.min(32) as u32)
        }),
        case("bmsk.clamp.b32 {d}, {a}, {b};", 32, |a, b, _| {
            low(u64::MAX, b.min(32) as u32) << a.min(32)
        }),
        case("bmsk.wrap.b32 {d}, {a}, {b};", 32, |a, b, _| {
            low(u64::MAX, (b & 31) as u32) << (a & 31)
        }),
        case(
            "mov.b64 %q1, {{a}, {b}}; mov.b64 {_, {d}}, %q1;",
            32,
            |_, b, _| b,
        ),
    ]
}

fn extracted(value: u64, begin: u64, length: u64, bits: u64) -> u64 {
    let moved = if begin < bits { value >> begin } else { 0 };
    low(moved, length.min(64) as u32)
}

/// Beyond the last bit there are copies of the sign: of the field's own, or of the value's.
fn extracted_signed(value: u64, begin: u64, length: u64) -> u64 {
    let moved = signed(value, 32) >> begin.min(63);
    match length {
        0 => 0,
        1..64 => signed(moved as u64, length as u32) as u64,
        _ => moved as u64,
    }
}

fn permuted(a: u64, b: u64, selectors: u64) -> u64 {
    let bytes = b << 32 | a;
    (0..4).fold(0, |whole, at| {
        let selector = selectors >> (4 * at) & 15;
        let byte = bytes >> (8 * (selector & 7)) & 255;
        let byte = match selector & 8 {
            0 => byte,
            _ => (byte >> 7) * 255,
        };
        whole | byte << (8 * at)
    })
}

//! Integers: absolute values, minima, averages, bits, wide products.

use crate::export;

/// A number's low 24 bits, as signed.
fn low24(x: i32) -> i32 {
    x << 8 >> 8
}

/// PTX `prmt`: each nibble of the selector picks a byte of `y:x`; its top bit spreads the byte's sign.
fn permute(x: u32, y: u32, selector: u32) -> u32 {
    let bytes = (u64::from(y) << 32) | u64::from(x);
    let mut result = 0;
    let mut i = 0;
    while i < 4 {
        let pick = selector >> (4 * i) & 0xf;
        let byte = (bytes >> (8 * (pick & 7))) as u8;
        let byte = if pick & 8 != 0 { ((byte as i8) >> 7) as u8 } else { byte };
        result |= u32::from(byte) << (8 * i);
        i += 1;
    }
    result
}

export! {
    __nv_abs(x: i32) -> i32 { x.wrapping_abs() }
    __nv_llabs(x: i64) -> i64 { x.wrapping_abs() }
    __nv_max(x: i32, y: i32) -> i32 { x.max(y) }
    __nv_min(x: i32, y: i32) -> i32 { x.min(y) }
    __nv_umax(x: u32, y: u32) -> u32 { x.max(y) }
    __nv_umin(x: u32, y: u32) -> u32 { x.min(y) }
    __nv_llmax(x: i64, y: i64) -> i64 { x.max(y) }
    __nv_llmin(x: i64, y: i64) -> i64 { x.min(y) }
    __nv_ullmax(x: u64, y: u64) -> u64 { x.max(y) }
    __nv_ullmin(x: u64, y: u64) -> u64 { x.min(y) }
    __nv_brev(x: i32) -> i32 { x.reverse_bits() }
    __nv_brevll(x: i64) -> i64 { x.reverse_bits() }
    __nv_clz(x: i32) -> i32 { x.leading_zeros() as i32 }
    __nv_clzll(x: i64) -> i32 { x.leading_zeros() as i32 }
    __nv_ffs(x: i32) -> i32 { if x == 0 { 0 } else { x.trailing_zeros() as i32 + 1 } }
    __nv_ffsll(x: i64) -> i32 { if x == 0 { 0 } else { x.trailing_zeros() as i32 + 1 } }
    __nv_popc(x: u32) -> i32 { x.count_ones() as i32 }
    __nv_popcll(x: u64) -> i32 { x.count_ones() as i32 }
    __nv_byte_perm(x: u32, y: u32, s: u32) -> u32 { permute(x, y, s) }
    __nv_hadd(x: i32, y: i32) -> i32 { ((i64::from(x) + i64::from(y)) >> 1) as i32 }
    __nv_rhadd(x: i32, y: i32) -> i32 { ((i64::from(x) + i64::from(y) + 1) >> 1) as i32 }
    __nv_uhadd(x: u32, y: u32) -> u32 { ((u64::from(x) + u64::from(y)) >> 1) as u32 }
    __nv_urhadd(x: u32, y: u32) -> u32 { ((u64::from(x) + u64::from(y) + 1) >> 1) as u32 }
    __nv_mul24(x: i32, y: i32) -> i32 { low24(x).wrapping_mul(low24(y)) }
    __nv_umul24(x: u32, y: u32) -> u32 { (x & 0xff_ffff).wrapping_mul(y & 0xff_ffff) }
    __nv_mulhi(x: i32, y: i32) -> i32 { ((i64::from(x) * i64::from(y)) >> 32) as i32 }
    __nv_umulhi(x: u32, y: u32) -> u32 { ((u64::from(x) * u64::from(y)) >> 32) as u32 }
    __nv_mul64hi(x: i64, y: i64) -> i64 { ((i128::from(x) * i128::from(y)) >> 64) as i64 }
    __nv_umul64hi(x: u64, y: u64) -> u64 { ((u128::from(x) * u128::from(y)) >> 64) as u64 }
    __nv_sad(x: i32, y: i32, z: u32) -> u32 { x.abs_diff(y).wrapping_add(z) }
    __nv_usad(x: u32, y: u32, z: u32) -> u32 { x.abs_diff(y).wrapping_add(z) }
}

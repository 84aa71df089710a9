//! Integers from text, magnitudes, random numbers: the rest of `stdlib.h`, and of `math.h` what reads text.

use core::ffi::{c_char, c_int, c_long, c_longlong, c_uint};
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::c_functions;

unsafe fn byte(text: *const c_char, at: usize) -> u8 {
    // SAFETY: the caller's promise.
    unsafe { *text.add(at) as u8 }
}

/// Where the number begins: behind white space and a sign, of which the second says whether it is a minus.
unsafe fn sign(text: *const c_char) -> (usize, bool) {
    let mut at = 0;
    // SAFETY: the caller's string; nothing behind its end is looked at.
    unsafe {
        while matches!(byte(text, at), b' ' | 9..=13) {
            at += 1;
        }
        match byte(text, at) {
            b'-' => (at + 1, true),
            b'+' => (at + 1, false),
            _ => (at, false),
        }
    }
}

fn digit(byte: u8, base: u64) -> Option<u64> {
    let value = match byte {
        b'0'..=b'9' => byte - b'0',
        b'a'..=b'z' => byte - b'a' + 10,
        b'A'..=b'Z' => byte - b'A' + 10,
        _ => return None,
    };
    Some(value.into()).filter(|&value| value < base)
}

/// An integer's magnitude, whether it is negative, whether the magnitude is too large for 64 bits. `end` is where it
/// ends, or the begin where there is none.
unsafe fn integer(text: *const c_char, end: *mut *mut c_char, base: c_int) -> (u64, bool, bool) {
    // SAFETY: the caller's string; nothing behind its end is looked at.
    unsafe {
        let (mut at, negative) = sign(text);
        let is_hexadecimal = byte(text, at) == b'0'
            && byte(text, at + 1) | 0x20 == b'x'
            && digit(byte(text, at + 2), 16).is_some();
        let base = match base {
            0 if is_hexadecimal => 16,
            0 if byte(text, at) == b'0' => 8,
            0 => 10,
            _ => base as u64,
        };
        if base == 16 && is_hexadecimal {
            at += 2;
        }
        let (begin, mut value, mut over) = (at, 0u64, false);
        while let Some(digit) = digit(byte(text, at), base) {
            match value.checked_mul(base).and_then(|v| v.checked_add(digit)) {
                Some(larger) => value = larger,
                None => over = true,
            }
            at += 1;
        }
        if !end.is_null() {
            *end = if at == begin { text } else { text.add(at) }.cast_mut();
        }
        (value, negative, over)
    }
}

unsafe fn signed(text: *const c_char, end: *mut *mut c_char, base: c_int) -> i64 {
    // SAFETY: the caller's promise.
    match unsafe { integer(text, end, base) } {
        (value, true, over) if over || value > 1 << 63 => i64::MIN,
        (value, true, _) => (value as i64).wrapping_neg(),
        (value, false, over) if over || value > i64::MAX as u64 => i64::MAX,
        (value, false, _) => value as i64,
    }
}

unsafe fn unsigned(text: *const c_char, end: *mut *mut c_char, base: c_int) -> u64 {
    // SAFETY: the caller's promise.
    match unsafe { integer(text, end, base) } {
        (_, _, true) => u64::MAX,
        (value, true, _) => value.wrapping_neg(),
        (value, false, _) => value,
    }
}

macro_rules! conversions {
    ($($name:ident $newer:ident $type:ty = $convert:ident;)*) => {
        c_functions! {
            $(#[doc = concat!("`", stringify!($name), "` (ISO C17, §7.22.1.4).")]
            fn $name(text: *const c_char, end: *mut *mut c_char, base: c_int) -> $type {
                $convert(text, end, base) as $type
            }
            /// The same by the name newer glibcs give it (ISO C17, §7.22.1.4).
            fn $newer(text: *const c_char, end: *mut *mut c_char, base: c_int) -> $type {
                $convert(text, end, base) as $type
            })*
        }
    };
}

conversions! {
    strtol __isoc23_strtol c_long = signed;
    strtoll __isoc23_strtoll c_longlong = signed;
    strtoul __isoc23_strtoul u64 = unsigned;
    strtoull __isoc23_strtoull u64 = unsigned;
}

/// The numbers of `rand`, from one seed for all threads of the device.
static SEED: AtomicU32 = AtomicU32::new(1);

/// A linear congruential generator's next state (Knuth, TAOCP 2, §3.3.4: multiplier 1664525, increment 1013904223).
fn next(state: u32) -> u32 {
    state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
}

/// 31 bits of a state; the upper ones are the better ones, so two states give a number.
fn random(state: u32) -> (u32, c_int) {
    let (first, second) = (next(state), next(next(state)));
    (
        second,
        ((first & 0xffff_0000) | second >> 16) as c_int & c_int::MAX,
    )
}

/// The payload of a NaN that a text asks for, in decimal, octal or hexadecimal digits; 0 if it is anything else.
unsafe fn payload(text: *const c_char) -> u64 {
    let mut end = core::ptr::null_mut();
    // SAFETY: the caller's string, whose end `end` is not behind.
    unsafe {
        let payload = unsigned(text, &raw mut end, 0);
        let is_number = byte(text, 0).is_ascii_digit() && byte(end, 0) == 0;
        if is_number { payload } else { 0 }
    }
}

c_functions! {
    /// `nan` (ISO C17, §7.12.11.2): a quiet NaN with the payload that glibc gives it.
    fn nan(text: *const c_char) -> f64 {
        f64::from_bits(0x7ff8 << 48 | payload(text) & ((1 << 51) - 1))
    }
    /// `nanf` (ISO C17, §7.12.11.2).
    fn nanf(text: *const c_char) -> f32 {
        f32::from_bits(0x7fc0 << 16 | payload(text) as u32 & ((1 << 22) - 1))
    }

    /// `atoi` (ISO C17, §7.22.1.2).
    fn atoi(text: *const c_char) -> c_int { signed(text, core::ptr::null_mut(), 10) as c_int }
    /// `atol` (ISO C17, §7.22.1.2).
    fn atol(text: *const c_char) -> c_long { signed(text, core::ptr::null_mut(), 10) as c_long }
    /// `atoll` (ISO C17, §7.22.1.2).
    fn atoll(text: *const c_char) -> c_longlong { signed(text, core::ptr::null_mut(), 10) as c_longlong }

    /// `abs` (ISO C17, §7.22.6.1).
    fn abs(value: c_int) -> c_int { value.wrapping_abs() }
    /// `labs` (ISO C17, §7.22.6.1).
    fn labs(value: c_long) -> c_long { value.wrapping_abs() }
    /// `llabs` (ISO C17, §7.22.6.1).
    fn llabs(value: c_longlong) -> c_longlong { value.wrapping_abs() }
    /// `imaxabs` (ISO C17, §7.8.2.1).
    fn imaxabs(value: i64) -> i64 { value.wrapping_abs() }
    /// `ffs` (POSIX): the lowest set bit, from 1; 0 for none.
    fn ffs(value: c_int) -> c_int { ffsl(value.into()) }
    /// `ffsl` (GNU).
    fn ffsl(value: c_long) -> c_int { if value == 0 { 0 } else { value.trailing_zeros() as c_int + 1 } }
    /// `ffsll` (GNU).
    fn ffsll(value: c_longlong) -> c_int { ffsl(value as c_long) }

    /// `srand` (ISO C17, §7.22.2.2).
    fn srand(seed: c_uint) { SEED.store(seed, Relaxed) }
    /// `rand` (ISO C17, §7.22.2.1): 31 bits.
    fn rand() -> c_int {
        let before = SEED.fetch_add(0x9e37_79b9, Relaxed);
        random(before).1
    }
    /// `rand_r` (POSIX): 31 bits.
    fn rand_r(seed: *mut c_uint) -> c_int {
        let (state, number) = random(*seed);
        *seed = state;
        number
    }
}

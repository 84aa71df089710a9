//! Floating-point numbers from text: C 2017, §7.22.1.3.

use core::ffi::c_char;
use core::str::FromStr;

/// What distinguishes `float` and `double`.
pub trait Float: FromStr {
    /// Bits of the fraction.
    const FRACTION: u32;
    /// The smallest exponent of a number with a leading one.
    const LEAST: i64;
    /// Infinity and not a number.
    const SPECIAL: [Self; 2];
    /// From the bits of a magnitude.
    fn from_magnitude(bits: u64) -> Self;
    /// With this sign.
    fn with_sign(self, negative: bool) -> Self;
}

macro_rules! float {
    ($type:ty, $bits:ty, $fraction:literal, $least:literal) => {
        impl Float for $type {
            const FRACTION: u32 = $fraction;
            const LEAST: i64 = $least;
            const SPECIAL: [Self; 2] = [<$type>::INFINITY, <$type>::NAN];
            fn from_magnitude(bits: u64) -> Self {
                <$type>::from_bits(bits as $bits)
            }
            fn with_sign(self, negative: bool) -> Self {
                if negative { -self } else { self }
            }
        }
    };
}
float!(f32, u32, 23, -126);
float!(f64, u64, 52, -1022);

/// A number and how many bytes of the text it takes; none: 0 of 0 bytes.
///
/// # Safety
/// `text` is a C string.
pub unsafe fn number<F: Float>(text: *const c_char) -> (F, usize) {
    // SAFETY: the caller's promise.
    let bytes = unsafe { core::ffi::CStr::from_ptr(text) }.to_bytes();
    let spaces = bytes
        .iter()
        .take_while(|byte| matches!(byte, b' ' | 9..=13))
        .count();
    let signed = &bytes[spaces..];
    let negative = signed.first() == Some(&b'-');
    let sign = usize::from(negative || signed.first() == Some(&b'+'));
    let unsigned = &signed[sign..];
    let found = special::<F>(unsigned)
        .or_else(|| hexadecimal(unsigned))
        .or_else(|| decimal(unsigned));
    match found {
        Some((value, length)) => (value.with_sign(negative), spaces + sign + length),
        None => (F::from_magnitude(0), 0),
    }
}

fn starts_with(text: &[u8], word: &[u8]) -> bool {
    text.len() >= word.len() && text[..word.len()].eq_ignore_ascii_case(word)
}

fn special<F: Float>(text: &[u8]) -> Option<(F, usize)> {
    let [infinity, nan] = F::SPECIAL;
    if starts_with(text, b"infinity") {
        Some((infinity, 8))
    } else if starts_with(text, b"inf") {
        Some((infinity, 3))
    } else if starts_with(text, b"nan") {
        let rest = &text[3..];
        let inner = rest
            .iter()
            .skip(1)
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
            .count();
        let closed = rest.first() == Some(&b'(') && rest.get(1 + inner) == Some(&b')');
        Some((nan, if closed { 5 + inner } else { 3 }))
    } else {
        None
    }
}

/// Bytes of digits, of a point among them, and of an exponent behind them; `None` without digits.
fn extent(text: &[u8], is_digit: impl Fn(u8) -> bool, exponent: u8) -> Option<(usize, usize)> {
    let digits_from = |from: usize| {
        text[from..]
            .iter()
            .take_while(|byte| is_digit(**byte))
            .count()
    };
    let mut digits = digits_from(0);
    let mut end = digits;
    if text.get(end) == Some(&b'.') {
        let fraction = digits_from(end + 1);
        digits += fraction;
        end += 1 + fraction;
    }
    if digits == 0 {
        return None;
    }
    let mantissa = end;
    if text
        .get(end)
        .is_some_and(|byte| byte.eq_ignore_ascii_case(&exponent))
    {
        let sign = usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        let digits = text[end + 1 + sign..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        if digits > 0 {
            end += 1 + sign + digits;
        }
    }
    Some((mantissa, end))
}

fn decimal<F: Float>(text: &[u8]) -> Option<(F, usize)> {
    let (_, end) = extent(text, |byte| byte.is_ascii_digit(), b'e')?;
    let number = core::str::from_utf8(&text[..end]).ok()?.parse().ok()?;
    Some((number, end))
}

fn hexadecimal<F: Float>(text: &[u8]) -> Option<(F, usize)> {
    if !starts_with(text, b"0x") {
        return None;
    }
    let text = &text[2..];
    let (digits, end) = extent(text, |byte| byte.is_ascii_hexdigit(), b'p')?;
    let (mut mantissa, mut exponent, mut lost, mut fraction) = (0u64, 0i64, false, false);
    for &byte in &text[..digits] {
        let Some(digit) = char::from(byte).to_digit(16) else {
            fraction = true;
            continue;
        };
        if mantissa >> 60 == 0 {
            mantissa = mantissa << 4 | u64::from(digit);
            exponent -= if fraction { 4 } else { 0 };
        } else {
            lost |= digit != 0;
            exponent += if fraction { 0 } else { 4 };
        }
    }
    if end > digits {
        exponent = exponent.saturating_add(integer(&text[digits + 1..end]));
    }
    let bits = round::<F>(mantissa, exponent, lost);
    Some((F::from_magnitude(bits), 2 + end))
}

/// An integer with a sign, as far as it matters for an exponent.
fn integer(text: &[u8]) -> i64 {
    let magnitude = text
        .iter()
        .filter(|byte| byte.is_ascii_digit())
        .fold(0i64, |value, byte| {
            (value * 10 + i64::from(byte - b'0')).min(1 << 40)
        });
    if text.first() == Some(&b'-') {
        -magnitude
    } else {
        magnitude
    }
}

/// The bits of `mantissa` times two to the `exponent`, rounded to nearest, ties to even. `lost`: the exact value is
/// somewhat larger.
fn round<F: Float>(mantissa: u64, exponent: i64, lost: bool) -> u64 {
    if mantissa == 0 {
        return 0;
    }
    // The leading one is bit 63.
    let shift = mantissa.leading_zeros();
    let mantissa = mantissa << shift;
    let top = exponent - i64::from(shift) + 63;
    let largest = -F::LEAST + 1;
    let infinity = ((2 * largest + 1) as u64) << F::FRACTION;
    if top > largest {
        return infinity;
    }
    let below = (F::LEAST - top).clamp(0, 64) as u32;
    let dropped = 63 - F::FRACTION + below;
    let (kept, rest) = match dropped {
        0..64 => (mantissa >> dropped, mantissa << (64 - dropped)),
        64 => (0, mantissa),
        _ => (0, mantissa >> 1),
    };
    let half = 1 << 63;
    let up = rest > half || (rest == half && (lost || kept & 1 == 1));
    // A carry goes into the exponent, which is what it means.
    let biased = if below > 0 {
        0
    } else {
        (top - F::LEAST) as u64
    };
    (biased << F::FRACTION) + kept + u64::from(up)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CString;

    /// Value and length as the C library has them.
    fn like_c(text: &str) {
        let text = CString::new(text).unwrap();
        let mut end = std::ptr::null_mut();
        // SAFETY: a C string.
        unsafe {
            let expected = libc::strtod(text.as_ptr(), &raw mut end);
            let length = end.offset_from_unsigned(text.as_ptr());
            let (found, found_length) = number::<f64>(text.as_ptr());
            assert_eq!(found_length, length, "{text:?}");
            assert_eq!(
                found.to_bits() & !nan_bits(found),
                expected.to_bits() & !nan_bits(expected),
                "{text:?}"
            );
            let expected = libc::strtof(text.as_ptr(), &raw mut end);
            let (found, _) = number::<f32>(text.as_ptr());
            assert!(
                found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan(),
                "{text:?}"
            );
        }
    }

    /// What a number that is none may have as it likes.
    fn nan_bits(value: f64) -> u64 {
        if value.is_nan() { u64::MAX } else { 0 }
    }

    #[test]
    fn numbers_like_c() {
        for text in [
            "",
            " ",
            "0",
            "-0",
            "1",
            " \t\n+12.5e3x",
            ".5",
            "5.",
            ".",
            "-.e1",
            "1e",
            "1e+",
            "1e-5",
            "1E400",
            "-1e-400",
            "4.9e-324",
            "2.4703282292062328e-324",
            "179769313486231570814527423731704356798070e267",
            "0.1",
            "123456789012345678901234567890",
            "inf",
            "-INFINITY",
            "infinit",
            "nan",
            "NaN(12_a)b",
            "nan(",
            "-nan(x y)",
            "0x",
            "0x.p1",
            "0x1p0",
            "0X1.8P+3z",
            "0x.8p1",
            "0x1p-1074",
            "0x1p-1075",
            "0x1.8p-1075",
            "0x1.0000000000000000001p-1075",
            "0x1.fffffffffffff8p0",
            "0x1.fffffffffffff7p0",
            "0x1.fffffffffffff8p1023",
            "0x1p1024",
            "-0x123456789abcdef01.23p-20",
            "0x1p",
            "0x1p99999999999999999999",
            "0x0p5",
            "0x0.0000000000000000000001p90",
            "0x1.000001p0",
            "0x1.0000010000000001p0",
            "0x1p-149",
            "0x1.8p-150",
            "e5",
            "+-1",
            "1.5.5",
            "0b1",
        ] {
            like_c(text);
        }
    }

    #[test]
    fn many_numbers_like_c() {
        let mut state = 1u64;
        for _ in 0..20_000 {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let value = f64::from_bits(state);
            like_c(&format!("{value:e}"));
            like_c(&format!(
                "0x{:x}.{:x}p{}",
                state >> 40,
                state & 0xfff_ffff,
                (state >> 20) as i32 % 1200
            ));
        }
    }
}

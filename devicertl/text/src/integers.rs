//! Integers as text: C 2017, §7.21.6.1, conversions `d i u o x X p`.

use crate::conversion::{Conversion, pad};
use crate::sink::Sink;

/// Digits of a number in the end of `digits`; none for 0.
pub fn digits(mut value: u64, base: u64, uppercase: bool, digits: &mut [u8; 24]) -> &[u8] {
    let letters = if uppercase { b'A' } else { b'a' };
    let mut first = digits.len();
    while value > 0 && first > 0 {
        first -= 1;
        let digit = (value % base) as u8;
        digits[first] = if digit < 10 {
            b'0' + digit
        } else {
            letters + digit - 10
        };
        value /= base;
    }
    &digits[first..]
}

/// Puts an integer with its sign, prefix and leading zeros.
pub fn put(out: &mut impl Sink, conversion: &Conversion, negative: bool, magnitude: u64) {
    let base = match conversion.letter {
        b'o' => 8,
        b'x' | b'X' | b'p' => 16,
        _ => 10,
    };
    let mut room = [0; 24];
    let digits = digits(magnitude, base, conversion.letter == b'X', &mut room);
    let prefix: &[u8] = match conversion.letter {
        b'd' | b'i' => conversion.sign(negative),
        b'p' => b"0x",
        b'x' if conversion.alternate && magnitude != 0 => b"0x",
        b'X' if conversion.alternate && magnitude != 0 => b"0X",
        _ => b"",
    };
    let mut least = conversion.precision.unwrap_or(1);
    if conversion.letter == b'o' && conversion.alternate {
        least = least.max(digits.len() + 1);
    }
    let mut zeros = least.saturating_sub(digits.len());
    let length = prefix.len() + zeros + digits.len();
    let padding = conversion.width.saturating_sub(length);
    if conversion.zeros && !conversion.left && conversion.precision.is_none() {
        zeros += padding;
    }
    pad(
        out,
        conversion,
        prefix.len() + zeros + digits.len(),
        |out| {
            out.put_all(prefix);
            out.repeat(b'0', zeros);
            out.put_all(digits);
        },
    );
}

//! Reals as list-directed output has them: the fewest digits that name the number, without an exponent where that is
//! short. Which form is taken follows flang's run-time library, which asks the number rounded to one digit.

use crate::list_output::digits_of;
use crate::shortest::{Binary, Decimal, decimal};

/// Longest text: a sign, 17 digits, a point, an exponent of three digits.
const LONGEST: usize = 32;

/// A text of a number.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Text {
    fn new() -> Text {
        Text {
            bytes: [0; LONGEST],
            length: 0,
        }
    }

    fn put(&mut self, text: &[u8]) {
        for &byte in text {
            if let Some(place) = self.bytes.get_mut(self.length) {
                *place = byte;
                self.length += 1;
            }
        }
    }

    fn zeros(&mut self, count: usize) {
        for _ in 0..count {
            self.put(b"0");
        }
    }

    /// The text.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// A real of a kind that list-directed output knows.
pub trait Real: Copy {
    /// Decimal digits that every number of the kind keeps (`precision`).
    const PRECISION: i32;
    /// Bits of the fraction.
    const FRACTION: u32;
    /// Bits of the exponent.
    const EXPONENT: u32;
    /// Its bits.
    fn bits(self) -> u64;
}

impl Real for f32 {
    const PRECISION: i32 = 6;
    const FRACTION: u32 = 23;
    const EXPONENT: u32 = 8;
    fn bits(self) -> u64 {
        self.to_bits().into()
    }
}

impl Real for f64 {
    const PRECISION: i32 = 15;
    const FRACTION: u32 = 52;
    const EXPONENT: u32 = 11;
    fn bits(self) -> u64 {
        self.to_bits()
    }
}

/// The text of a real.
pub fn text<R: Real>(value: R) -> Text {
    let mut text = Text::new();
    let bits = value.bits();
    let fraction = bits & ((1 << R::FRACTION) - 1);
    let greatest = (1 << R::EXPONENT) - 1;
    let biased = (bits >> R::FRACTION) & greatest;
    if biased == greatest && fraction != 0 {
        text.put(b"NaN");
        return text;
    }
    if bits >> (R::FRACTION + R::EXPONENT) != 0 {
        text.put(b"-");
    }
    if biased == greatest {
        text.put(b"Inf");
        return text;
    }
    if biased == 0 && fraction == 0 {
        text.put(b"0.");
        return text;
    }
    let bias = (greatest / 2) as i32 + R::FRACTION as i32;
    let number = decimal(Binary {
        mantissa: fraction | if biased > 0 { 1 << R::FRACTION } else { 0 },
        exponent: biased.max(1) as i32 - bias,
        is_power: fraction == 0 && biased > 1,
    });
    if (0..=R::PRECISION).contains(&number.rounded_exponent) {
        fixed(&mut text, &number);
    } else {
        scientific(&mut text, &number);
    }
    text
}

fn fixed(text: &mut Text, number: &Decimal) {
    let mut room = [0; 40];
    let digits = digits_of(number.digits.into(), &mut room);
    let whole = usize::try_from(number.exponent).unwrap_or(0);
    if whole >= digits.len() {
        text.put(digits);
        text.zeros(whole - digits.len());
        text.put(b".");
    } else {
        let (before, behind) = digits.split_at(whole);
        text.put(before);
        text.put(b".");
        text.zeros(usize::try_from(-number.exponent).unwrap_or(0));
        text.put(behind);
    }
}

fn scientific(text: &mut Text, number: &Decimal) {
    let mut room = [0; 40];
    let (first, rest) = digits_of(number.digits.into(), &mut room).split_at(1);
    text.put(first);
    text.put(b".");
    text.put(rest);
    let exponent = number.exponent - 1;
    text.put(if exponent < 0 { b"E-" } else { b"E+" });
    if exponent.abs() < 10 {
        text.put(b"0");
    }
    text.put(digits_of(exponent.unsigned_abs().into(), &mut room));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn says<R: Real>(value: R, expected: &str) {
        assert_eq!(text(value).bytes(), expected.as_bytes());
    }

    /// Each line is what a program of flang 22.1.8 printed on the host.
    #[test]
    fn as_flangs_run_time_library() {
        says(0f32, "0.");
        says(-0f32, "-0.");
        says(1.5f32, "1.5");
        says(-0.1f32, "-.1");
        says(0.01f32, "1.E-02");
        says(0.09999f32, ".09999");
        says(123_456f32, "123456.");
        says(1_234_567f32, "1.234567E+06");
        says(999_999f32, "9.99999E+05");
        says(f32::MAX, "3.4028234E+38");
        says(123_456_704f32, "1.23456704E+08");
        says(9.0117406e11f32, "9.0117406E+11");
        says(1e-45f32, "1.E-45");
        says(0.05f64, "5.E-02");
        says(1e15f64, "1.E+15");
        says(123_456_789_012_345f64, "123456789012345.");
        says(1_234_567_890_123_456f64, "1.234567890123456E+15");
        says(1e300f64, "1.E+300");
        says(1f64 / 3.0, ".3333333333333333");
        says(2000f64 / 3.0, "666.6666666666666");
        says(f64::INFINITY, "Inf");
        says(-f64::INFINITY, "-Inf");
        says(f64::NAN, "NaN");
    }
}

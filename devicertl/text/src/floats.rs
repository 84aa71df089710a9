//! Floating-point numbers as text: C 2017, §7.21.6.1, conversions `f e g a`.
//!
//! `core` finds the digits, in fixed notation and with an exponent. What C writes differently is changed on the way.

use core::fmt::Write;

use crate::conversion::{Conversion, pad};
use crate::sink::{Count, Sink, Through};

/// Puts a number with its sign and padding.
pub fn put(out: &mut impl Sink, conversion: &Conversion, value: f64) {
    let sign = conversion.sign(value.is_sign_negative());
    let uppercase = conversion.letter.is_ascii_uppercase();
    let value = value.abs();
    if !value.is_finite() {
        let name = match (value.is_nan(), uppercase) {
            (true, false) => b"nan",
            (true, true) => b"NAN",
            (false, false) => b"inf",
            (false, true) => b"INF",
        };
        return pad(out, conversion, sign.len() + name.len(), |out| {
            out.put_all(sign);
            out.put_all(name);
        });
    }
    let prefix: &[u8] = match conversion.letter {
        b'a' => b"0x",
        b'A' => b"0X",
        _ => b"",
    };
    let mut count = Count::default();
    magnitude(&mut count, conversion, value);
    let length = sign.len() + prefix.len() + count.0;
    let zeros = if conversion.zeros && !conversion.left {
        conversion.width.saturating_sub(length)
    } else {
        0
    };
    pad(out, conversion, length + zeros, |out| {
        out.put_all(sign);
        out.put_all(prefix);
        out.repeat(b'0', zeros);
        magnitude(out, conversion, value);
    });
}

/// The number without sign and prefix.
fn magnitude(out: &mut impl Sink, conversion: &Conversion, value: f64) {
    let precision = conversion.precision.unwrap_or(6);
    match conversion.letter.to_ascii_lowercase() {
        b'f' => Style::new(out, conversion).fixed(precision, value),
        b'e' => Style::new(out, conversion).scientific(precision, value),
        b'a' => hexadecimal(out, conversion, value),
        _ => {
            let significant = precision.max(1);
            let exponent = exponent_of(significant - 1, value);
            let mut style = Style::new(out, conversion);
            style.trim = !conversion.alternate;
            if exponent < -4 || exponent >= significant as i64 {
                style.scientific(significant - 1, value);
            } else {
                style.fixed((significant as i64 - 1 - exponent) as usize, value);
            }
        }
    }
}

/// The decimal exponent of a number rounded to as many digits behind the point.
fn exponent_of(precision: usize, value: f64) -> i64 {
    let mut nowhere = Count::default();
    let mut style = Style::new(&mut nowhere, &Conversion::default());
    // Into a sink, which does not fail.
    let _ = write!(Through(&mut style), "{value:.precision$e}");
    style.signed_exponent()
}

/// `d.ddd` in base 16 and a binary exponent, rounded to the precision if there is one, else exact.
fn hexadecimal(out: &mut impl Sink, conversion: &Conversion, value: f64) {
    const DIGITS: usize = 13;
    let bits = value.to_bits();
    let biased = (bits >> 52) as i64;
    let fraction = bits & ((1 << 52) - 1);
    let mut mantissa = fraction | if biased > 0 { 1 << 52 } else { 0 };
    let exponent = match (biased, fraction) {
        (0, 0) => 0,
        (0, _) => -1022,
        _ => biased - 1023,
    };
    let mut digits = DIGITS;
    match conversion.precision {
        Some(precision) if precision < DIGITS => {
            let dropped = 4 * (DIGITS - precision);
            let (half, rest) = (1 << (dropped - 1), mantissa & ((1 << dropped) - 1));
            mantissa >>= dropped;
            // To the nearest, of two to the even one.
            if rest > half || (rest == half && mantissa & 1 == 1) {
                mantissa += 1;
            }
            digits = precision;
        }
        Some(_) => (),
        None => {
            while digits > 0 && mantissa & 15 == 0 {
                mantissa >>= 4;
                digits -= 1;
            }
        }
    }
    let uppercase = conversion.letter == b'A';
    let digit = |value: u64| {
        let letters = if uppercase { b'A' } else { b'a' };
        if value < 10 {
            b'0' + value as u8
        } else {
            letters + value as u8 - 10
        }
    };
    out.put(digit(mantissa >> (4 * digits)));
    let wanted = conversion.precision.unwrap_or(digits);
    if wanted > 0 || conversion.alternate {
        out.put(b'.');
    }
    for i in (0..digits).rev() {
        out.put(digit(mantissa >> (4 * i) & 15));
    }
    out.repeat(b'0', wanted - digits);
    out.put(if uppercase { b'P' } else { b'p' });
    out.put(if exponent < 0 { b'-' } else { b'+' });
    let mut room = [0; 24];
    let number = crate::integers::digits(exponent.unsigned_abs(), 10, false, &mut room);
    out.put_all(if number.is_empty() { b"0" } else { number });
}

/// Where in a number a byte is.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Whole,
    Fraction,
    Exponent,
}

/// Turns `core`'s notation into C's: the exponent has a sign and two digits, a point may stand without digits behind
/// it, zeros at the fraction's end may go.
struct Style<'a, S: Sink> {
    out: &'a mut S,
    uppercase: bool,
    /// A point even without a fraction.
    point: bool,
    /// No zeros at the end of the fraction.
    trim: bool,
    place: Place,
    /// The point waits for a digit other than 0.
    held_point: bool,
    /// So do zeros.
    held_zeros: usize,
    exponent: i64,
    negative: bool,
}

impl<'a, S: Sink> Style<'a, S> {
    fn new(out: &'a mut S, conversion: &Conversion) -> Style<'a, S> {
        Style {
            out,
            uppercase: conversion.letter.is_ascii_uppercase(),
            point: conversion.alternate,
            trim: false,
            place: Place::Whole,
            held_point: false,
            held_zeros: 0,
            exponent: 0,
            negative: false,
        }
    }

    fn fixed(&mut self, precision: usize, value: f64) {
        // Into a sink, which does not fail.
        let _ = write!(Through(self), "{value:.precision$}");
        self.end_digits();
    }

    fn scientific(&mut self, precision: usize, value: f64) {
        let _ = write!(Through(self), "{value:.precision$e}");
        self.out.put(if self.uppercase { b'E' } else { b'e' });
        self.out.put(if self.negative { b'-' } else { b'+' });
        let mut room = [0; 24];
        let digits = crate::integers::digits(self.exponent as u64, 10, false, &mut room);
        self.out.repeat(b'0', 2usize.saturating_sub(digits.len()));
        self.out.put_all(digits);
    }

    fn signed_exponent(&self) -> i64 {
        if self.negative {
            -self.exponent
        } else {
            self.exponent
        }
    }

    fn end_digits(&mut self) {
        if self.place == Place::Whole && self.point {
            self.out.put(b'.');
        }
    }

    /// A digit of the fraction.
    fn fraction(&mut self, digit: u8) {
        if self.trim && digit == b'0' {
            self.held_zeros += 1;
            return;
        }
        if self.held_point {
            self.out.put(b'.');
            self.held_point = false;
        }
        self.out.repeat(b'0', self.held_zeros);
        self.held_zeros = 0;
        self.out.put(digit);
    }
}

impl<S: Sink> Sink for Style<'_, S> {
    fn put(&mut self, byte: u8) {
        match (self.place, byte) {
            (Place::Whole, b'.') => {
                self.place = Place::Fraction;
                self.held_point = self.trim;
                if !self.trim {
                    self.out.put(b'.');
                }
            }
            (Place::Whole | Place::Fraction, b'e') => {
                self.end_digits();
                self.place = Place::Exponent;
            }
            (Place::Whole, digit) => self.out.put(digit),
            (Place::Fraction, digit) => self.fraction(digit),
            (Place::Exponent, b'-') => self.negative = true,
            (Place::Exponent, digit) => {
                self.exponent = self.exponent * 10 + i64::from(digit - b'0');
            }
        }
    }
}

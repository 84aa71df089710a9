//! One conversion specification of a format: C 2017, §7.21.6.1.

use crate::sink::Sink;

/// One conversion specification.
#[derive(Clone, Debug, Default)]
pub struct Conversion {
    /// `-`
    pub left: bool,
    /// `+`
    pub plus: bool,
    /// A space.
    pub space: bool,
    /// `#`
    pub alternate: bool,
    /// `0`
    pub zeros: bool,
    /// Least bytes.
    pub width: usize,
    /// Digits, or most bytes of a string.
    pub precision: Option<usize>,
    /// Bytes of an integer; 0 for `int` and `double`.
    pub bytes: usize,
    /// What it converts; 0 where the format ends before.
    pub letter: u8,
}

impl Conversion {
    /// What stands in front of a number with a sign.
    pub fn sign(&self, negative: bool) -> &'static [u8] {
        match (negative, self.plus, self.space) {
            (true, ..) => b"-",
            (_, true, _) => b"+",
            (_, _, true) => b" ",
            _ => b"",
        }
    }
}

/// Puts `length` bytes, and spaces up to the width.
pub fn pad<S: Sink>(out: &mut S, conversion: &Conversion, length: usize, put: impl FnOnce(&mut S)) {
    let spaces = conversion.width.saturating_sub(length);
    if !conversion.left {
        out.repeat(b' ', spaces);
    }
    put(out);
    if conversion.left {
        out.repeat(b' ', spaces);
    }
}

//! Numbers (PTX ISA, "Constants").

use super::cursor::Cursor;
use crate::error::{Error, Position};
use crate::lexer::Token;
use crate::syntax::Operand;

/// A number with its sign.
pub fn number<'a>(cursor: &mut Cursor<'a>) -> Result<Operand<'a>, Error> {
    let negative = cursor.take(Token::Minus);
    let position = cursor.position();
    let Some(Token::Number(text)) = cursor.peek() else {
        return Err(cursor.unexpected("a number", position));
    };
    cursor.skip();
    let value = value(text).ok_or_else(|| {
        Error::new(
            position,
            format!("`{text}` is a number of more than 64 bits"),
        )
    })?;
    Ok(match (value, negative) {
        (value, false) => value,
        (Operand::Integer(bits), true) => Operand::Integer(bits.wrapping_neg()),
        (Operand::Single(bits), true) => Operand::Single(bits ^ 1 << 31),
        (Operand::Double(bits), true) => Operand::Double(bits ^ 1 << 63),
        (other, true) => other,
    })
}

/// A whole number with its sign.
pub fn integer(cursor: &mut Cursor<'_>) -> Result<u64, Error> {
    let position = cursor.position();
    match number(cursor)? {
        Operand::Integer(bits) => Ok(bits),
        _ => Err(Error::new(position, "expected a whole number")),
    }
}

/// A whole number that counts something.
pub fn count(cursor: &mut Cursor<'_>) -> Result<u64, Error> {
    let position = cursor.position();
    let value = integer(cursor)?;
    match value <= LARGEST {
        true => Ok(value),
        false => Err(Error::new(position, format!("{value} is too large"))),
    }
}

/// More than any array of a GPU has.
const LARGEST: u64 = 1 << 40;

/// `7.8`
pub fn version(cursor: &mut Cursor<'_>) -> Result<((u32, u32), Position), Error> {
    let position = cursor.position();
    if let Some(Token::Number(text)) = cursor.peek()
        && let Some((major, minor)) = text.split_once('.')
        && let (Ok(major), Ok(minor)) = (major.parse(), minor.parse())
    {
        cursor.skip();
        return Ok(((major, minor), position));
    }
    Err(cursor.unexpected("a version such as 7.8", position))
}

/// Whether a number as it is written is no whole one.
pub fn is_float(text: &str) -> bool {
    !matches!(value(text), None | Some(Operand::Integer(_)))
}

fn value<'a>(text: &str) -> Option<Operand<'a>> {
    let lower = text.to_ascii_lowercase();
    let hexadecimal = |digits: &str| u64::from_str_radix(digits, 16).ok();
    if let Some(digits) = lower.strip_prefix("0f") {
        let bits = hexadecimal(digits).filter(|_| digits.len() == 8)?;
        return u32::try_from(bits).ok().map(Operand::Single);
    }
    if let Some(digits) = lower.strip_prefix("0d") {
        return hexadecimal(digits)
            .filter(|_| digits.len() == 16)
            .map(Operand::Double);
    }
    if !lower.starts_with("0x") && lower.contains(['.', 'e']) {
        return lower
            .parse()
            .ok()
            .map(|value: f64| Operand::Double(value.to_bits()));
    }
    let digits = lower.trim_end_matches('u');
    let radix = |prefix, radix| {
        digits
            .strip_prefix(prefix)
            .map(|digits| u64::from_str_radix(digits, radix).ok())
    };
    radix("0x", 16)
        .or_else(|| radix("0b", 2))
        .or_else(|| (digits != "0").then(|| radix("0", 8))?)
        .unwrap_or_else(|| digits.parse().ok())
        .map(Operand::Integer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        for (text, expected) in [
            ("0", Some(Operand::Integer(0))),
            ("12U", Some(Operand::Integer(12))),
            ("0x1F", Some(Operand::Integer(31))),
            ("0b101", Some(Operand::Integer(5))),
            ("017", Some(Operand::Integer(15))),
            ("0f3F800000", Some(Operand::Single(1f32.to_bits()))),
            ("0d3FF0000000000000", Some(Operand::Double(1f64.to_bits()))),
            ("1.5", Some(Operand::Double(1.5f64.to_bits()))),
            ("2e3", Some(Operand::Double(2000f64.to_bits()))),
            ("18446744073709551616", None),
            ("0f3F80", None),
            ("089", None),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }
}

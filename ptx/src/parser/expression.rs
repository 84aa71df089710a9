//! Constant expressions (PTX ISA, "Constant Expressions"): whole numbers of 64 bits with C's operators. They are signed
//! unless an operand has `U` behind it, does not fit otherwise, or is cast. Other numbers have a sign at most.

use super::cursor::Cursor;
use super::number;
use crate::error::{Error, Position};
use crate::lexer::Token;
use crate::syntax::Operand;

/// How deep operators may lie in each other.
const DEPTH: u32 = 64;

/// A whole number while it is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Whole {
    bits: u64,
    signed: bool,
}

impl Whole {
    fn truth(value: bool) -> Whole {
        Whole {
            bits: value.into(),
            signed: true,
        }
    }
}

/// Binary operators, those that bind least first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Whether a constant may begin with a token.
pub fn begins(token: Token<'_>) -> bool {
    matches!(
        token,
        Token::Number(_) | Token::Minus | Token::Plus | Token::Tilde
    )
}

/// A number, or an expression of whole ones.
pub fn constant<'a>(cursor: &mut Cursor<'a>) -> Result<Operand<'a>, Error> {
    let is_float = |token| matches!(token, Some(Token::Number(text)) if number::is_float(text));
    let signs = usize::from(cursor.peek() == Some(Token::Minus));
    match is_float(cursor.peek_after(signs)) {
        true => number::number(cursor),
        false => Ok(Operand::Integer(choice(cursor, DEPTH)?.bits)),
    }
}

/// An expression that gives a whole number.
pub fn integer(cursor: &mut Cursor<'_>) -> Result<u64, Error> {
    Ok(choice(cursor, DEPTH)?.bits)
}

/// `a ? b : c`
fn choice(cursor: &mut Cursor<'_>, depth: u32) -> Result<Whole, Error> {
    let depth = deeper(cursor, depth)?;
    let condition = binary(cursor, 0, depth)?;
    if !cursor.take(Token::Question) {
        return Ok(condition);
    }
    let first = choice(cursor, depth)?;
    cursor.expect(Token::Colon)?;
    let second = choice(cursor, depth)?;
    let signed = first.signed && second.signed;
    let chosen = if condition.bits != 0 { first } else { second };
    Ok(Whole { signed, ..chosen })
}

fn binary(cursor: &mut Cursor<'_>, level: usize, depth: u32) -> Result<Whole, Error> {
    let Some(operators) = LEVELS.get(level) else {
        return unary(cursor, depth);
    };
    let mut left = binary(cursor, level + 1, depth)?;
    loop {
        let position = cursor.position();
        let Some((operator, tokens)) = operator(cursor) else {
            return Ok(left);
        };
        if !operators.contains(&operator) {
            return Ok(left);
        }
        (0..tokens).for_each(|_| cursor.skip());
        let right = binary(cursor, level + 1, depth)?;
        left = apply(operator, left, right, position)?;
    }
}

fn unary(cursor: &mut Cursor<'_>, depth: u32) -> Result<Whole, Error> {
    let position = cursor.position();
    let depth = deeper(cursor, depth)?;
    match cursor.peek() {
        Some(sign @ (Token::Minus | Token::Plus | Token::Tilde | Token::Not)) => {
            cursor.skip();
            let of = unary(cursor, depth)?;
            Ok(match sign {
                Token::Minus => Whole {
                    bits: of.bits.wrapping_neg(),
                    ..of
                },
                Token::Tilde => Whole {
                    bits: !of.bits,
                    ..of
                },
                Token::Not => Whole::truth(of.bits == 0),
                _ => of,
            })
        }
        Some(Token::OpenParenthesis) => {
            cursor.skip();
            let cast = cursor.dotted();
            if let Some(ty) = cast {
                cursor.expect(Token::CloseParenthesis)?;
                let bits = unary(cursor, depth)?.bits;
                return match ty {
                    "s64" | "u64" => Ok(Whole {
                        bits,
                        signed: ty == "s64",
                    }),
                    _ => Err(Error::new(
                        position,
                        format!("no constant is cast to `.{ty}`"),
                    )),
                };
            }
            let inner = choice(cursor, depth)?;
            cursor.expect(Token::CloseParenthesis)?;
            Ok(inner)
        }
        Some(Token::Number(text)) => match number::number(cursor)? {
            Operand::Integer(bits) => Ok(Whole {
                bits,
                signed: !text.ends_with('U') && bits <= i64::MAX as u64,
            }),
            _ => Err(Error::new(position, "expected a whole number")),
        },
        _ => Err(cursor.unexpected("a number", position)),
    }
}

/// The binary operator that is next, and of how many tokens it is.
fn operator(cursor: &Cursor<'_>) -> Option<(&'static str, usize)> {
    let two = match (cursor.peek()?, cursor.peek_after(1)) {
        (Token::Bar, Some(Token::Bar)) => "||",
        (Token::Ampersand, Some(Token::Ampersand)) => "&&",
        (Token::Equals, Some(Token::Equals)) => "==",
        (Token::Not, Some(Token::Equals)) => "!=",
        (Token::Less, Some(Token::Equals)) => "<=",
        (Token::Greater, Some(Token::Equals)) => ">=",
        (Token::Less, Some(Token::Less)) => "<<",
        (Token::Greater, Some(Token::Greater)) => ">>",
        (one, _) => return single(one).map(|name| (name, 1)),
    };
    Some((two, 2))
}

fn single(token: Token<'_>) -> Option<&'static str> {
    Some(match token {
        Token::Bar => "|",
        Token::Caret => "^",
        Token::Ampersand => "&",
        Token::Less => "<",
        Token::Greater => ">",
        Token::Plus => "+",
        Token::Minus => "-",
        Token::Star => "*",
        Token::Slash => "/",
        Token::Word("%") => "%",
        _ => return None,
    })
}

fn apply(operator: &str, left: Whole, right: Whole, position: Position) -> Result<Whole, Error> {
    let (a, b) = (left.bits, right.bits);
    let signed = left.signed && right.signed;
    let (x, y) = (a as i64, b as i64);
    let of = |bits| Ok(Whole { bits, signed });
    let truth = |value| Ok(Whole::truth(value));
    let is_less = |a: u64, b: u64| match signed {
        true => (a as i64) < b as i64,
        false => a < b,
    };
    // A shift is of its left operand's type. Bits that are shifted out are gone.
    let count = u32::try_from(b).ok();
    let shifted = |bits: Option<u64>, otherwise| {
        Ok(Whole {
            bits: bits.unwrap_or(otherwise),
            ..left
        })
    };
    match operator {
        "||" => truth(a != 0 || b != 0),
        "&&" => truth(a != 0 && b != 0),
        "|" => of(a | b),
        "^" => of(a ^ b),
        "&" => of(a & b),
        "==" => truth(a == b),
        "!=" => truth(a != b),
        "<" => truth(is_less(a, b)),
        ">" => truth(is_less(b, a)),
        "<=" => truth(!is_less(b, a)),
        ">=" => truth(!is_less(a, b)),
        "<<" => shifted(count.and_then(|count| a.checked_shl(count)), 0),
        ">>" if left.signed => {
            let filled = x >> 63;
            let moved = count.and_then(|count| x.checked_shr(count));
            shifted(Some(moved.unwrap_or(filled) as u64), 0)
        }
        ">>" => shifted(count.and_then(|count| a.checked_shr(count)), 0),
        "+" => of(a.wrapping_add(b)),
        "-" => of(a.wrapping_sub(b)),
        "*" => of(a.wrapping_mul(b)),
        _ if b == 0 => Err(Error::new(position, "a constant is divided by 0")),
        "/" if signed => of(x.wrapping_div(y) as u64),
        "/" => of(a / b),
        _ if signed => of(x.wrapping_rem(y) as u64),
        _ => of(a % b),
    }
}

fn deeper(cursor: &Cursor<'_>, depth: u32) -> Result<u32, Error> {
    let too_deep = || {
        Error::new(
            cursor.position(),
            "a constant's parts lie too deep in each other",
        )
    };
    depth.checked_sub(1).ok_or_else(too_deep)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexer;

    fn computed(text: &str) -> Result<u64, Error> {
        integer(&mut Cursor::new(lexer::tokens(text)?))
    }

    #[test]
    fn operators() {
        for (text, expected) in [
            ("~0x2", !2),
            ("-97", -97i64 as u64),
            ("+ -97", -97i64 as u64),
            ("1 + 2 * 3 - 4", 3),
            ("(1 + 2) * 3", 9),
            ("7 - 2 - 1", 4),
            ("1 << 4 | 3", 19),
            ("-8 >> 1", -4i64 as u64),
            ("(.u64)-8 >> 1", -8i64 as u64 >> 1),
            ("-8 / 3", -2i64 as u64),
            ("-8 % 3", -2i64 as u64),
            ("-1 < 1", 1),
            ("-1 < 1U", 0),
            ("1 <= 1 && 2 != 3", 1),
            ("!5 || 0", 0),
            ("3 & 6 ^ 1", 3),
            ("1 ? 2 : 3", 2),
            ("0 ? 2 : 1 == 1 ? 4 : 5", 4),
            ("1 << 64", 0),
            ("-1 >> 64", u64::MAX),
        ] {
            assert_eq!(computed(text).ok(), Some(expected), "{text}");
        }
    }

    #[test]
    fn mistakes() {
        let deep = "(".repeat(100_000);
        for text in ["1 / 0", "1 +", "(1", "~1.5", "(.f32)1", deep.as_str()] {
            assert!(computed(text).is_err(), "{text}");
        }
    }
}

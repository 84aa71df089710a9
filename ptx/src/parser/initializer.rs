//! First values of variables (PTX ISA, "Initializers").

use super::cursor::Cursor;
use super::{expression, number};
use crate::error::Error;
use crate::lexer::Token;
use crate::syntax::{Initializer, Kind, Operand, Type};

/// How deep braces may lie in each other: arrays have at most as many dimensions.
const DEPTH: u32 = 16;

/// What follows `=`: a value, or values in braces.
pub fn initializer<'a>(cursor: &mut Cursor<'a>, ty: Type) -> Result<Vec<Initializer<'a>>, Error> {
    let mut found = Vec::new();
    let mut depth = 0;
    loop {
        let position = cursor.position();
        while cursor.take(Token::OpenBrace) {
            depth += 1;
        }
        if depth > DEPTH {
            return Err(Error::new(position, "braces lie too deep in each other"));
        }
        if depth == 0 || cursor.peek() != Some(Token::CloseBrace) {
            found.push(element(cursor, ty)?);
        }
        while depth > 0 && cursor.take(Token::CloseBrace) {
            depth -= 1;
        }
        if depth == 0 {
            return Ok(found);
        }
        cursor.expect(Token::Comma)?;
    }
}

fn element<'a>(cursor: &mut Cursor<'a>, ty: Type) -> Result<Initializer<'a>, Error> {
    let position = cursor.position();
    let mask = match (cursor.peek(), cursor.peek_after(1)) {
        (Some(Token::Number(_)), Some(Token::OpenParenthesis)) => {
            let mask = number::integer(cursor)?;
            cursor.skip();
            Some(mask)
        }
        _ => None,
    };
    let found = match cursor.peek() {
        Some(Token::Word("generic")) if cursor.peek_after(1) == Some(Token::OpenParenthesis) => {
            cursor.skip();
            cursor.skip();
            let inner = address(cursor, true, mask)?;
            cursor.expect(Token::CloseParenthesis)?;
            addend(cursor, inner)?
        }
        Some(Token::Word(_)) => address(cursor, false, mask)?,
        _ => Initializer::Number(bits(&expression::constant(cursor)?, ty)),
    };
    if mask.is_some() {
        cursor.expect(Token::CloseParenthesis)?;
        if matches!(found, Initializer::Number(_)) {
            return Err(Error::new(position, "a mask needs an address"));
        }
    }
    Ok(found)
}

fn address<'a>(
    cursor: &mut Cursor<'a>,
    generic: bool,
    mask: Option<u64>,
) -> Result<Initializer<'a>, Error> {
    let name = cursor.word()?;
    let plain = Initializer::Address {
        name,
        addend: 0,
        mask,
        generic,
    };
    addend(cursor, plain)
}

fn addend<'a>(
    cursor: &mut Cursor<'a>,
    mut address: Initializer<'a>,
) -> Result<Initializer<'a>, Error> {
    if !cursor.take(Token::Plus) && cursor.peek() != Some(Token::Minus) {
        return Ok(address);
    }
    let more = expression::integer(cursor)? as i64;
    if let Initializer::Address { addend, .. } = &mut address {
        *addend = addend.wrapping_add(more);
    }
    Ok(address)
}

/// A number's bits as an element of a type.
fn bits(number: &Operand<'_>, ty: Type) -> u64 {
    let single = ty.kind == Kind::Float && ty.bits == 32;
    match *number {
        Operand::Integer(bits) if ty.kind != Kind::Float => bits,
        Operand::Integer(value) if single => u64::from((value as i64 as f32).to_bits()),
        Operand::Integer(value) => (value as i64 as f64).to_bits(),
        Operand::Single(bits) => u64::from(bits),
        Operand::Double(bits) if single => u64::from((f64::from_bits(bits) as f32).to_bits()),
        Operand::Double(bits) => bits,
        _ => 0,
    }
}

//! Operands (PTX ISA, "Operands").

use super::cursor::Cursor;
use super::number;
use crate::error::Error;
use crate::lexer::Token;
use crate::syntax::Operand;

/// How deep tuples and addresses may lie in each other: `[t, {x, y}]` is 2.
const DEPTH: u32 = 4;

/// Operands up to the semicolon, which stays.
pub fn operands<'a>(cursor: &mut Cursor<'a>) -> Result<Vec<Operand<'a>>, Error> {
    match cursor.peek() {
        Some(Token::Semicolon) => Ok(Vec::new()),
        _ => separated(cursor, DEPTH),
    }
}

fn separated<'a>(cursor: &mut Cursor<'a>, depth: u32) -> Result<Vec<Operand<'a>>, Error> {
    let mut found = vec![operand(cursor, depth)?];
    while cursor.take(Token::Comma) {
        found.push(operand(cursor, depth)?);
    }
    Ok(found)
}

/// What stands in brackets, whose opening one is next.
fn enclosed<'a>(
    cursor: &mut Cursor<'a>,
    close: Token<'_>,
    depth: u32,
) -> Result<Vec<Operand<'a>>, Error> {
    let position = cursor.position();
    let Some(depth) = depth.checked_sub(1) else {
        return Err(Error::new(position, "brackets lie too deep in each other"));
    };
    cursor.skip();
    if cursor.take(close) {
        return Ok(Vec::new());
    }
    let found = separated(cursor, depth)?;
    cursor.expect(close)?;
    Ok(found)
}

fn operand<'a>(cursor: &mut Cursor<'a>, depth: u32) -> Result<Operand<'a>, Error> {
    let first = single(cursor, depth)?;
    if !cursor.take(Token::Bar) {
        return Ok(first);
    }
    let second = single(cursor, depth)?;
    Ok(Operand::Pair(Box::new(first), Box::new(second)))
}

fn single<'a>(cursor: &mut Cursor<'a>, depth: u32) -> Result<Operand<'a>, Error> {
    let position = cursor.position();
    Ok(match cursor.peek() {
        Some(Token::OpenBrace) => Operand::Tuple(enclosed(cursor, Token::CloseBrace, depth)?),
        Some(Token::OpenBracket) => Operand::Address(enclosed(cursor, Token::CloseBracket, depth)?),
        Some(Token::OpenParenthesis) => {
            Operand::List(enclosed(cursor, Token::CloseParenthesis, depth)?)
        }
        Some(Token::Number(_)) => number::number(cursor)?,
        Some(Token::Minus) => match cursor.peek_after(1) {
            Some(Token::Word(_)) => {
                cursor.skip();
                Operand::Negative(Box::new(name(cursor)?))
            }
            _ => number::number(cursor)?,
        },
        Some(Token::Not) => {
            cursor.skip();
            Operand::Not(Box::new(name(cursor)?))
        }
        Some(Token::Word(_)) => name(cursor)?,
        _ => return Err(cursor.unexpected("an operand", position)),
    })
}

/// A name with a component or an addend.
fn name<'a>(cursor: &mut Cursor<'a>) -> Result<Operand<'a>, Error> {
    let name = cursor.word()?;
    if let Some(component) = cursor.dotted() {
        return Ok(Operand::Name(name, Some(component)));
    }
    if cursor.take(Token::Plus) {
        return Ok(Operand::Sum(name, number::integer(cursor)? as i64));
    }
    if cursor.peek() == Some(Token::Minus) {
        return Ok(Operand::Sum(name, number::integer(cursor)? as i64));
    }
    Ok(Operand::Name(name, None))
}

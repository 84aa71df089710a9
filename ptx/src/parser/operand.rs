//! Operands (PTX ISA, "Operands").

use super::cursor::Cursor;
use super::expression;
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
        Some(sign @ (Token::Minus | Token::Not))
            if matches!(cursor.peek_after(1), Some(Token::Word(_))) =>
        {
            cursor.skip();
            let of = Box::new(name(cursor)?);
            match sign {
                Token::Minus => Operand::Negative(of),
                _ => Operand::Not(of),
            }
        }
        Some(Token::Word(_)) => name(cursor)?,
        Some(token) if expression::begins(token) => expression::constant(cursor)?,
        _ => return Err(cursor.unexpected("an operand", position)),
    })
}

/// A name with a component, an index or an addend.
fn name<'a>(cursor: &mut Cursor<'a>) -> Result<Operand<'a>, Error> {
    let name = cursor.word()?;
    if cursor.take(Token::OpenBracket) {
        let index = match cursor.peek() {
            Some(Token::Word(_)) => with_addend(cursor)?,
            _ => Operand::Integer(expression::integer(cursor)?),
        };
        cursor.expect(Token::CloseBracket)?;
        return Ok(Operand::Element(name, Box::new(index)));
    }
    if let Some(component) = cursor.dotted() {
        return Ok(Operand::Name(name, Some(component)));
    }
    addend(cursor, name)
}

/// A name, perhaps with an addend.
fn with_addend<'a>(cursor: &mut Cursor<'a>) -> Result<Operand<'a>, Error> {
    let name = cursor.word()?;
    addend(cursor, name)
}

fn addend<'a>(cursor: &mut Cursor<'a>, name: &'a str) -> Result<Operand<'a>, Error> {
    let has_one = cursor.take(Token::Plus) || cursor.peek() == Some(Token::Minus);
    Ok(match has_one {
        true => Operand::Sum(name, expression::integer(cursor)? as i64),
        false => Operand::Name(name, None),
    })
}

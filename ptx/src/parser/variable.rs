//! Declarations of variables and parameters (PTX ISA, "Variables").

use super::cursor::Cursor;
use super::{initializer, number};
use crate::error::Error;
use crate::lexer::Token;
use crate::syntax::{Linkage, Space, Type, Variable};

/// Whether a directive is an opaque type, which needs no state space.
pub fn is_opaque(word: &str) -> bool {
    Type::of(word).is_some_and(Type::is_opaque)
}

/// What stands before a name.
struct Prefix {
    space: Space,
    align: Option<u64>,
    vector: u64,
    ty: Type,
    pointer: bool,
}

/// Variables up to the semicolon, which goes with them.
pub fn declaration<'a>(
    cursor: &mut Cursor<'a>,
    linkage: Linkage,
) -> Result<Vec<Variable<'a>>, Error> {
    let prefix = prefix(cursor)?;
    let mut found = Vec::new();
    loop {
        let mut variable = named(cursor, &prefix, linkage)?;
        if cursor.take(Token::Equals) {
            variable.initializer = Some(initializer::initializer(cursor, variable.ty)?);
        }
        found.push(variable);
        if !cursor.take(Token::Comma) {
            break;
        }
    }
    cursor.expect(Token::Semicolon)?;
    Ok(found)
}

/// Parameters in parentheses, whose opening one is next.
pub fn parameters<'a>(cursor: &mut Cursor<'a>) -> Result<Vec<Variable<'a>>, Error> {
    cursor.expect(Token::OpenParenthesis)?;
    let mut found = Vec::new();
    if cursor.take(Token::CloseParenthesis) {
        return Ok(found);
    }
    loop {
        let prefix = prefix(cursor)?;
        found.push(named(cursor, &prefix, Linkage::Internal)?);
        if !cursor.take(Token::Comma) {
            break;
        }
    }
    cursor.expect(Token::CloseParenthesis)?;
    Ok(found)
}

fn prefix(cursor: &mut Cursor<'_>) -> Result<Prefix, Error> {
    let (mut space, mut align, mut vector, mut ty, mut pointer) = (None, None, 1, None, false);
    loop {
        let position = cursor.position();
        let Some(word) = cursor.dotted() else { break };
        if let Some(found) = Space::of(word) {
            // `.ptr .global` says where a parameter points.
            if !pointer {
                space = Some(found);
            }
        } else if let Some(found) = Type::of(word) {
            ty = Some(found);
        } else {
            match word {
                "align" => {
                    let bytes = number::count(cursor)?;
                    if !bytes.is_power_of_two() || bytes > 1 << 20 {
                        return Err(Error::new(position, format!("{bytes} is no alignment")));
                    }
                    // Behind `.ptr` it is that of what the parameter points at.
                    align = if pointer { align } else { Some(bytes) };
                }
                "v2" | "v4" | "v8" => vector = u64::from(word.as_bytes()[1] - b'0'),
                "ptr" => pointer = true,
                "attribute" => skip_parentheses(cursor)?,
                _ => {
                    return Err(Error::new(
                        position,
                        format!("`.{word}` is no part of a variable"),
                    ));
                }
            }
        }
    }
    let position = cursor.position();
    let Some(ty) = ty else {
        return Err(cursor.unexpected("a type", position));
    };
    let space = match space {
        Some(space) => space,
        None if ty.is_opaque() => Space::Global,
        None => return Err(Error::new(position, "a variable needs a state space")),
    };
    Ok(Prefix {
        space,
        align,
        vector,
        ty,
        pointer,
    })
}

fn skip_parentheses(cursor: &mut Cursor<'_>) -> Result<(), Error> {
    cursor.expect(Token::OpenParenthesis)?;
    let mut depth = 1;
    while depth > 0 {
        let position = cursor.position();
        match cursor.next() {
            Some(Token::OpenParenthesis) => depth += 1,
            Some(Token::CloseParenthesis) => depth -= 1,
            Some(_) => {}
            None => return Err(cursor.unexpected("`)`", position)),
        }
    }
    Ok(())
}

fn named<'a>(
    cursor: &mut Cursor<'a>,
    prefix: &Prefix,
    linkage: Linkage,
) -> Result<Variable<'a>, Error> {
    let position = cursor.position();
    let name = cursor.word()?;
    let elements = dimensions(cursor)?;
    let natural = prefix.ty.bytes() * prefix.vector;
    let mut align = prefix.align.unwrap_or(natural);
    // `.ptr` may follow the name's type only, an alignment the name in no case.
    if !align.is_power_of_two() {
        align = 1;
    }
    let variable = Variable {
        linkage,
        space: prefix.space,
        align,
        ty: prefix.ty,
        vector: prefix.vector,
        name,
        elements,
        initializer: None,
        pointer: prefix.pointer,
        position,
    };
    match variable.bytes() <= LARGEST {
        true => Ok(variable),
        false => Err(Error::new(position, format!("`{name}` is too large"))),
    }
}

/// More than any variable of a GPU has, in bytes.
const LARGEST: u64 = 1 << 40;

/// `[2][3]`; without a number the size is not said.
fn dimensions(cursor: &mut Cursor<'_>) -> Result<Option<u64>, Error> {
    let mut elements: Option<u64> = None;
    while cursor.take(Token::OpenBracket) {
        let length = match cursor.peek() {
            Some(Token::CloseBracket) => 0,
            _ => number::count(cursor)?,
        };
        elements = Some(elements.unwrap_or(1).saturating_mul(length));
        cursor.expect(Token::CloseBracket)?;
    }
    Ok(elements)
}

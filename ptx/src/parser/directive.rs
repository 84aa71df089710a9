//! Directives of a module (PTX ISA, "PTX Module Directives", "Debugging Directives").

use super::cursor::Cursor;
use super::number;
use crate::error::Error;
use crate::lexer::Token;
use crate::syntax::Module;

/// A directive that is neither a variable nor a function.
pub fn directive<'a>(cursor: &mut Cursor<'a>, module: &mut Module<'a>) -> Result<(), Error> {
    let position = cursor.position();
    match cursor.dotted().unwrap_or_default() {
        "version" => module.version = Some(number::version(cursor)?),
        "target" => loop {
            module.target.push(cursor.word()?);
            if !cursor.take(Token::Comma) {
                break;
            }
        },
        "address_size" => module.address_size = Some((number::count(cursor)?, position)),
        "file" => file(cursor, module)?,
        "section" => section(cursor)?,
        "alias" => {
            let new = cursor.word()?;
            cursor.expect(Token::Comma)?;
            module.aliases.push((new, cursor.word()?, position));
            cursor.expect(Token::Semicolon)?;
        }
        "pragma" => until_semicolon(cursor)?,
        // A line outside of functions.
        "loc" => until_line_ends(cursor, position.line),
        other => {
            return Err(Error::new(
                position,
                format!("the directive `.{other}` is not known"),
            ));
        }
    }
    Ok(())
}

/// `.file 1 "name"[, time, size]`
fn file<'a>(cursor: &mut Cursor<'a>, module: &mut Module<'a>) -> Result<(), Error> {
    let index = number::count(cursor)?;
    let position = cursor.position();
    let Some(Token::Text(name)) = cursor.next() else {
        return Err(Error::new(position, "expected the name of a file"));
    };
    module.files.push((index, name));
    while cursor.take(Token::Comma) {
        number::count(cursor)?;
    }
    Ok(())
}

/// `.section .debug_info { … }`: what debuggers read is left out.
fn section(cursor: &mut Cursor<'_>) -> Result<(), Error> {
    let position = cursor.position();
    while cursor.peek() != Some(Token::OpenBrace) {
        if cursor.next().is_none() {
            return Err(cursor.unexpected("`{`", position));
        }
    }
    let mut depth = 0usize;
    loop {
        match cursor.next() {
            Some(Token::OpenBrace) => depth += 1,
            Some(Token::CloseBrace) => depth -= 1,
            Some(_) => {}
            None => return Err(cursor.unexpected("`}`", position)),
        }
        if depth == 0 {
            return Ok(());
        }
    }
}

/// Leaves a statement out.
pub fn until_semicolon(cursor: &mut Cursor<'_>) -> Result<(), Error> {
    loop {
        let position = cursor.position();
        match cursor.next() {
            Some(Token::Semicolon) => return Ok(()),
            Some(_) => {}
            None => return Err(cursor.unexpected("`;`", position)),
        }
    }
}

/// Leaves the rest of a line out: `.loc` ends with it.
pub fn until_line_ends(cursor: &mut Cursor<'_>, line: u32) {
    while cursor.peek().is_some() && cursor.position().line == line {
        cursor.skip();
    }
}

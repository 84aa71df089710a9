//! Kernels and functions (PTX ISA, "Kernel and Function Directives").

use super::cursor::Cursor;
use super::{number, statement, variable};
use crate::error::Error;
use crate::lexer::Token;
use crate::syntax::{Bounds, Function, Prototype, Variable};

/// `.entry` or `.func`, which is next.
pub fn function<'a>(cursor: &mut Cursor<'a>, kernel: bool) -> Result<Function<'a>, Error> {
    cursor.skip();
    let mut bounds = Bounds::default();
    let mut no_return = directives(cursor, &mut bounds)?;
    let results = optional_parameters(cursor)?;
    let position = cursor.position();
    let name = cursor.word()?;
    let parameters = optional_parameters(cursor)?;
    no_return |= directives(cursor, &mut bounds)?;
    let body = match cursor.take(Token::Semicolon) {
        true => None,
        false => Some(statement::body(cursor)?),
    };
    Ok(Function {
        kernel,
        name,
        results,
        parameters,
        bounds,
        no_return,
        body,
        position,
    })
}

/// `(results) _ (parameters) [.noreturn];`, what follows `.callprototype`.
pub fn prototype<'a>(cursor: &mut Cursor<'a>) -> Result<Prototype<'a>, Error> {
    let results = optional_parameters(cursor)?;
    cursor.word()?;
    let parameters = optional_parameters(cursor)?;
    directives(cursor, &mut Bounds::default())?;
    cursor.expect(Token::Semicolon)?;
    Ok(Prototype {
        results,
        parameters,
    })
}

fn optional_parameters<'a>(cursor: &mut Cursor<'a>) -> Result<Vec<Variable<'a>>, Error> {
    match cursor.peek() {
        Some(Token::OpenParenthesis) => variable::parameters(cursor),
        _ => Ok(Vec::new()),
    }
}

/// Directives that stand before a body. Whether `.noreturn` is one of them.
fn directives(cursor: &mut Cursor<'_>, bounds: &mut Bounds) -> Result<bool, Error> {
    let mut no_return = false;
    loop {
        let position = cursor.position();
        let Some(word) = cursor.dotted() else {
            return Ok(no_return);
        };
        match word {
            "noreturn" => no_return = true,
            "maxntid" => bounds.threads = Some(extents(cursor)?),
            "reqntid" => bounds.block = Some(extents(cursor)?),
            "minnctapersm" | "maxnctapersm" => bounds.blocks = Some(number::count(cursor)?),
            "maxnreg" | "maxclusterrank" | "abi_preserve" | "abi_preserve_control" => {
                number::count(cursor)?;
            }
            "reqnctapercluster" => {
                extents(cursor)?;
            }
            "explicitcluster" | "blocksareclusters" | "unified" => {}
            "pragma" => super::directive::until_semicolon(cursor)?,
            "attribute" => while !matches!(cursor.next(), None | Some(Token::CloseParenthesis)) {},
            _ => {
                let what = format!("the directive `.{word}` is not known here");
                return Err(Error::new(position, what));
            }
        }
    }
}

/// Up to three numbers; those that are not there are 1.
fn extents(cursor: &mut Cursor<'_>) -> Result<[u64; 3], Error> {
    let mut found = [number::count(cursor)?, 1, 1];
    for extent in &mut found[1..] {
        if cursor.take(Token::Comma) {
            *extent = number::count(cursor)?;
        }
    }
    Ok(found)
}

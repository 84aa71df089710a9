//! Tokens → syntax tree.

mod cursor;
mod directive;
mod expression;
mod function;
mod initializer;
mod number;
mod operand;
mod statement;
mod variable;

use crate::error::Error;
use crate::lexer::{Located, Token};
use crate::syntax::{Linkage, Module, Space};
use cursor::Cursor;

/// The tree of a text's tokens.
pub fn parse<'a>(tokens: Vec<Located<'a>>) -> Result<Module<'a>, Error> {
    let mut cursor = Cursor::new(tokens);
    let mut module = Module::default();
    while cursor.peek().is_some() {
        item(&mut cursor, &mut module)?;
    }
    Ok(module)
}

/// A directive of the module, a variable, or a function.
fn item<'a>(cursor: &mut Cursor<'a>, module: &mut Module<'a>) -> Result<(), Error> {
    let linkage = linkage(cursor);
    let position = cursor.position();
    match cursor.peek() {
        Some(Token::Dotted("entry")) => {
            module.functions.push(function::function(cursor, true)?);
        }
        Some(Token::Dotted("func")) => {
            module.functions.push(function::function(cursor, false)?);
        }
        Some(Token::Dotted(word)) if Space::of(word).is_some() || variable::is_opaque(word) => {
            let variables = variable::declaration(cursor, linkage)?;
            module.variables.extend(variables);
        }
        Some(Token::Dotted(_)) => directive::directive(cursor, module)?,
        // An empty statement.
        Some(Token::Semicolon) => cursor.skip(),
        _ => return Err(cursor.unexpected("a directive", position)),
    }
    Ok(())
}

/// `.visible` and its like; several may stand there.
fn linkage(cursor: &mut Cursor<'_>) -> Linkage {
    let mut found = Linkage::default();
    while let Some(Token::Dotted(word)) = cursor.peek() {
        found = match word {
            "visible" | "common" => Linkage::Visible,
            "weak" => Linkage::Weak,
            "extern" => Linkage::External,
            _ => break,
        };
        cursor.skip();
    }
    found
}

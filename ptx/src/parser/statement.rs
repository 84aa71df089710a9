//! Statements of a function (PTX ISA, "Statements").

use super::cursor::Cursor;
use super::{directive, function, number, operand, variable};
use crate::error::Error;
use crate::lexer::Token;
use crate::syntax::{Instruction, Local, Statement, StatementKind, Type};

/// How deep braces may lie in each other: every name is looked up in all scopes around it.
const DEPTH: usize = 200;

/// A body with its braces.
pub fn body<'a>(cursor: &mut Cursor<'a>) -> Result<Vec<Statement<'a>>, Error> {
    cursor.expect(Token::OpenBrace)?;
    let mut found = Vec::new();
    let mut depth = 1usize;
    loop {
        let position = cursor.position();
        let kind = match cursor.peek() {
            Some(Token::OpenBrace) => {
                cursor.skip();
                depth += 1;
                if depth > DEPTH {
                    return Err(Error::new(position, "braces lie too deep in each other"));
                }
                StatementKind::Open
            }
            Some(Token::CloseBrace) => {
                cursor.skip();
                depth -= 1;
                if depth == 0 {
                    return Ok(found);
                }
                StatementKind::Close
            }
            Some(Token::Semicolon) => {
                cursor.skip();
                continue;
            }
            Some(Token::Dotted(word)) => {
                found.extend(
                    local(cursor, word)?
                        .into_iter()
                        .map(|kind| Statement { kind, position }),
                );
                continue;
            }
            Some(Token::Word(_)) if cursor.peek_after(1) == Some(Token::Colon) => label(cursor)?,
            Some(Token::Word(_) | Token::At) => StatementKind::Instruction(instruction(cursor)?),
            _ => return Err(cursor.unexpected("a statement", position)),
        };
        found.push(Statement { kind, position });
    }
}

/// What begins with a dot.
fn local<'a>(cursor: &mut Cursor<'a>, word: &str) -> Result<Vec<StatementKind<'a>>, Error> {
    let position = cursor.position();
    Ok(match word {
        "reg" => registers(cursor)?,
        "loc" => {
            cursor.skip();
            let numbers = [
                number::count(cursor)?,
                number::count(cursor)?,
                number::count(cursor)?,
            ];
            directive::until_line_ends(cursor, position.line);
            let [file, line, column] = numbers;
            vec![StatementKind::Location(file, line, column)]
        }
        "pragma" => {
            directive::until_semicolon(cursor)?;
            Vec::new()
        }
        _ => {
            let linkage = super::linkage(cursor);
            let variables = variable::declaration(cursor, linkage)?;
            let locals = variables.into_iter().map(Local::Variable);
            locals.map(StatementKind::Local).collect()
        }
    })
}

/// `.reg [.v2] .u32 %r<10>, a;`
fn registers<'a>(cursor: &mut Cursor<'a>) -> Result<Vec<StatementKind<'a>>, Error> {
    cursor.skip();
    let (mut vector, mut ty) = (1, None);
    loop {
        let position = cursor.position();
        match cursor.dotted() {
            Some(word @ ("v2" | "v4" | "v8")) => vector = u64::from(word.as_bytes()[1] - b'0'),
            Some("align") => {
                number::count(cursor)?;
            }
            Some(word) => {
                let unknown = || Error::new(position, format!("`.{word}` is no register's type"));
                ty = Some(Type::of(word).ok_or_else(unknown)?);
            }
            None => break,
        }
    }
    let Some(ty) = ty else {
        return Err(cursor.unexpected("a type", cursor.position()));
    };
    let mut found = Vec::new();
    loop {
        let name = cursor.word()?;
        let position = cursor.position();
        let count = match cursor.take(Token::Less) {
            true => {
                let count = number::count(cursor)?;
                cursor.expect(Token::Greater)?;
                Some(count)
            }
            false => None,
        };
        if count.is_some_and(|count| count > MOST_REGISTERS) {
            return Err(Error::new(position, "more registers than any program has"));
        }
        found.push(StatementKind::Local(Local::Registers {
            ty,
            vector,
            name,
            count,
        }));
        if !cursor.take(Token::Comma) {
            break;
        }
    }
    cursor.expect(Token::Semicolon)?;
    Ok(found)
}

/// Registers of one declaration.
const MOST_REGISTERS: u64 = 1 << 24;

/// `L:`, or what a label names.
fn label<'a>(cursor: &mut Cursor<'a>) -> Result<StatementKind<'a>, Error> {
    let name = cursor.word()?;
    cursor.skip();
    Ok(match cursor.peek() {
        Some(Token::Dotted("callprototype")) => {
            cursor.skip();
            StatementKind::Local(Local::Prototype(name, function::prototype(cursor)?))
        }
        Some(Token::Dotted("branchtargets" | "calltargets")) => {
            cursor.skip();
            let mut targets = vec![cursor.word()?];
            while cursor.take(Token::Comma) {
                targets.push(cursor.word()?);
            }
            cursor.expect(Token::Semicolon)?;
            StatementKind::Local(Local::Targets(name, targets))
        }
        _ => StatementKind::Label(name),
    })
}

fn instruction<'a>(cursor: &mut Cursor<'a>) -> Result<Instruction<'a>, Error> {
    let guard = match cursor.take(Token::At) {
        true => {
            let holds = !cursor.take(Token::Not);
            Some((cursor.word()?, holds))
        }
        false => None,
    };
    let position = cursor.position();
    let opcode = cursor.word()?;
    let mut modifiers = Vec::new();
    while let Some(word) = cursor.dotted() {
        modifiers.push(word);
    }
    let operands = operand::operands(cursor)?;
    cursor.expect(Token::Semicolon)?;
    Ok(Instruction {
        guard,
        opcode,
        modifiers,
        operands,
        position,
    })
}

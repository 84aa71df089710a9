//! Tokens of PTX (PTX ISA, "Syntax").

mod position;
mod token;

pub use token::Token;

use logos::Logos;

use crate::error::{Error, Position};
use position::Positions;

/// A token and where it begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Located<'a> {
    /// What it is.
    pub token: Token<'a>,
    /// Where it begins.
    pub position: Position,
}

/// The tokens of a text, without comments.
pub fn tokens(text: &str) -> Result<Vec<Located<'_>>, Error> {
    let mut positions = Positions::new(text);
    let mut found = Vec::new();
    for (token, span) in Token::lexer(text).spanned() {
        let position = positions.of(span.start);
        match token {
            Ok(token) => found.push(Located { token, position }),
            Err(()) => {
                let letter = text[span.start..].chars().next().unwrap_or(' ');
                let what = match text[span.start..].starts_with("/*") {
                    true => "a comment that does not end".to_owned(),
                    false if letter == '"' => "a string that does not end".to_owned(),
                    false => format!("{letter:?} is no part of PTX"),
                };
                return Err(Error::new(position, what));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<Token<'_>> {
        let found = tokens(text).unwrap();
        found.into_iter().map(|located| located.token).collect()
    }

    #[test]
    fn an_instruction() {
        assert_eq!(
            of("@!%p1 ld.global.L2::128B.u32 %r1, [x+4];"),
            [
                Token::At,
                Token::Not,
                Token::Word("%p1"),
                Token::Word("ld"),
                Token::Dotted("global"),
                Token::Dotted("L2::128B"),
                Token::Dotted("u32"),
                Token::Word("%r1"),
                Token::Comma,
                Token::OpenBracket,
                Token::Word("x"),
                Token::Plus,
                Token::Number("4"),
                Token::CloseBracket,
                Token::Semicolon,
            ]
        );
    }

    #[test]
    fn numbers() {
        for number in [
            "0",
            "12U",
            "0x1F",
            "0b101",
            "017",
            "0f3F800000",
            "0d3FF0000000000000",
            "1.5",
            "2e-3",
        ] {
            assert_eq!(of(number), [Token::Number(number)]);
        }
    }

    #[test]
    fn comments_are_skipped_and_lines_counted() {
        let found = tokens("// a\n/* b\n ** */ ret;\n").unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(found[0].position, Position { line: 3, column: 8 });
    }

    #[test]
    fn what_is_no_token_is_placed() {
        for (text, line, column) in [
            ("ret;\n  #", 2, 3),
            ("/* x", 1, 1),
            ("ü", 1, 1),
            (".file 1 \"x\n", 1, 9),
        ] {
            let error = tokens(text).unwrap_err();
            assert_eq!(error.position, Position { line, column }, "{error}");
        }
    }
}

//! A place among tokens.

use crate::error::{Error, Position};
use crate::lexer::{Located, Token};

/// The tokens that are left.
pub struct Cursor<'a> {
    tokens: Vec<Located<'a>>,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// All tokens.
    pub fn new(tokens: Vec<Located<'a>>) -> Cursor<'a> {
        Cursor { tokens, at: 0 }
    }

    /// The next token.
    pub fn peek(&self) -> Option<Token<'a>> {
        self.peek_after(0)
    }

    /// The token `count` behind the next.
    pub fn peek_after(&self, count: usize) -> Option<Token<'a>> {
        self.tokens
            .get(self.at + count)
            .map(|located| located.token)
    }

    /// Takes the next token.
    pub fn next(&mut self) -> Option<Token<'a>> {
        let token = self.peek();
        self.at += usize::from(token.is_some());
        token
    }

    /// Leaves the next token out.
    pub fn skip(&mut self) {
        self.next();
    }

    /// Where the next token is; behind the last one, where that is.
    pub fn position(&self) -> Position {
        let last = self.tokens.len().saturating_sub(1);
        let located = self.tokens.get(self.at.min(last));
        located.map_or(Position { line: 1, column: 1 }, |located| located.position)
    }

    /// Takes the next token if it is this one.
    pub fn take(&mut self, token: Token<'_>) -> bool {
        let is = self.peek() == Some(token);
        self.at += usize::from(is);
        is
    }

    /// Takes the token that has to follow.
    pub fn expect(&mut self, token: Token<'_>) -> Result<(), Error> {
        match self.take(token) {
            true => Ok(()),
            false => Err(self.unexpected(&token.to_string(), self.position())),
        }
    }

    /// Takes the name that has to follow.
    pub fn word(&mut self) -> Result<&'a str, Error> {
        let position = self.position();
        match self.peek() {
            Some(Token::Word(word)) => {
                self.skip();
                Ok(word)
            }
            _ => Err(self.unexpected("a name", position)),
        }
    }

    /// Takes the next token if it is a word behind a dot.
    pub fn dotted(&mut self) -> Option<&'a str> {
        match self.peek() {
            Some(Token::Dotted(word)) => {
                self.skip();
                Some(word)
            }
            _ => None,
        }
    }

    /// That something else is there.
    pub fn unexpected(&self, wanted: &str, position: Position) -> Error {
        let found = match self.peek() {
            Some(token) => token.to_string(),
            None => "the end of the text".to_owned(),
        };
        Error::new(position, format!("expected {wanted}, found {found}"))
    }
}

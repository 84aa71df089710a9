//! What is wrong with a text, and where.

use std::fmt;

/// A place in a text, counted from 1. Columns count characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// A text that is not PTX, or PTX that means nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("PTX, {position}: {message}")]
pub struct Error {
    /// Where.
    pub position: Position,
    /// What.
    pub message: String,
}

impl Error {
    /// An error at a place.
    pub fn new(position: Position, message: impl Into<String>) -> Error {
        Error {
            position,
            message: message.into(),
        }
    }
}

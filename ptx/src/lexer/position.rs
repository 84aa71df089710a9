//! Lines and columns of a text.

use crate::error::Position;

/// Finds the positions of offsets that only grow.
pub struct Positions<'a> {
    text: &'a str,
    line: u32,
    /// Where the line begins.
    begin: usize,
    /// Up to where lines are counted.
    seen: usize,
}

impl<'a> Positions<'a> {
    /// The positions in a text.
    pub fn new(text: &'a str) -> Positions<'a> {
        Positions {
            text,
            line: 1,
            begin: 0,
            seen: 0,
        }
    }

    /// The position of an offset that is not before the last one.
    pub fn of(&mut self, offset: usize) -> Position {
        for (at, byte) in self.text.as_bytes()[self.seen..offset].iter().enumerate() {
            if *byte == b'\n' {
                self.line = self.line.saturating_add(1);
                self.begin = self.seen + at + 1;
            }
        }
        self.seen = offset;
        let column = self.text[self.begin..offset].chars().count();
        Position {
            line: self.line,
            column: u32::try_from(column + 1).unwrap_or(u32::MAX),
        }
    }
}

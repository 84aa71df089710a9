//! Instructions and operands.

use crate::error::Position;

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand<'a> {
    /// A register, a variable, a label, a name that PTX defines; `%tid.x` and the like with the component.
    Name(&'a str, Option<&'a str>),
    /// A name and what is added to its address.
    Sum(&'a str, i64),
    /// `array[index]`: an element of a variable. The index is a number, or a register with or without an addend.
    Element(&'a str, Box<Operand<'a>>),
    /// A whole number.
    Integer(u64),
    /// The bits of a number of single precision.
    Single(u32),
    /// The bits of a number of double precision; decimal numbers, too.
    Double(u64),
    /// `[base+offset]`, `[texture, {x, y}]`: the parts between commas.
    Address(Vec<Operand<'a>>),
    /// `{a, b}`
    Tuple(Vec<Operand<'a>>),
    /// `a|p`
    Pair(Box<Operand<'a>>, Box<Operand<'a>>),
    /// `!p`
    Not(Box<Operand<'a>>),
    /// `-r`
    Negative(Box<Operand<'a>>),
    /// `(a, b)` of a call.
    List(Vec<Operand<'a>>),
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction<'a> {
    /// The predicate, and whether it is to hold.
    pub guard: Option<(&'a str, bool)>,
    /// `add`
    pub opcode: &'a str,
    /// `sat`, `s32`
    pub modifiers: Vec<&'a str>,
    /// What follows.
    pub operands: Vec<Operand<'a>>,
    /// Where.
    pub position: Position,
}

impl Instruction<'_> {
    /// Whether it has a modifier.
    pub fn has(&self, modifier: &str) -> bool {
        self.modifiers.contains(&modifier)
    }

    /// As it is written, without operands.
    pub fn name(&self) -> String {
        let parts = [&[self.opcode], self.modifiers.as_slice()].concat();
        parts.join(".")
    }
}

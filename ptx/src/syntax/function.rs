//! Kernels, functions and their statements.

use super::instruction::Instruction;
use super::types::Type;
use super::variable::Variable;
use crate::error::Position;

/// Directives that bound a kernel's launches (PTX ISA, "Performance-Tuning Directives").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// `.maxntid`
    pub threads: Option<[u64; 3]>,
    /// `.reqntid`
    pub block: Option<[u64; 3]>,
    /// `.minnctapersm`
    pub blocks: Option<u64>,
}

/// A kernel or a function.
#[derive(Debug)]
pub struct Function<'a> {
    /// Whether it is a kernel.
    pub kernel: bool,
    /// Its name.
    pub name: &'a str,
    /// What it returns.
    pub results: Vec<Variable<'a>>,
    /// What it takes.
    pub parameters: Vec<Variable<'a>>,
    /// How it may be launched.
    pub bounds: Bounds,
    /// Whether it never returns.
    pub no_return: bool,
    /// Its statements; `None`: a declaration.
    pub body: Option<Vec<Statement<'a>>>,
    /// Where.
    pub position: Position,
}

/// Types of a function that is called through a pointer.
#[derive(Clone, Debug, PartialEq)]
pub struct Prototype<'a> {
    /// What it returns.
    pub results: Vec<Variable<'a>>,
    /// What it takes.
    pub parameters: Vec<Variable<'a>>,
}

/// Something a function declares.
#[derive(Clone, Debug, PartialEq)]
pub enum Local<'a> {
    /// Registers `name0`, …, or the one with the name.
    Registers {
        /// Their type.
        ty: Type,
        /// Elements of each.
        vector: u64,
        /// The name, or what names begin with.
        name: &'a str,
        /// How many; `None`: one, with the name as it is.
        count: Option<u64>,
    },
    /// A variable.
    Variable(Variable<'a>),
    /// `name: .callprototype …`
    Prototype(&'a str, Prototype<'a>),
    /// `name: .branchtargets …`
    Targets(&'a str, Vec<&'a str>),
}

/// A statement and where it begins.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement<'a> {
    /// What it is.
    pub kind: StatementKind<'a>,
    /// Where.
    pub position: Position,
}

/// What a statement is.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind<'a> {
    /// A declaration.
    Local(Local<'a>),
    /// `L:`
    Label(&'a str),
    /// An instruction.
    Instruction(Instruction<'a>),
    /// `.loc file line column`
    Location(u64, u64, u64),
    /// `{`
    Open,
    /// `}`
    Close,
}

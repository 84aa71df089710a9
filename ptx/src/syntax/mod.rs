//! The syntax tree.

mod function;
mod instruction;
mod types;
mod variable;

pub use function::{Bounds, Function, Local, Prototype, Statement, StatementKind};
pub use instruction::{Instruction, Operand};
pub use types::{Kind, Type};
pub use variable::{Initializer, Linkage, Space, Variable};

use crate::error::Position;

/// A PTX module.
#[derive(Debug, Default)]
pub struct Module<'a> {
    /// `.version`, and where.
    pub version: Option<((u32, u32), Position)>,
    /// `.target`'s words.
    pub target: Vec<&'a str>,
    /// `.address_size`, and where.
    pub address_size: Option<(u64, Position)>,
    /// Variables of the module, in order.
    pub variables: Vec<Variable<'a>>,
    /// Kernels and functions, declarations included, in order.
    pub functions: Vec<Function<'a>>,
    /// `.alias new, old`, and where.
    pub aliases: Vec<(&'a str, &'a str, Position)>,
    /// `.file` by its number.
    pub files: Vec<(u64, &'a str)>,
}

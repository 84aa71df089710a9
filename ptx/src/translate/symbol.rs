//! What names of a function stand for in LLVM assembly.

use std::rc::Rc;

use crate::syntax::{Prototype, Type};

/// What a name stands for.
#[derive(Clone)]
pub enum Symbol<'a> {
    /// A register, or registers whose names begin alike. The number tells apart those of different declarations.
    Register {
        /// Its type.
        ty: Type,
        /// Elements.
        vector: u64,
        /// The declaration.
        declaration: usize,
    },
    /// A variable in memory.
    Memory {
        /// Its generic address, as a `ptr`.
        address: String,
        /// Bytes of an element.
        element: u64,
    },
    /// A label: the name of its block.
    Label(String),
    /// What a call through a pointer gives and takes.
    Prototype(Rc<Prototype<'a>>),
    /// Labels, or functions that a call through a pointer may reach.
    Targets(Rc<Vec<&'a str>>),
}

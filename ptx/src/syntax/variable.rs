//! Variables (PTX ISA, "Variables").

use super::types::Type;
use crate::error::Position;

/// A state space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// `.global`
    Global,
    /// `.const`
    Constant,
    /// `.shared`
    Shared,
    /// `.local`
    Local,
    /// `.param`
    Parameter,
    /// `.reg`
    Register,
}

impl Space {
    /// The space that follows a dot. What stands behind `::` tells apart parts of a space.
    pub fn of(name: &str) -> Option<Space> {
        Some(match name.split("::").next().unwrap_or(name) {
            "global" => Space::Global,
            "const" => Space::Constant,
            "shared" => Space::Shared,
            "local" => Space::Local,
            "param" => Space::Parameter,
            "reg" => Space::Register,
            _ => return None,
        })
    }
}

/// How a name is seen by other modules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Linkage {
    /// Not at all.
    #[default]
    Internal,
    /// `.visible`, `.common`
    Visible,
    /// `.weak`
    Weak,
    /// `.extern`
    External,
}

/// A part of a variable's first value.
#[derive(Clone, Debug, PartialEq)]
pub enum Initializer<'a> {
    /// An element's bits.
    Number(u64),
    /// An address: name, addend, and the mask `0xff…` of one of its bytes, if only that is meant.
    Address {
        /// Whose.
        name: &'a str,
        /// What is added.
        addend: i64,
        /// Which bits of it are meant.
        mask: Option<u64>,
        /// Whether `generic(…)` asks for the generic address.
        generic: bool,
    },
}

/// A variable or a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable<'a> {
    /// Who sees it.
    pub linkage: Linkage,
    /// Its state space.
    pub space: Space,
    /// `.align`, or that of its type.
    pub align: u64,
    /// Of an element.
    pub ty: Type,
    /// Elements of its vector type.
    pub vector: u64,
    /// Its name.
    pub name: &'a str,
    /// Elements of the array; `None`: no array. 0: an array whose size is not said.
    pub elements: Option<u64>,
    /// Its first value.
    pub initializer: Option<Vec<Initializer<'a>>>,
    /// Whether a parameter is said to be a pointer.
    pub pointer: bool,
    /// Where.
    pub position: Position,
}

impl Variable<'_> {
    /// Bytes in memory.
    pub fn bytes(&self) -> u64 {
        let one = self.ty.bytes().saturating_mul(self.vector);
        one.saturating_mul(self.elements.unwrap_or(1))
    }

    /// Whether its value fits a register: no array, no vector.
    pub fn is_scalar(&self) -> bool {
        self.elements.is_none() && self.vector == 1
    }
}

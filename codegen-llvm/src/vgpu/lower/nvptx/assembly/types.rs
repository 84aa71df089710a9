//! The types of PTX (PTX ISA, "Fundamental Types").

/// How the bits of a value are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `.u32`, `.b32`
    Unsigned,
    /// `.s32`
    Signed,
    /// `.f32`
    Float,
    /// `.bf16`
    Brain,
    /// `.pred`
    Predicate,
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ty {
    pub kind: Kind,
    /// Bits of an element.
    pub bits: u32,
    /// 2 for `.f16x2`.
    pub elements: u32,
}

/// A predicate.
pub const PREDICATE: Ty = Ty {
    kind: Kind::Predicate,
    bits: 1,
    elements: 1,
};

/// An integer without a sign.
pub const fn unsigned(bits: u32) -> Ty {
    Ty {
        kind: Kind::Unsigned,
        bits,
        elements: 1,
    }
}

impl Ty {
    /// The type of a part of an opcode.
    pub fn of(part: &str) -> Option<Ty> {
        let (kind, rest) = match part {
            "pred" => return Some(PREDICATE),
            // 32 bits of which a multiplication takes 19.
            "tf32" => return Some(unsigned(32)),
            _ if part.starts_with("bf") => (Kind::Brain, &part[2..]),
            _ if part.starts_with(['u', 'b']) => (Kind::Unsigned, &part[1..]),
            _ if part.starts_with('s') => (Kind::Signed, &part[1..]),
            _ if part.starts_with('f') => (Kind::Float, &part[1..]),
            _ => return None,
        };
        let (bits, elements) = match rest.strip_suffix("x2") {
            Some(bits) => (bits, 2),
            None => (rest, 1),
        };
        let bits = bits.parse().ok()?;
        let known = match kind {
            Kind::Brain => bits == 16,
            Kind::Float => matches!(bits, 16 | 32 | 64),
            _ if part == "b128" => true,
            _ => matches!(bits, 8 | 16 | 32 | 64) && elements == 1,
        };
        known.then_some(Ty {
            kind,
            bits,
            elements,
        })
    }

    /// Bits of the whole.
    pub fn size(self) -> u32 {
        self.bits * self.elements
    }

    pub fn is_float(self) -> bool {
        matches!(self.kind, Kind::Float | Kind::Brain)
    }

    pub fn is_signed(self) -> bool {
        self.kind == Kind::Signed
    }

    /// One of its elements.
    pub fn element(self) -> Ty {
        Ty {
            elements: 1,
            ..self
        }
    }

    /// LLVM's name.
    pub fn llvm(self) -> String {
        let element = match (self.kind, self.bits) {
            (Kind::Float, 16) => "half".to_owned(),
            (Kind::Float, 32) => "float".to_owned(),
            (Kind::Float, _) => "double".to_owned(),
            (Kind::Brain, _) => "bfloat".to_owned(),
            (_, bits) => format!("i{bits}"),
        };
        match self.elements {
            1 => element,
            count => format!("<{count} x {element}>"),
        }
    }

    /// The name in LLVM's intrinsics.
    pub fn suffix(self) -> String {
        let letter = match self.kind {
            Kind::Float => "f",
            Kind::Brain => "bf",
            _ => "i",
        };
        match self.elements {
            1 => format!("{letter}{}", self.bits),
            count => format!("v{count}{letter}{}", self.bits),
        }
    }
}

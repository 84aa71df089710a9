//! Types (PTX ISA, "Types").

/// How the bits of a value are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `.b32`
    Bits,
    /// `.u32`
    Unsigned,
    /// `.s32`
    Signed,
    /// `.f32`, `.bf16`, `.f16x2`, …
    Float,
    /// `.pred`
    Predicate,
    /// `.texref`
    Texture,
    /// `.samplerref`
    Sampler,
    /// `.surfref`
    Surface,
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    /// How its bits are taken.
    pub kind: Kind,
    /// Bits.
    pub bits: u32,
}

impl Type {
    /// The type that follows a dot.
    pub fn of(name: &str) -> Option<Type> {
        let (kind, bits) = match name {
            "pred" => (Kind::Predicate, 1),
            "b8" => (Kind::Bits, 8),
            "b16" => (Kind::Bits, 16),
            "b32" => (Kind::Bits, 32),
            "b64" => (Kind::Bits, 64),
            "b128" => (Kind::Bits, 128),
            "u8" => (Kind::Unsigned, 8),
            "u16" => (Kind::Unsigned, 16),
            "u32" => (Kind::Unsigned, 32),
            "u64" => (Kind::Unsigned, 64),
            "s8" => (Kind::Signed, 8),
            "s16" => (Kind::Signed, 16),
            "s32" => (Kind::Signed, 32),
            "s64" => (Kind::Signed, 64),
            "f16" | "bf16" => (Kind::Float, 16),
            "f32" | "f16x2" | "bf16x2" | "tf32" => (Kind::Float, 32),
            "u16x2" | "s16x2" | "u8x4" | "s8x4" => (Kind::Bits, 32),
            "f64" | "f32x2" => (Kind::Float, 64),
            "texref" => (Kind::Texture, 64),
            "samplerref" => (Kind::Sampler, 64),
            "surfref" => (Kind::Surface, 64),
            _ => return None,
        };
        Some(Type { kind, bits })
    }

    /// Whether only instructions for textures and surfaces know what is in it.
    pub fn is_opaque(self) -> bool {
        matches!(self.kind, Kind::Texture | Kind::Sampler | Kind::Surface)
    }

    /// Bytes in memory.
    pub fn bytes(self) -> u64 {
        u64::from(self.bits.max(8) / 8)
    }

    /// The type of its register in LLVM assembly.
    pub fn llvm(self) -> String {
        format!("i{}", self.bits)
    }
}

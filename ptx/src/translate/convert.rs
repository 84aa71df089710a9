//! Conversions that inline assembly does not have (PTX ISA, "cvt").

use super::function::Translator;
use crate::syntax::{Instruction, Kind, Operand, Type};

impl<'a> Translator<'_, '_, 'a> {
    /// Translates `cvt.sat` between integers, and to `bf16` towards zero.
    pub fn conversions(&mut self, instruction: &Instruction<'a>) -> Option<()> {
        let ([.., made, ty], [to, source]) = (
            instruction.modifiers.as_slice(),
            instruction.operands.as_slice(),
        ) else {
            return None;
        };
        if instruction.opcode == "cvt" && instruction.modifiers == ["rz", "bf16", "f32"] {
            return self.cut(to, source);
        }
        let (made, ty) = (Type::of(made)?, Type::of(ty)?);
        let whole = |ty: Type| matches!(ty.kind, Kind::Unsigned | Kind::Signed);
        if instruction.opcode != "cvt" || !instruction.has("sat") || !whole(made) || !whole(ty) {
            return None;
        }
        self.clamp(to, source, made, ty)
    }

    /// The upper half of a `float`. What is no number becomes the canonical one of those.
    fn cut(&mut self, to: &Operand<'a>, source: &Operand<'a>) -> Option<()> {
        let value = self.value(source, 32, false)?;
        let upper = self.out.op(&format!("lshr i32 {value}, 16"));
        let magnitude = self.out.op(&format!("and i32 {value}, 2147483647"));
        let is_number = self
            .out
            .op(&format!("icmp ule i32 {magnitude}, 2139095040"));
        let chosen = self
            .out
            .op(&format!("select i1 {is_number}, i32 {upper}, i32 32767"));
        let value = self.out.resize(&chosen, 32, 16, false);
        self.assign(to, &value, 16, false)
    }

    /// The nearest number of a type. All are computed in more bits than either has.
    fn clamp(
        &mut self,
        to: &Operand<'a>,
        source: &Operand<'a>,
        made: Type,
        ty: Type,
    ) -> Option<()> {
        let signed = made.kind == Kind::Signed;
        let (least, most) = match (signed, made.bits) {
            (true, bits) => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            (false, bits) => (0, (1i128 << bits) - 1),
        };
        let value = self.value(source, ty.bits, false)?;
        let value = self
            .out
            .resize(&value, ty.bits, 128, ty.kind == Kind::Signed);
        let value = self.out.call(
            "i128",
            "llvm.smax.i128",
            &[("i128", &value), ("i128", &least.to_string())],
        );
        let value = self.out.call(
            "i128",
            "llvm.smin.i128",
            &[("i128", &value), ("i128", &most.to_string())],
        );
        let value = self.out.resize(&value, 128, made.bits, false);
        self.assign(to, &value, made.bits, signed)
    }
}

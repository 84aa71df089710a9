//! Conversions that inline assembly does not have (PTX ISA, "cvt").

use super::function::Translator;
use crate::syntax::{Instruction, Kind, Operand, Type};

impl<'a> Translator<'_, '_, 'a> {
    /// Translates `cvt.sat` between integers.
    pub fn conversions(&mut self, instruction: &Instruction<'a>) -> Option<()> {
        let ([.., made, ty], [to, source]) = (
            instruction.modifiers.as_slice(),
            instruction.operands.as_slice(),
        ) else {
            return None;
        };
        let (made, ty) = (Type::of(made)?, Type::of(ty)?);
        let whole = |ty: Type| matches!(ty.kind, Kind::Unsigned | Kind::Signed);
        if instruction.opcode != "cvt" || !instruction.has("sat") || !whole(made) || !whole(ty) {
            return None;
        }
        self.clamp(to, source, made, ty)
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

//! Arithmetic with a carry from one instruction to another (PTX ISA, "Extended-Precision Integer Arithmetic
//! Instructions").

use super::function::Translator;
use crate::syntax::{Instruction, Kind, Operand, Type};

/// The register of the carry.
const CARRY: &str = "CC.CF";

/// The carry's type: none of PTX's registers.
const FLAG: Type = Type {
    kind: Kind::Predicate,
    bits: 1,
};

impl<'a> Translator<'_, '_, 'a> {
    /// Translates an instruction of this family.
    pub fn carries(&mut self, instruction: &Instruction<'a>) -> Option<()> {
        let takes = matches!(instruction.opcode, "addc" | "subc" | "madc");
        let gives = instruction.modifiers.contains(&"cc");
        if !takes && !gives {
            return None;
        }
        let ty = Type::of(instruction.modifiers.last()?)?;
        let (to, sources) = instruction.operands.split_first()?;
        let (first, second) = match (instruction.opcode, sources) {
            ("add" | "addc" | "sub" | "subc", [a, b]) => (
                self.value(a, ty.bits, false)?,
                self.value(b, ty.bits, false)?,
            ),
            ("mad" | "madc", [a, b, c]) => (
                self.product(instruction, ty, a, b)?,
                self.value(c, ty.bits, false)?,
            ),
            _ => return None,
        };
        let subtracts = instruction.opcode.starts_with("sub");
        let wide = ty.bits + 1;
        let first = self.out.resize(&first, ty.bits, wide, false);
        let second = self.out.resize(&second, ty.bits, wide, false);
        let flag = self.register(0, CARRY, None, FLAG);
        let operation = if subtracts { "sub" } else { "add" };
        let mut sum = self
            .out
            .op(&format!("{operation} i{wide} {first}, {second}"));
        if takes {
            let carry = self.out.op(&format!("load i1, ptr {flag}"));
            let carry = self.out.resize(&carry, 1, wide, false);
            sum = self.out.op(&format!("{operation} i{wide} {sum}, {carry}"));
        }
        if gives {
            let carry = self.out.op(&format!("lshr i{wide} {sum}, {}", ty.bits));
            let carry = self.out.resize(&carry, wide, 1, false);
            self.out.line(&format!("store i1 {carry}, ptr {flag}"));
        }
        let value = self.out.resize(&sum, wide, ty.bits, false);
        self.assign(to, &value, ty.bits, false)
    }

    /// The half of a product that is asked for.
    fn product(
        &mut self,
        instruction: &Instruction<'a>,
        ty: Type,
        a: &Operand<'a>,
        b: &Operand<'a>,
    ) -> Option<String> {
        let signed = ty.kind == Kind::Signed;
        let wide = 2 * ty.bits;
        let a = self.value(a, ty.bits, false)?;
        let b = self.value(b, ty.bits, false)?;
        let a = self.out.resize(&a, ty.bits, wide, signed);
        let b = self.out.resize(&b, ty.bits, wide, signed);
        let mut product = self.out.op(&format!("mul i{wide} {a}, {b}"));
        if instruction.has("hi") {
            product = self.out.op(&format!("lshr i{wide} {product}, {}", ty.bits));
        }
        Some(self.out.resize(&product, wide, ty.bits, false))
    }
}

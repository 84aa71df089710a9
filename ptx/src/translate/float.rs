//! Floating-point instructions that inline assembly does not have (PTX ISA, "Floating Point Instructions").

use super::function::Translator;
use crate::syntax::{Instruction, Kind, Operand, Type};

/// Classes of LLVM's `is.fpclass` (LLVM Language Reference) by the words of `testp`, to which zeros are normal.
const CLASSES: [(&str, u32); 6] = [
    ("finite", 0x1f8),
    ("infinite", 0x204),
    ("number", 0x3fc),
    ("notanumber", 0x003),
    ("normal", 0x168),
    ("subnormal", 0x090),
];

impl<'a> Translator<'_, '_, 'a> {
    /// Translates an instruction of this family.
    pub fn floats(&mut self, instruction: &Instruction<'a>) -> Option<()> {
        let (to, sources) = instruction.operands.split_first()?;
        let ty = Type::of(instruction.modifiers.last()?).filter(|ty| ty.kind == Kind::Float)?;
        match (instruction.opcode, sources) {
            ("copysign", [sign, value]) => {
                let (value, sign) = (self.float(value, ty)?, self.float(sign, ty)?);
                let llvm = floating(ty);
                let name = format!("llvm.copysign.f{}", ty.bits);
                let value = self.out.call(llvm, &name, &[(llvm, &value), (llvm, &sign)]);
                self.assign_float(to, &value, ty)
            }
            ("testp", [a]) => {
                let word = instruction.modifiers.first()?;
                let (_, class) = CLASSES.iter().find(|(name, _)| name == word)?;
                let llvm = floating(ty);
                let a = self.float(a, ty)?;
                let name = format!("llvm.is.fpclass.f{}", ty.bits);
                let value = self
                    .out
                    .call("i1", &name, &[(llvm, &a), ("i32", &class.to_string())]);
                self.assign(to, &value, 1, false)
            }
            ("slct", [a, b, c]) if instruction.modifiers.len() >= 2 => {
                let index = instruction.modifiers.len() - 2;
                let made = Type::of(instruction.modifiers[index])?;
                let c = self.float(c, ty)?;
                let chosen = self.out.op(&format!("fcmp oge {} {c}, 0.0", floating(ty)));
                self.choose(to, made, &chosen, a, b)
            }
            _ => None,
        }
    }

    /// An operand as a floating-point number.
    fn float(&mut self, operand: &Operand<'a>, ty: Type) -> Option<String> {
        let bits = match operand {
            Operand::Double(bits) if ty.bits == 32 => {
                (f64::from_bits(*bits) as f32).to_bits().to_string()
            }
            _ => self.value(operand, ty.bits, false)?,
        };
        Some(
            self.out
                .op(&format!("bitcast {} {bits} to {}", ty.llvm(), floating(ty))),
        )
    }

    fn assign_float(&mut self, to: &Operand<'a>, value: &str, ty: Type) -> Option<()> {
        let bits = self.out.op(&format!(
            "bitcast {} {value} to {}",
            floating(ty),
            ty.llvm()
        ));
        self.assign(to, &bits, ty.bits, false)
    }
}

fn floating(ty: Type) -> &'static str {
    if ty.bits == 32 { "float" } else { "double" }
}

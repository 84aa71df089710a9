//! Parameters, addresses, and the stack (PTX ISA, "Data Movement and Conversion Instructions").
//!
//! Accesses to other state spaces are handed on with their address.

use super::function::Translator;
use crate::syntax::{Instruction, Kind, Operand, Type};

impl<'a> Translator<'_, '_, 'a> {
    /// Translates an instruction of this family.
    pub fn memory(&mut self, instruction: &Instruction<'a>) -> Option<()> {
        let is_parameter = instruction
            .modifiers
            .iter()
            .any(|word| word.starts_with("param"));
        match (instruction.opcode, instruction.operands.as_slice()) {
            ("ld", [to, from]) if is_parameter => self.load_parameter(instruction, to, from),
            ("st", [to, value]) if is_parameter => self.store_parameter(instruction, to, value),
            ("mov", [to, from @ Operand::Element(..)]) => {
                let value = self.value(from, 64, false)?;
                self.assign(to, &value, 64, false)
            }
            ("mov", [to, from @ (Operand::Name(_, None) | Operand::Sum(..))]) => {
                self.move_address(instruction, to, from)
            }
            ("cvta", [to, from]) => self.convert_shared_offset(instruction, to, from),
            ("isspacep", [to, address]) => self.is_in_space(instruction, to, address),
            ("istypep", [to, handle]) => self.is_of_type(instruction, to, handle),
            ("alloca", [to, size, ..]) => self.allocate(instruction, to, size),
            ("stacksave", [to]) => {
                let stack = self.out.call("ptr", "llvm.stacksave.p0", &[]);
                let value = self.out.op(&format!("ptrtoint ptr {stack} to i64"));
                self.assign(to, &value, 64, false)
            }
            ("stackrestore", [from]) => {
                let value = self.value(from, 64, false)?;
                let stack = self.out.op(&format!("inttoptr i64 {value} to ptr"));
                self.out
                    .call("void", "llvm.stackrestore.p0", &[("ptr", &stack)]);
                Some(())
            }
            _ => None,
        }
    }

    /// The address in brackets, if a name is its base.
    fn named_address(&mut self, operand: &Operand<'a>) -> Option<String> {
        let parts = match operand {
            Operand::Address(parts) => parts,
            Operand::Element(..) => {
                let value = self.value(operand, 64, false)?;
                return Some(self.out.op(&format!("inttoptr i64 {value} to ptr")));
            }
            _ => return None,
        };
        let (name, addend) = match parts.as_slice() {
            [Operand::Name(name, None)] => (*name, 0),
            [Operand::Sum(name, addend)] => (*name, *addend),
            _ => return None,
        };
        let address = match self.as_register(&Operand::Name(name, None)) {
            Some(register) if register.ty.bits == 64 => {
                let value = self.out.op(&format!("load i64, ptr {}", register.variable));
                self.out.op(&format!("inttoptr i64 {value} to ptr"))
            }
            Some(_) => return None,
            None => self.as_address(name)?,
        };
        Some(match addend {
            0 => address,
            _ => self
                .out
                .op(&format!("getelementptr i8, ptr {address}, i64 {addend}")),
        })
    }

    fn load_parameter(
        &mut self,
        instruction: &Instruction<'a>,
        to: &Operand<'a>,
        from: &Operand<'a>,
    ) -> Option<()> {
        let ty = element(instruction)?;
        let base = self.named_address(from)?;
        for (index, target) in self.elements(to).iter().enumerate() {
            let address = self.element_address(&base, index, ty);
            let value = self
                .out
                .op(&format!("load {}, ptr {address}, align 1", ty.llvm()));
            self.assign(target, &value, ty.bits, ty.kind == Kind::Signed)?;
        }
        Some(())
    }

    fn store_parameter(
        &mut self,
        instruction: &Instruction<'a>,
        to: &Operand<'a>,
        value: &Operand<'a>,
    ) -> Option<()> {
        let ty = element(instruction)?;
        let base = self.named_address(to)?;
        for (index, source) in self.elements(value).iter().enumerate() {
            let value = self.value(source, ty.bits, false)?;
            let address = self.element_address(&base, index, ty);
            self.out.line(&format!(
                "store {} {value}, ptr {address}, align 1",
                ty.llvm()
            ));
        }
        Some(())
    }

    fn element_address(&mut self, base: &str, index: usize, ty: Type) -> String {
        let offset = index as u64 * ty.bytes();
        match offset {
            0 => base.to_owned(),
            _ => self
                .out
                .op(&format!("getelementptr i8, ptr {base}, i64 {offset}")),
        }
    }

    /// `mov` of the address of a variable or a function.
    fn move_address(
        &mut self,
        instruction: &Instruction<'a>,
        to: &Operand<'a>,
        from: &Operand<'a>,
    ) -> Option<()> {
        let name = match from {
            Operand::Name(name, None) | Operand::Sum(name, _) => *name,
            _ => return None,
        };
        let is_register = self.as_register(&Operand::Name(name, None)).is_some();
        if is_register && matches!(from, Operand::Name(..)) {
            return None;
        }
        self.as_address(name)?;
        let ty = Type::of(instruction.modifiers.last()?)?;
        let value = self.value(from, ty.bits, false)?;
        self.assign(to, &value, ty.bits, false)
    }

    fn is_in_space(
        &mut self,
        instruction: &Instruction<'a>,
        to: &Operand<'a>,
        address: &Operand<'a>,
    ) -> Option<()> {
        let space = instruction.modifiers.first()?.split("::").next()?;
        if !matches!(space, "global" | "shared" | "local" | "const") {
            return None;
        }
        let value = self.value(address, 64, false)?;
        let address = self.out.op(&format!("inttoptr i64 {value} to ptr"));
        let name = format!("llvm.nvvm.isspacep.{space}");
        let value = self.out.call("i1", &name, &[("ptr", &address)]);
        self.assign(to, &value, 1, false)
    }

    /// `istypep.texref p, a`: whether a handle is that of one of the module's variables of this type. Two that have no
    /// handle yet are not told from each other.
    fn is_of_type(
        &mut self,
        instruction: &Instruction<'a>,
        to: &Operand<'a>,
        handle: &Operand<'a>,
    ) -> Option<()> {
        let wanted = Type::of(instruction.modifiers.first()?).filter(|ty| ty.is_opaque())?;
        let handle = self.value(handle, 64, false)?;
        let variables = self.context.variables.values();
        let mut names: Vec<_> = variables
            .filter(|variable| variable.ty == wanted)
            .map(|variable| variable.name)
            .collect();
        names.sort_unstable();
        let mut any = "false".to_owned();
        for name in names {
            let known = self.value(&Operand::Name(name, None), 64, false)?;
            let same = self.out.op(&format!("icmp eq i64 {handle}, {known}"));
            any = self.out.op(&format!("or i1 {any}, {same}"));
        }
        self.assign(to, &any, 1, false)
    }

    /// `alloca.u64 address, size[, align]`
    fn allocate(
        &mut self,
        instruction: &Instruction<'a>,
        to: &Operand<'a>,
        size: &Operand<'a>,
    ) -> Option<()> {
        let align = match instruction.operands.get(2) {
            Some(Operand::Integer(align)) if align.is_power_of_two() && *align <= 1 << 16 => *align,
            None => 16,
            _ => return None,
        };
        let size = self.value(size, 64, false)?;
        let memory = self
            .out
            .op(&format!("alloca i8, i64 {size}, align {align}"));
        let value = self.out.op(&format!("ptrtoint ptr {memory} to i64"));
        self.assign(to, &value, 64, false)
    }
}

/// The type of an access's elements; bits are all that counts, but for the sign.
fn element(instruction: &Instruction<'_>) -> Option<Type> {
    Type::of(instruction.modifiers.last()?).filter(|ty| !ty.is_opaque())
}

//! Control flow (PTX ISA, "Control Flow Instructions") and guards.

use super::function::Translator;
use super::symbol::Symbol;
use crate::syntax::{Instruction, Operand};

impl<'a> Translator<'_, '_, 'a> {
    /// Translates an instruction of this family.
    pub fn control(&mut self, instruction: &Instruction<'a>) -> Option<()> {
        match (instruction.opcode, instruction.operands.as_slice()) {
            ("bra", [target]) => {
                let block = self.block(target)?;
                self.out.end(&format!("br label %\"{block}\""));
                Some(())
            }
            ("brx", [index, targets]) if instruction.has("idx") => {
                self.branch_by_index(index, targets)
            }
            ("ret", []) => {
                self.ret();
                Some(())
            }
            ("exit", []) => {
                self.out.call("void", "llvm.nvvm.exit", &[]);
                self.out.end("unreachable");
                Some(())
            }
            ("trap", []) => {
                self.out.call("void", "llvm.trap", &[]);
                self.out.end("unreachable");
                Some(())
            }
            _ => None,
        }
    }

    /// Jumps over an instruction whose predicate does not hold; gives the block behind it.
    pub fn guard(&mut self, instruction: &Instruction<'a>) -> Option<String> {
        let (name, holds) = instruction.guard?;
        let predicate = self.value(&Operand::Name(name, None), 1, false)?;
        let (then, after) = (self.out.fresh(), self.out.fresh());
        let (first, second) = if holds {
            (&then, &after)
        } else {
            (&after, &then)
        };
        self.out
            .end(&format!("br i1 {predicate}, label {first}, label {second}"));
        self.out.label(&then[1..]);
        Some(after[1..].to_owned())
    }

    /// The end of the function.
    pub fn ret(&mut self) {
        let text = match self.result.clone() {
            Some((ty, variable)) => {
                let value = self.out.op(&format!("load {}, ptr {variable}", ty.llvm()));
                format!("ret {} {value}", ty.llvm())
            }
            None => "ret void".to_owned(),
        };
        self.out.end(&text);
    }

    fn block(&self, operand: &Operand<'a>) -> Option<String> {
        match operand {
            Operand::Name(name, None) => self.block_of(name),
            _ => None,
        }
    }

    fn block_of(&self, name: &str) -> Option<String> {
        match self.scopes.find(name)? {
            (Symbol::Label(block), _) => Some(block),
            _ => None,
        }
    }

    /// An index without a target is undefined.
    fn branch_by_index(&mut self, index: &Operand<'a>, targets: &Operand<'a>) -> Option<()> {
        let Operand::Name(name, None) = targets else {
            return None;
        };
        let (Symbol::Targets(targets), _) = self.scopes.find(name)? else {
            return None;
        };
        let blocks: Option<Vec<_>> = targets.iter().map(|target| self.block_of(target)).collect();
        let index = self.value(index, 32, false)?;
        let nowhere = self.out.fresh();
        let cases: Vec<_> = blocks?
            .iter()
            .enumerate()
            .map(|(index, block)| format!("i32 {index}, label %\"{block}\""))
            .collect();
        self.out.end(&format!(
            "switch i32 {index}, label {nowhere} [ {} ]",
            cases.join(" ")
        ));
        self.out.label(&nowhere[1..]);
        self.out.end("unreachable");
        Some(())
    }
}

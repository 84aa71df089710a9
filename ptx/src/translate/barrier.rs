//! Barriers that reduce a predicate (PTX ISA, "bar, barrier").

use super::function::Translator;
use crate::syntax::{Instruction, Operand};

impl<'a> Translator<'_, '_, 'a> {
    /// Translates `bar.red` and `barrier.red`.
    pub fn barriers(&mut self, instruction: &Instruction<'a>) -> Option<()> {
        if !matches!(instruction.opcode, "bar" | "barrier") || !instruction.has("red") {
            return None;
        }
        let operation = ["popc", "and", "or"]
            .into_iter()
            .find(|name| instruction.has(name))?;
        let [to, barrier, rest @ .., predicate] = instruction.operands.as_slice() else {
            return None;
        };
        let barrier = self.value(barrier, 32, false)?;
        let predicate = self.value(predicate, 1, false)?;
        let bits = if operation == "popc" { 32 } else { 1 };
        let result = format!("i{bits}");
        let name = |scope| format!("llvm.nvvm.barrier.cta.red.{operation}.{scope}");
        let value = match rest {
            [] => self.out.call(
                &result,
                &name("all"),
                &[("i32", &barrier), ("i1", &predicate)],
            ),
            [count] => {
                let count = self.threads(count)?;
                let arguments = [
                    ("i32", barrier.as_str()),
                    ("i32", &count),
                    ("i1", &predicate),
                ];
                self.out.call(&result, &name("count"), &arguments)
            }
            _ => return None,
        };
        self.assign(to, &value, bits, false)
    }

    fn threads(&mut self, operand: &Operand<'a>) -> Option<String> {
        self.value(operand, 32, false)
    }
}

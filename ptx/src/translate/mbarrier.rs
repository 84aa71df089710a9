//! Barriers in memory (PTX ISA, "mbarrier"), without transactions.

use super::function::Translator;
use crate::syntax::{Instruction, Operand};

impl<'a> Translator<'_, '_, 'a> {
    /// Translates an instruction of this family.
    pub fn mbarriers(&mut self, instruction: &Instruction<'a>) -> Option<()> {
        let operation = instruction
            .modifiers
            .first()
            .filter(|_| instruction.opcode == "mbarrier")?;
        let is_known = |word: &&str| !matches!(*word, "expect_tx" | "shared::cluster");
        if !instruction.modifiers.iter().all(is_known) {
            return None;
        }
        match (*operation, instruction.operands.as_slice()) {
            ("init", [at, count]) => {
                let at = self.place_of(at)?;
                let count = self.value(count, 32, false)?;
                self.out.call(
                    "void",
                    "llvm.nvvm.mbarrier.init",
                    &[("ptr", &at), ("i32", &count)],
                );
                Some(())
            }
            ("inval", [at]) => {
                let at = self.place_of(at)?;
                self.out
                    .call("void", "llvm.nvvm.mbarrier.inval", &[("ptr", &at)]);
                Some(())
            }
            ("arrive" | "arrive_drop", [state, at, count @ ..]) => {
                self.arrive(operation, state, at, count.first())
            }
            ("pending_count", [to, state]) => {
                let state = self.value(state, 64, false)?;
                let value = self.out.call(
                    "i32",
                    "llvm.nvvm.mbarrier.pending.count",
                    &[("i64", &state)],
                );
                self.assign(to, &value, 32, false)
            }
            ("test_wait" | "try_wait", [to, at, state, ..]) => {
                self.wait(instruction, operation, to, at, state)
            }
            _ => None,
        }
    }

    /// The address in brackets, as a generic one.
    fn place_of(&mut self, operand: &Operand<'a>) -> Option<String> {
        let Operand::Address(parts) = operand else {
            return None;
        };
        let [part] = parts.as_slice() else {
            return None;
        };
        let register = match part {
            Operand::Name(name, None) | Operand::Sum(name, _) => {
                self.as_register(&Operand::Name(name, None))
            }
            _ => None,
        };
        let Some(register) = register.filter(|register| register.ty.bits == 32) else {
            return self.generic_place(part);
        };
        // The assembler's own rule finds the rest of a short address.
        let low = self.out.op(&format!("load i32, ptr {}", register.variable));
        let whole = self.out.op(&format!(
            "call i64 asm sideeffect \"{{ .reg .u64 a; cvt.u64.u32 a, $1; cvta.shared.u64 $0, a; }}\", \
             \"=r,r\"(i32 {low})"
        ));
        let addend = if let Operand::Sum(_, addend) = part {
            *addend
        } else {
            0
        };
        let whole = self.out.op(&format!("add i64 {whole}, {addend}"));
        Some(self.out.op(&format!("inttoptr i64 {whole} to ptr")))
    }

    fn generic_place(&mut self, part: &Operand<'a>) -> Option<String> {
        let (name, addend) = match part {
            Operand::Sum(name, addend) => (*name, *addend),
            Operand::Name(name, None) => (*name, 0),
            _ => return None,
        };
        let value = self.value(&Operand::Name(name, None), 64, false)?;
        let value = self.out.op(&format!("add i64 {value}, {addend}"));
        Some(self.out.op(&format!("inttoptr i64 {value} to ptr")))
    }

    /// A count needs the form that says it, which gives the same.
    fn arrive(
        &mut self,
        operation: &str,
        state: &Operand<'a>,
        at: &Operand<'a>,
        count: Option<&Operand<'a>>,
    ) -> Option<()> {
        let at = self.place_of(at)?;
        let name = operation.replace('_', ".");
        let value = match count {
            Some(count) => {
                let count = self.value(count, 32, false)?;
                let name = format!("llvm.nvvm.mbarrier.{name}.noComplete");
                self.out
                    .call("i64", &name, &[("ptr", &at), ("i32", &count)])
            }
            None => self.out.call(
                "i64",
                &format!("llvm.nvvm.mbarrier.{name}"),
                &[("ptr", &at)],
            ),
        };
        self.assign(state, &value, 64, false)
    }

    fn wait(
        &mut self,
        instruction: &Instruction<'a>,
        operation: &str,
        to: &Operand<'a>,
        at: &Operand<'a>,
        state: &Operand<'a>,
    ) -> Option<()> {
        let at = self.place_of(at)?;
        let parity = instruction.has("parity");
        let bits = if parity { 32 } else { 64 };
        let state = self.value(state, bits, false)?;
        // A thread that tries lets the others run: so does one that waits for a while.
        if operation == "try_wait" {
            self.out
                .call("void", "llvm.nvvm.nanosleep", &[("i32", "0")]);
        }
        let value = match parity {
            false => self.out.call(
                "i1",
                "llvm.nvvm.mbarrier.test.wait",
                &[("ptr", &at), ("i64", &state)],
            ),
            true => self.phase_has_parity(&at, &state),
        };
        self.assign(to, &value, 1, false)
    }

    /// LLVM has no generic form of the wait with a parity.
    fn phase_has_parity(&mut self, at: &str, parity: &str) -> String {
        let name = "llvm.nvvm.mbarrier.test.wait.parity.scope.cta.space.cta";
        let shared = self
            .out
            .op(&format!("addrspacecast ptr {at} to ptr addrspace(3)"));
        self.out.call(
            "i1",
            name,
            &[("ptr addrspace(3)", &shared), ("i32", parity)],
        )
    }
}

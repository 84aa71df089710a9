//! Shared memory without variables. A module may declare none, and use what a launch gives it by addresses that it
//! counts from 0, where a GPU has that memory (Halide does). Ours lies elsewhere, so its start is added
//! (docs/decisions/0130-shared-memory-without-variables-begins-at-0.md).

use super::function::Translator;
use crate::syntax::{Instruction, Local, Module, Operand, Space, StatementKind, Variable};

/// The dynamic shared memory of a launch, by a name that PTX cannot have.
const START: &str = "@\"shared memory\"";

/// Whether no function can take the address of a shared variable: there is none.
pub fn count_from_zero(module: &Module<'_>) -> bool {
    let bodies = module
        .functions
        .iter()
        .filter_map(|each| each.body.as_ref());
    let mut locals = bodies
        .flatten()
        .filter_map(|statement| match &statement.kind {
            StatementKind::Local(Local::Variable(variable)) => Some(variable),
            _ => None,
        });
    let is_shared = |variable: &Variable<'_>| variable.space == Space::Shared;
    !module.variables.iter().any(is_shared) && !locals.any(is_shared)
}

/// Whether an instruction's first address is one of shared memory.
fn accesses(instruction: &Instruction<'_>) -> bool {
    let spaces = ["shared", "global", "local", "const", "param"];
    let first = instruction
        .modifiers
        .iter()
        .filter_map(|word| word.split("::").next())
        .find(|word| spaces.contains(word));
    let known = match instruction.opcode {
        "ld" | "st" | "atom" | "red" | "ldmatrix" | "stmatrix" | "mbarrier" => true,
        // Copies in bulk name barriers in shared memory, too.
        "cp" => !instruction.has("bulk"),
        _ => false,
    };
    known && first == Some("shared")
}

impl<'a> Translator<'_, '_, 'a> {
    /// The address of an instruction whose part this is, if the start of shared memory is to be added.
    pub fn shared_offset(
        &mut self,
        instruction: &Instruction<'a>,
        part: &Operand<'a>,
    ) -> Option<String> {
        if !self.context.shared_from_zero || !accesses(instruction) {
            return None;
        }
        let offset = self.value(part, 64, false)?;
        let start = self.shared_start();
        Some(self.out.op(&format!("add i64 {start}, {offset}")))
    }

    /// `cvta.shared` and `cvta.to.shared` of such addresses.
    pub fn convert_shared_offset(
        &mut self,
        instruction: &Instruction<'a>,
        to: &Operand<'a>,
        from: &Operand<'a>,
    ) -> Option<()> {
        let words = instruction
            .modifiers
            .iter()
            .filter_map(|word| word.split("::").next());
        let operation = match words.take(2).collect::<Vec<_>>().as_slice() {
            ["shared", ..] => "add",
            ["to", "shared"] => "sub",
            _ => return None,
        };
        if !self.context.shared_from_zero {
            return None;
        }
        let value = self.value(from, 64, false)?;
        let start = self.shared_start();
        let value = self.out.op(&format!("{operation} i64 {value}, {start}"));
        self.assign(to, &value, 64, false)
    }

    fn shared_start(&mut self) -> String {
        let memory = format!("{START} = external addrspace(3) global [0 x i8], align 16\n");
        self.context.statics.insert(memory);
        self.out.op(&format!(
            "ptrtoint ptr addrspacecast (ptr addrspace(3) {START} to ptr) to i64"
        ))
    }
}

//! Instructions that advise the hardware and change nothing (PTX ISA, "createpolicy", "pmevent", "setmaxnreg",
//! "prefetch").

use super::function::Translator;
use crate::syntax::Instruction;

impl<'a> Translator<'_, '_, 'a> {
    /// Translates an instruction of this family.
    pub fn hints(&mut self, instruction: &Instruction<'a>) -> Option<()> {
        match (instruction.opcode, instruction.operands.first()) {
            ("pmevent" | "setmaxnreg" | "discard" | "applypriority", _) => Some(()),
            ("prefetch" | "prefetchu", _) => Some(()),
            // Caches keep what they like.
            ("createpolicy", Some(to)) => self.assign(to, "0", 64, false),
            _ => None,
        }
    }
}

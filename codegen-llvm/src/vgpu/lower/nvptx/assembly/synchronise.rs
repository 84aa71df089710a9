//! Barriers of a block, fences, and the ends of threads (PTX ISA, "Parallel Synchronization and Communication
//! Instructions", "Control Flow Instructions").

use super::emitter::Emitter;
use super::syntax::{Instruction, Operand};
use crate::analysis::intrinsics::BARRIER;

/// The barrier of the block that stands for its cluster's: the last one, as programs use the first ones.
const CLUSTER_BARRIER: u32 = 15;

/// Emits an instruction of this family.
pub fn emit(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let operands = instruction.operands.as_slice();
    match instruction.opcode[0].as_str() {
        "bar" | "barrier" => barrier(emitter, instruction, operands),
        "membar" | "fence" => fence(emitter, instruction),
        "trap" | "brkpt" => call(emitter, "llvm.trap", &[]),
        "exit" => call(emitter, "llvm.nvvm.exit", &[]),
        "nanosleep" => call(emitter, "llvm.nvvm.nanosleep", operands),
        // Grids run one after the other.
        "griddepcontrol" => Some(()),
        _ => None,
    }
}

/// Calls an intrinsic with operands of 32 bits.
fn call(emitter: &mut Emitter, name: &str, operands: &[Operand]) -> Option<()> {
    let typed = emitter.words(operands)?;
    emitter.call("void", name, &typed);
    Some(())
}

fn barrier(emitter: &mut Emitter, instruction: &Instruction, operands: &[Operand]) -> Option<()> {
    if instruction.has("red") {
        return None;
    }
    if instruction.has("cluster") {
        return cluster_barrier(emitter, instruction, operands);
    }
    let name = match (
        instruction.has("warp"),
        instruction.has("arrive"),
        operands.len(),
    ) {
        (true, false, 1) => "bar.warp.sync",
        (false, false, 1) => "barrier.cta.sync.all",
        (false, false, 2) => "barrier.cta.sync.count",
        (false, true, 2) => "barrier.cta.arrive.count",
        _ => return None,
    };
    call(emitter, &format!("llvm.nvvm.{name}"), operands)
}

/// A barrier of the block, which is a cluster of its own. Nobody waits where threads arrive, so they do where they
/// wait.
fn cluster_barrier(
    emitter: &mut Emitter,
    instruction: &Instruction,
    operands: &[Operand],
) -> Option<()> {
    match (instruction.has("wait"), operands) {
        (true, []) => {
            let number = ("i32".to_owned(), CLUSTER_BARRIER.to_string());
            emitter.call("void", BARRIER, &[number]);
            Some(())
        }
        (false, []) if instruction.has("arrive") => fence(emitter, instruction),
        _ => None,
    }
}

fn fence(emitter: &mut Emitter, instruction: &Instruction) -> Option<()> {
    let scope = if instruction.has("cta") { "cta" } else { "sys" };
    call(emitter, &format!("llvm.nvvm.membar.{scope}"), &[])
}

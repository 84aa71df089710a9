//! What instructions do besides computing a value.

use llvm_sys::{LLVMAttributeFunctionIndex, LLVMOpcode};

use super::intrinsics::MOVABLE_HINTS;
use crate::ir::Value;

/// Whether an instruction has no effects: it may run later, or on fewer threads, as long as nothing is written
/// meanwhile.
pub fn has_no_effects(instruction: Value) -> bool {
    use LLVMOpcode::*;
    match instruction.opcode() {
        Some(LLVMLoad) => !instruction.is_volatile() && !instruction.is_atomic(),
        Some(LLVMCall) => instruction.called_function().is_some_and(only_reads),
        Some(
            LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg | LLVMFence | LLVMAlloca | LLVMVAArg
            | LLVMRet | LLVMUnreachable | LLVMInvoke | LLVMCallBr | LLVMIndirectBr | LLVMResume
            | LLVMLandingPad | LLVMCatchSwitch | LLVMCatchPad | LLVMCatchRet | LLVMCleanupPad
            | LLVMCleanupRet,
        ) => false,
        Some(_) => true,
        None => false,
    }
}

/// Whether a function writes nothing and synchronises with nobody, by its attributes, or only informs the optimiser.
fn only_reads(function: Value) -> bool {
    if MOVABLE_HINTS.contains(&function.name().as_str()) {
        return true;
    }
    /// The value of the attribute `memory` has two bits for each kind of memory. The second says that it may be written
    /// (`llvm/Support/ModRef.h`).
    const WRITES: u64 = 0xaaaa_aaaa_aaaa_aaaa;
    let memory = function.int_attribute_at(LLVMAttributeFunctionIndex, "memory");
    memory.is_some_and(|memory| memory & WRITES == 0)
        && function.has_function_attribute("nosync")
        && !function.has_function_attribute("convergent")
}

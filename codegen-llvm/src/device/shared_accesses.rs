//! Makes volatile accesses to the device runtime's shared variables accesses to shared memory.
//!
//! The runtime has generic pointers to its variables, because Rust knows no address spaces. LLVM finds the space of
//! such pointers, but leaves volatile accesses as they are, except on GPUs with volatile instructions for every space.
//! A generic access on an AMD GPU needs a 64-bit address in vector registers, and waits for global memory, too.
//!
//! What follows a call in its block stays generic. Accesses to shared memory have the base 0 in a register, LLVM takes
//! one register for all of a block, and over a call it must be one of those that calls preserve: 41 and more.

use llvm_sys::LLVMOpcode;

use crate::analysis::target::SHARED;
use crate::ir::{Block, Module, Value};

/// Replaces the addresses of volatile loads and stores.
pub fn run(module: &Module) {
    let functions = module.definitions().into_iter();
    for block in functions.flat_map(Value::blocks) {
        for access in before_calls(block) {
            let index = match access.opcode() {
                Some(LLVMOpcode::LLVMLoad) => 0,
                Some(LLVMOpcode::LLVMStore) => 1,
                _ => continue,
            };
            if !access.is_volatile() {
                continue;
            }
            if let Some(shared) = in_shared_memory(access.operand(index)) {
                access.set_operand(index, shared);
                access.drop_metadata(module.context, "noalias.addrspace");
            }
        }
    }
}

/// The instructions of a block before its first call of a function.
fn before_calls(block: Block) -> impl Iterator<Item = Value> {
    let leads_elsewhere = |it: &Value| {
        let intrinsic = it.called_function().is_some_and(Value::is_intrinsic);
        it.is_call() && !intrinsic
    };
    let instructions = block.instructions().into_iter();
    instructions.take_while(move |it| !leads_elsewhere(it))
}

/// The pointer to shared memory that a generic pointer was made of.
fn in_shared_memory(pointer: Value) -> Option<Value> {
    let opcode = pointer.operation()?;
    let is_cast = opcode == LLVMOpcode::LLVMAddrSpaceCast;
    let source = is_cast.then(|| pointer.operand(0))?;
    (source.ty().address_space() == SHARED).then_some(source)
}

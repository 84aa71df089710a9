//! Aligns no access more strictly than storage of the device runtime is aligned.
//!
//! ```text
//! struct __attribute__((aligned(32))) quad { double x, y, z, w; };
//! quad sums;                       // other threads of the team use it
//! store <4 x double> …, align 32   // the storage is from __kmpc_alloc_shared, which aligns to 16
//! ```
//!
//! clang takes the variable's alignment for that of its storage, but does not ask for it
//! (`CGOpenMPRuntimeGPU::emitGenericVarsProlog`). So do shared variables that openmp-opt makes of it, and memory that a
//! program maps. A GPU's accesses of more than 16 bytes are several; x86 has vector accesses that fault unless 32 or 64
//! bytes are aligned. Those that do not care are as fast.
//!
//! Needs: the device runtime's code. Leaves: no access, parameter or argument that is known to be aligned to more
//! than 16 bytes.

use anyhow::Result;
use llvm_sys::LLVMOpcode::{LLVMAtomicCmpXchg, LLVMAtomicRMW, LLVMLoad, LLVMStore};

use super::unit::Unit;
use crate::ir::Value;

/// What the device runtime, the device heap and the host's allocator align to.
const ALIGNMENT: u64 = 16;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    let context = unit.context();
    for function in unit.module.definitions() {
        for index in 1..=function.parameters().len() as u32 {
            let known = function.int_attribute_at(index, "align");
            if known.is_some_and(|bytes| bytes > ALIGNMENT) {
                function.add_int_attribute_at(context, index, "align", ALIGNMENT);
            }
        }
        for instruction in function.instructions() {
            if instruction.is_call() {
                let arguments = 0..instruction.arguments().len() as u32;
                let strict = |&index: &u32| {
                    let known = instruction.argument_alignment(index);
                    known.is_some_and(|bytes| bytes > ALIGNMENT)
                };
                arguments
                    .filter(strict)
                    .for_each(|index| instruction.align_argument(context, index, ALIGNMENT));
            } else if is_access(instruction) && instruction.alignment() > ALIGNMENT {
                instruction.set_alignment(ALIGNMENT as u32);
            }
        }
    }
    Ok(())
}

fn is_access(instruction: Value) -> bool {
    let accesses = [LLVMLoad, LLVMStore, LLVMAtomicRMW, LLVMAtomicCmpXchg];
    instruction
        .opcode()
        .is_some_and(|opcode| accesses.contains(&opcode))
}

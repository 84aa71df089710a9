//! With `--count`: adds to the thread's counter ([`ThreadContext::instructions`]), at the beginning of every basic
//! block, the number of the block's instructions.
//!
//! Needs: the image's own instructions, inline assembly as intrinsics, the host's triple and layout.
//!
//! It counts LLVM instructions of the image, after the device link's optimisation. So the count is the same on every
//! host CPU, whatever the host's optimiser does later. Instructions that become no code on a GPU either do not count.

use std::mem::offset_of;

use anyhow::Result;
use llvm_sys::LLVMOpcode;
use vgpu_abi::ThreadContext;

use super::unit::Unit;
use crate::analysis::intrinsics::WITHOUT_CODE;
use crate::ir::{Builder, Type, Value};

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    if !unit.options.count {
        return Ok(());
    }
    let functions = unit.module.definitions();
    unit.add_library(&library())?;
    let counter = unit.library_function("vgpu.count")?;
    let number = Type::int(unit.context(), 64);
    // Functions that were known not to write memory do so now.
    functions
        .iter()
        .for_each(|function| function.remove_attribute("memory"));
    for block in functions.into_iter().flat_map(Value::blocks) {
        let instructions = block.instructions();
        let count = instructions.iter().filter(|it| is_code(**it)).count();
        let Some(&first) = instructions.iter().find(|it| !it.is_phi()) else {
            continue;
        };
        let count = Value::int(number, count as u64);
        Builder::before(unit.context(), first).call_function(counter, &[count]);
    }
    Ok(())
}

/// Whether an instruction becomes code on a GPU. Phis and stack slots become registers and frame layout.
fn is_code(instruction: Value) -> bool {
    match instruction.opcode() {
        Some(LLVMOpcode::LLVMPHI | LLVMOpcode::LLVMAlloca) => false,
        Some(LLVMOpcode::LLVMCall) => instruction.called_function().is_none_or(|function| {
            let name = function.name();
            !WITHOUT_CODE.iter().any(|free| name.starts_with(free))
        }),
        _ => true,
    }
}

fn library() -> String {
    let counter = offset_of!(ThreadContext, instructions);
    format!(
        "
define void @vgpu.count(i64 %count) alwaysinline nounwind {{
  %cx = call ptr @vgpu.context()
  %counter = getelementptr i8, ptr %cx, i64 {counter}
  %before = load i64, ptr %counter, align 8
  %after = add i64 %before, %count
  store i64 %after, ptr %counter, align 8
  ret void
}}
"
    )
}

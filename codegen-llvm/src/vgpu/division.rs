//! Raises a signal where an integer is divided by zero, on hosts whose CPU does not.
//!
//! Needs: everything optimised. Leaves: before each division whose divisor is not a constant, a branch to an
//! instruction that no CPU has. The engine takes its signal for that of a division (`vgpu_abi::DIVISION_BY_ZERO`).
//!
//! In warp forms, the divisors of lanes that take no part are not zero, because the CPUs of other hosts do raise a
//! signal.

use anyhow::Result;
use llvm_sys::LLVMIntPredicate::LLVMIntEQ;
use llvm_sys::LLVMOpcode::{LLVMSDiv, LLVMSRem, LLVMUDiv, LLVMURem};
use llvm_sys::LLVMTypeKind::LLVMVectorTypeKind;
use vgpu_abi::DIVISION_BY_ZERO;

use super::host::Architecture;
use super::unit::Unit;
use crate::ir::{Builder, Value};

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    match unit.options.host {
        Architecture::X86_64 => return Ok(()),
        Architecture::Aarch64 => {}
    }
    let definitions = unit.module.definitions().into_iter();
    let divisions = definitions
        .flat_map(Value::instructions)
        .filter(|&it| may_fail(it));
    let divisions: Vec<_> = divisions.collect();
    if divisions.is_empty() {
        return Ok(());
    }
    unit.add_library(&library())?;
    let check = unit.library_function("vgpu.check_divisor")?;
    for division in divisions {
        let builder = Builder::before(unit.context(), division);
        let divisor = division.operand(1);
        let zero = builder.compare(LLVMIntEQ, divisor, Value::zero(divisor.ty()));
        let any = if divisor.ty().kind() == LLVMVectorTypeKind {
            let reduce = unit.module.intrinsic("llvm.vector.reduce.or", &[zero.ty()]);
            builder.call_function(reduce, &[zero])
        } else {
            zero
        };
        builder.call_function(check, &[any]);
    }
    unit.machine.run_passes(&unit.module, "always-inline")
}

/// Whether an instruction is a division, perhaps by zero.
fn may_fail(instruction: Value) -> bool {
    matches!(
        instruction.opcode(),
        Some(LLVMSDiv | LLVMSRem | LLVMUDiv | LLVMURem)
    ) && !instruction.operand(1).is_constant()
}

fn library() -> String {
    format!(
        r#"
define void @vgpu.check_divisor(i1 %zero) alwaysinline nounwind {{
  br i1 %zero, label %fail, label %done, !prof !0
fail:
  call void asm sideeffect "udf #{DIVISION_BY_ZERO}", ""() noreturn nounwind
  unreachable
done:
  ret void
}}
!0 = !{{!"branch_weights", i32 1, i32 1048575}}
"#
    )
}

//! What a kernel's mode says about its block: those of SPMD kernels extend along x alone (docs/abi.md, "Launch shape").
//!
//! The device runtime tells the optimiser so when a kernel starts, but LLVM's device link ends with dropping what
//! it was told, and regions it had not inlined by then ask again.

use codegen::summary::ExecutionMode;

use crate::inspect;
use crate::ir::{Module, Value};
use crate::vgpu::kernels;

/// The registers of the other dimensions, and what they hold in SPMD kernels.
const REGISTERS: [(&str, u64); 6] = [
    ("llvm.nvvm.read.ptx.sreg.tid.y", 0),
    ("llvm.nvvm.read.ptx.sreg.tid.z", 0),
    ("llvm.nvvm.read.ptx.sreg.ntid.y", 1),
    ("llvm.nvvm.read.ptx.sreg.ntid.z", 1),
    ("llvm.amdgcn.workitem.id.y", 0),
    ("llvm.amdgcn.workitem.id.z", 0),
];

/// Replaces those registers in SPMD kernels and in functions that nobody else calls.
pub fn run(module: &Module) {
    let is_spmd = |kernel: &kernels::Found| {
        matches!(
            inspect::mode_of(module, &kernel.name),
            ExecutionMode::Spmd | ExecutionMode::GenericSpmd
        )
    };
    let kernels = kernels::find(module).into_iter().filter(is_spmd);
    let spmd = with_callees(module, kernels.map(|kernel| kernel.function).collect());
    for instruction in spmd.into_iter().flat_map(Value::instructions) {
        if let Some(value) = known(instruction) {
            instruction.replace_all_uses(Value::int(instruction.ty(), value));
            instruction.erase();
        }
    }
}

/// The functions and those that are only called by them.
fn with_callees(module: &Module, mut functions: Vec<Value>) -> Vec<Value> {
    let mut others: Vec<_> = module.definitions();
    others.retain(|function| function.is_local());
    loop {
        let known = functions.len();
        let called_by = |user: Value, function: Value| {
            user.is_call()
                && user.called_function() == Some(function)
                && !user.arguments().contains(&function)
                && functions.contains(&user.block().function())
        };
        let (inside, outside) = others.into_iter().partition(|&function| {
            let users = function.users();
            !users.is_empty() && users.into_iter().all(|user| called_by(user, function))
        });
        others = outside;
        functions.extend::<Vec<_>>(inside);
        if functions.len() == known {
            return functions;
        }
    }
}

/// What an instruction that reads such a register reads.
fn known(instruction: Value) -> Option<u64> {
    let function = instruction
        .is_call()
        .then(|| instruction.called_function())??;
    let name = function.name();
    let (_, value) = REGISTERS.iter().find(|(register, _)| *register == name)?;
    Some(*value)
}

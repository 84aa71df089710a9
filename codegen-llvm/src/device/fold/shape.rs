//! Folds the special registers that a kernel's mode determines: the block of an SPMD kernel extends along x alone, that
//! of a generic kernel along y (docs/abi.md, "Launch shape").
//!
//! The device runtime tells the optimiser so when a kernel starts. But LLVM's device link drops these assumptions at
//! its end, and regions that it has not inlined by then read the registers again.

use vgpu_abi::summary::ExecutionMode;

use crate::analysis::exec_mode;
use crate::analysis::kernels;
use crate::ir::{Context, Module, Value};

/// What a register holds.
#[derive(Clone, Copy)]
enum Holds {
    /// This value.
    Value(u64),
    /// At least the first, less than the second.
    Range(u64, u64),
}
use Holds::{Range, Value as Is};

/// What an SPMD kernel's registers hold.
const SPMD: &[(&str, Holds)] = &[
    ("llvm.nvvm.read.ptx.sreg.tid.y", Is(0)),
    ("llvm.nvvm.read.ptx.sreg.tid.z", Is(0)),
    ("llvm.nvvm.read.ptx.sreg.ntid.y", Is(1)),
    ("llvm.nvvm.read.ptx.sreg.ntid.z", Is(1)),
    ("llvm.amdgcn.workitem.id.y", Is(0)),
    ("llvm.amdgcn.workitem.id.z", Is(0)),
];

/// What a generic kernel's registers hold. Its block has workers besides the master's warp.
const GENERIC: &[(&str, Holds)] = &[
    ("llvm.nvvm.read.ptx.sreg.tid.x", Is(0)),
    ("llvm.nvvm.read.ptx.sreg.tid.z", Is(0)),
    ("llvm.nvvm.read.ptx.sreg.ntid.y", Range(2, 1025)),
    ("llvm.nvvm.read.ptx.sreg.ntid.z", Is(1)),
    ("llvm.amdgcn.workitem.id.x", Is(0)),
    ("llvm.amdgcn.workitem.id.z", Is(0)),
];

/// A register that a generic kernel itself checks, to end with a message if it was launched in another shape. It is
/// folded only in the functions that the kernel calls.
const GENERIC_CHECKED: &[(&str, Holds)] = &[("llvm.nvvm.read.ptx.sreg.ntid.x", Is(1))];

/// The generic kernels of a module.
pub struct Generic {
    /// Their functions.
    pub kernels: Vec<Value>,
    /// Whether the module has no other kernels.
    pub all: bool,
}

/// Folds the registers in kernels of each mode, and in functions that only such kernels call.
pub fn run(module: &Module) -> Generic {
    let kernels: Vec<_> = kernels::find(module)
        .into_iter()
        .map(|kernel| (exec_mode::of(module, &kernel.name), kernel.function))
        .collect();
    let of = |modes: &[ExecutionMode]| {
        let chosen = kernels.iter().filter(|(mode, _)| modes.contains(mode));
        let own: Vec<_> = chosen.map(|&(_, function)| function).collect();
        let others = if own.len() == kernels.len() {
            // Only these kernels can call any other function.
            let local = module.definitions().into_iter();
            local.filter(|function| function.is_local()).collect()
        } else {
            called_only_by(module, &own)
        };
        (own, others)
    };
    let fold = |functions: &[Value], registers: &[(&str, Holds)]| {
        for instruction in functions
            .iter()
            .flat_map(|function| function.instructions())
        {
            replace(module.context, instruction, registers);
        }
    };
    let (own, others) = of(&[ExecutionMode::Spmd, ExecutionMode::GenericSpmd]);
    fold(&own, SPMD);
    fold(&others, SPMD);
    let (own, others) = of(&[ExecutionMode::Generic]);
    fold(&own, GENERIC);
    fold(&others, GENERIC);
    fold(&others, GENERIC_CHECKED);
    Generic {
        all: own.len() == kernels.len(),
        kernels: own,
    }
}

/// Local functions that only these call.
fn called_only_by(module: &Module, callers: &[Value]) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    let mut others: Vec<_> = module.definitions();
    others.retain(|function| function.is_local());
    loop {
        let known = found.len();
        let called_by = |user: Value, function: Value| {
            let caller = user.is_call().then(|| user.block().function());
            caller.is_some_and(|caller| callers.contains(&caller) || found.contains(&caller))
                && user.called_function() == Some(function)
                && !user.arguments().contains(&function)
        };
        let (inside, outside): (Vec<_>, _) = others.into_iter().partition(|&function| {
            let users = function.users();
            !users.is_empty() && users.into_iter().all(|user| called_by(user, function))
        });
        others = outside;
        found.extend(inside);
        if found.len() == known {
            return found;
        }
    }
}

/// Replaces a read of one of the registers by what it holds, or states its range.
fn replace(context: Context, instruction: Value, registers: &[(&str, Holds)]) {
    let Some(name) = instruction.called_function().map(Value::name) else {
        return;
    };
    match registers.iter().find(|(register, _)| *register == name) {
        Some(&(_, Is(value))) => {
            // SAFETY: the caller is done with the instruction.
            unsafe { instruction.replace_with(Value::int(instruction.ty(), value)) };
        }
        Some(&(_, Range(from, to))) => instruction.set_result_range(context, from, to),
        None => {}
    }
}

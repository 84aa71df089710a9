//! What a kernel's mode says about its block: those of SPMD kernels extend along x alone, those of generic kernels along y
//! (docs/abi.md, "Launch shape").
//!
//! The device runtime tells the optimiser so when a kernel starts, but LLVM's device link ends with dropping what
//! it was told, and regions it had not inlined by then ask again.

use vgpu_abi::summary::ExecutionMode;

use crate::analysis::exec_mode;
use crate::analysis::kernels;
use crate::ir::{Context, Module, Value};

/// What a register holds.
#[derive(Clone, Copy)]
enum Holds {
    /// This.
    Value(u64),
    /// No less than the first, less than the second: a generic kernel's block has workers besides the master's warp.
    Range(u64, u64),
}
use Holds::{Range, Value as Is};

/// The registers of an SPMD kernel's other dimensions.
const SPMD: &[(&str, Holds)] = &[
    ("llvm.nvvm.read.ptx.sreg.tid.y", Is(0)),
    ("llvm.nvvm.read.ptx.sreg.tid.z", Is(0)),
    ("llvm.nvvm.read.ptx.sreg.ntid.y", Is(1)),
    ("llvm.nvvm.read.ptx.sreg.ntid.z", Is(1)),
    ("llvm.amdgcn.workitem.id.y", Is(0)),
    ("llvm.amdgcn.workitem.id.z", Is(0)),
];

/// Those of a generic kernel.
const GENERIC: &[(&str, Holds)] = &[
    ("llvm.nvvm.read.ptx.sreg.tid.x", Is(0)),
    ("llvm.nvvm.read.ptx.sreg.tid.z", Is(0)),
    ("llvm.nvvm.read.ptx.sreg.ntid.y", Range(2, 1025)),
    ("llvm.nvvm.read.ptx.sreg.ntid.z", Is(1)),
    ("llvm.amdgcn.workitem.id.x", Is(0)),
    ("llvm.amdgcn.workitem.id.z", Is(0)),
];

/// What a generic kernel itself asks, to end with a message if it was launched in another shape.
const GENERIC_ASKED: &[(&str, Holds)] = &[("llvm.nvvm.read.ptx.sreg.ntid.x", Is(1))];

/// The generic kernels of a module.
pub struct Generic {
    /// They.
    pub kernels: Vec<Value>,
    /// Whether there are no others.
    pub all: bool,
}

/// Says so in kernels of these modes and in functions that nobody else calls.
pub fn run(module: &Module) -> Generic {
    let kernels: Vec<_> = kernels::find(module)
        .into_iter()
        .map(|kernel| (exec_mode::of(module, &kernel.name), kernel.function))
        .collect();
    let of = |modes: &[ExecutionMode]| {
        let chosen = kernels.iter().filter(|(mode, _)| modes.contains(mode));
        let own: Vec<_> = chosen.map(|&(_, function)| function).collect();
        let others = if own.len() == kernels.len() {
            // Whoever else there is, one of these calls it.
            let local = module.definitions().into_iter();
            local.filter(|function| function.is_local()).collect()
        } else {
            called_only_by(module, &own)
        };
        (own, others)
    };
    let say = |functions: &[Value], registers: &[(&str, Holds)]| {
        for instruction in functions
            .iter()
            .flat_map(|function| function.instructions())
        {
            replace(module.context, instruction, registers);
        }
    };
    let (own, others) = of(&[ExecutionMode::Spmd, ExecutionMode::GenericSpmd]);
    say(&own, SPMD);
    say(&others, SPMD);
    let (own, others) = of(&[ExecutionMode::Generic]);
    say(&own, GENERIC);
    say(&others, GENERIC);
    say(&others, GENERIC_ASKED);
    Generic {
        all: own.len() == kernels.len(),
        kernels: own,
    }
}

/// Local functions that these call, and nobody else.
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

/// Says what an instruction that reads one of the registers reads.
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

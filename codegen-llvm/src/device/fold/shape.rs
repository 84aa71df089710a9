//! Folds what a kernel's mode says of its block's shape: the block of an SPMD kernel extends along x alone, that of a
//! generic kernel along y (docs/abi.md, "Launch shape").
//!
//! The device runtime tells the optimiser so when a kernel starts. But LLVM's device link drops these assumptions at
//! its end, and regions that it has not inlined by then read the shape again.

use vgpu_abi::summary::ExecutionMode;

use crate::analysis::block_shape::{self, Dimension};
use crate::analysis::exec_mode;
use crate::analysis::kernels;
use crate::ir::{Context, Module, Value};

/// What is known of a number.
#[derive(Clone, Copy)]
enum Holds {
    /// It is this value.
    Value(u64),
    /// It is at least the first, less than the second.
    Range(u64, u64),
}
use Holds::{Range, Value as Is};

/// What holds in SPMD kernels.
const SPMD: &[(Dimension, Holds)] = &[
    (Dimension::ThreadY, Is(0)),
    (Dimension::ThreadZ, Is(0)),
    (Dimension::ThreadsY, Is(1)),
    (Dimension::ThreadsZ, Is(1)),
];

/// What holds in generic kernels. Their blocks have workers besides the master's warp.
const GENERIC: &[(Dimension, Holds)] = &[
    (Dimension::ThreadX, Is(0)),
    (Dimension::ThreadZ, Is(0)),
    (Dimension::ThreadsY, Range(2, 1025)),
    (Dimension::ThreadsZ, Is(1)),
];

/// What a generic kernel itself checks, to end with a message if it was launched in another shape. It is folded only
/// in the functions that the kernel calls.
const GENERIC_CHECKED: &[(Dimension, Holds)] = &[(Dimension::ThreadsX, Is(1))];

/// The generic kernels of a module.
pub struct Generic {
    /// Their functions.
    pub kernels: Vec<Value>,
    /// Whether the module has no other kernels.
    pub all: bool,
}

/// Folds it in kernels of each mode, and in functions that only such kernels call.
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
    let fold = |functions: &[Value], known: &[(Dimension, Holds)]| {
        for instruction in functions
            .iter()
            .flat_map(|function| function.instructions())
        {
            replace(module.context, instruction, known);
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

/// Replaces a read of what is known by its value, or states its range.
fn replace(context: Context, instruction: Value, known: &[(Dimension, Holds)]) {
    let Some(read) = block_shape::read_by(instruction) else {
        return;
    };
    match known.iter().find(|(dimension, _)| *dimension == read) {
        Some(&(_, Is(value))) => {
            // SAFETY: the caller is done with the instruction.
            unsafe { instruction.replace_with(Value::int(instruction.ty(), value)) };
        }
        Some(&(_, Range(from, to))) => instruction.set_result_range(context, from, to),
        None => {}
    }
}

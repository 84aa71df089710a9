//! Names of intrinsics and of the runtime's functions that passes look for.

use crate::ir::Value;

/// The device runtime's function for a thread's index in an SPMD kernel's block, which extends along x.
pub const HARDWARE_THREAD_ID: &str = "__kmpc_get_hardware_thread_id_in_block";

/// AMD's barrier, which by itself does not order memory.
pub const AMD_BARRIER: &str = "llvm.amdgcn.s.barrier";

/// NVIDIA's barrier, to which the lanes of a warp may come one by one.
pub const BARRIER: &str = "llvm.nvvm.barrier.cta.sync.all";
/// The same for lanes that come together.
pub const ALIGNED_BARRIER: &str = "llvm.nvvm.barrier.cta.sync.aligned.all";

/// Barriers of the whole block.
const BLOCK_BARRIERS: [&str; 5] = [
    BARRIER,
    ALIGNED_BARRIER,
    "llvm.nvvm.barrier0",
    AMD_BARRIER,
    "__kmpc_barrier_simple_spmd",
];

/// Prefixes of hints that neither access memory nor depend on which threads execute them.
pub const HINTS_WITHOUT_ACCESS: [&str; 3] = ["llvm.lifetime.", "llvm.assume", "llvm.dbg."];
/// Hints that stay valid where they run later, or on fewer threads.
pub const MOVABLE_HINTS: [&str; 2] = ["llvm.assume", "llvm.experimental.noalias.scope.decl"];
/// Prefixes of intrinsics that become no code.
pub const WITHOUT_CODE: [&str; 6] = [
    "llvm.assume",
    "llvm.dbg.",
    "llvm.donothing",
    "llvm.experimental.noalias.scope.decl",
    "llvm.invariant.",
    "llvm.lifetime.",
];

/// Whether a value is a call of one of these functions.
pub fn is_call_of(value: Value, names: &[&str]) -> bool {
    let function = value.called_function();
    function.is_some_and(|function| names.contains(&function.name().as_str()))
}

/// The calls in a function of functions with such a name.
pub fn calls_of(function: Value, is_meant: impl Fn(&str) -> bool) -> impl Iterator<Item = Value> {
    let instructions = function.instructions().into_iter();
    instructions.filter(move |it| {
        let called = it.called_function();
        called.is_some_and(|called| is_meant(&called.name()))
    })
}

/// Whether an instruction is a barrier of the whole block.
pub fn is_block_barrier(value: Value) -> bool {
    is_call_of(value, &BLOCK_BARRIERS)
}

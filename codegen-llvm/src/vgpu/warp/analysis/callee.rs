//! What the warp form makes of a call, by what it calls.

use vgpu_abi::LIBRARY_SYMBOLS;

use crate::ir::Value;
use crate::vgpu::lower::engine::SPIN;

/// The function that stands for the thread's context until the warp form is built (see `context`).
pub const CONTEXT: &str = "vgpu.warp.context";

/// Ways to treat a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// The context.
    Context,
    /// A window check of one access (pass `window`).
    Check,
    /// A window check of a range.
    CheckRange,
    /// Says something to the optimiser only.
    Hint,
    /// Says where a scope of `noalias` begins: without it, copies of a loop's body would share the scope.
    Scope,
    /// An LLVM intrinsic that works on vectors as on scalars.
    Widened,
    /// Made once for the subgroup, whatever its arguments: clocks.
    Once,
    /// `vgpu_yield`, `vgpu_spin`.
    Yield,
    /// `vgpu_barrier`.
    Barrier,
    /// `vgpu_barrier_arrive`.
    BarrierArrive,
    /// `vgpu_barrier_reduce`.
    BarrierReduce,
    /// `vgpu_activemask`.
    ActiveMask,
    /// `vgpu_syncwarp`.
    SyncWarp,
    /// `vgpu_vote`.
    Vote,
    /// `vgpu_shfl`.
    Shuffle,
    /// `vgpu_redux`.
    Redux,
    /// `vgpu_match_any`.
    MatchAny,
    /// `vgpu_match_all`.
    MatchAll,
    /// `vgpu_wave`: AMD's operations across lanes.
    Wave,
    /// Ends the kernel at one lane.
    Fault,
    /// An engine function made lane by lane, whose context comes first.
    EngineLane,
    /// A function of the C library without side effects but through its pointers; made lane by lane unless its
    /// arguments are uniform.
    Library,
    /// A copy or fill of memory.
    Transfer,
    /// None of these.
    Unknown,
}

/// How to treat `call`.
pub fn of(call: Value) -> Callee {
    let Some(function) = call.called_function() else {
        return Callee::Unknown;
    };
    let name = function.name();
    match name.as_str() {
        CONTEXT => Callee::Context,
        "vgpu.check" => Callee::Check,
        "vgpu.check_range" => Callee::CheckRange,
        "vgpu_barrier" => Callee::Barrier,
        "vgpu_barrier_arrive" => Callee::BarrierArrive,
        "vgpu_barrier_reduce" => Callee::BarrierReduce,
        "vgpu_activemask" => Callee::ActiveMask,
        "vgpu_syncwarp" => Callee::SyncWarp,
        "vgpu_vote" => Callee::Vote,
        "vgpu_shfl" => Callee::Shuffle,
        "vgpu_redux" => Callee::Redux,
        "vgpu_match_any" => Callee::MatchAny,
        "vgpu_match_all" => Callee::MatchAll,
        "vgpu_wave" => Callee::Wave,
        "vgpu_clock" | "vgpu_globaltimer" => Callee::Once,
        "vgpu_yield" | SPIN => Callee::Yield,
        "vgpu_trap" | "vgpu_assert_fail" | "vgpu_wild_access" => Callee::Fault,
        "vgpu_malloc" | "vgpu_realloc" | "vgpu_free" | "vgpu_vprintf" => Callee::EngineLane,
        _ => match name.strip_prefix("llvm.") {
            Some(intrinsic) => of_intrinsic(intrinsic),
            None if LIBRARY_SYMBOLS.contains(&name.as_str()) => Callee::Library,
            None => Callee::Unknown,
        },
    }
}

/// Intrinsics that LLVM defines for vectors lane by lane.
const WIDENED: &[&str] = &[
    "abs",
    "smax",
    "smin",
    "umax",
    "umin",
    "fma",
    "fmuladd",
    "sqrt",
    "fabs",
    "minnum",
    "maxnum",
    "minimum",
    "maximum",
    "minimumnum",
    "maximumnum",
    "copysign",
    "floor",
    "ceil",
    "trunc",
    "rint",
    "nearbyint",
    "round",
    "roundeven",
    "ctpop",
    "ctlz",
    "cttz",
    "bswap",
    "bitreverse",
    "fshl",
    "fshr",
    "sin",
    "cos",
    "tan",
    "exp",
    "exp2",
    "exp10",
    "log",
    "log2",
    "log10",
    "pow",
    "powi",
    "ldexp",
    "canonicalize",
    "ucmp",
    "scmp",
];

fn of_intrinsic(name: &str) -> Callee {
    let stem = name.split('.').next().unwrap_or_default();
    if matches!(
        stem,
        "lifetime" | "assume" | "dbg" | "donothing" | "sideeffect"
    ) || name.starts_with("experimental.noalias")
        || name.starts_with("invariant.")
        || name.starts_with("pseudoprobe")
    {
        return Callee::Hint;
    }
    if name.starts_with("experimental.noalias.scope.decl") {
        return Callee::Scope;
    }
    let saturating = matches!(
        stem,
        "sadd" | "uadd" | "ssub" | "usub" | "smul" | "umul" | "sshl" | "ushl"
    );
    let converts = matches!(stem, "fptosi" | "fptoui") && name.contains(".sat.");
    let is_class = stem == "is" && name.starts_with("is.fpclass");
    if WIDENED.contains(&stem) || saturating || converts || is_class {
        return Callee::Widened;
    }
    match stem {
        "memcpy" | "memmove" | "memset" => Callee::Transfer,
        // The host has these for scalars only.
        "frexp" | "modf" | "sincos" | "sincospi" | "lround" | "llround" | "lrint" | "llrint"
        | "asin" | "acos" | "atan" | "atan2" | "sinh" | "cosh" | "tanh" => Callee::Library,
        _ => Callee::Unknown,
    }
}

/// Whether warps must wait for each other where it is called.
pub fn waits(callee: Callee) -> bool {
    matches!(
        callee,
        Callee::Barrier | Callee::BarrierArrive | Callee::BarrierReduce | Callee::Yield
    )
}

/// Whether the lanes of a warp act together in it, so that a subgroup must be a warp.
pub fn is_warp_operation(callee: Callee) -> bool {
    matches!(
        callee,
        Callee::ActiveMask
            | Callee::SyncWarp
            | Callee::Vote
            | Callee::Shuffle
            | Callee::Redux
            | Callee::MatchAny
            | Callee::MatchAll
            | Callee::Wave
    )
}

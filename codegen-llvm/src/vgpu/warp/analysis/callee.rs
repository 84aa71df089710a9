//! What a call is to the vectoriser, by what it calls.

use vgpu_abi::LIBRARY_SYMBOLS;

use crate::ir::Value;
use crate::vgpu::lower::engine::SPIN;
use crate::vgpu::warp::cold_functions;

/// The function that stands for the thread's context until the warp form is built (`normalise::context_marker`).
pub const CONTEXT: &str = "vgpu.warp.context";

/// The functions that stand for the first active lane's value (`normalise::row_markers`); the type follows.
pub const FIRST: &str = "vgpu.warp.first";

/// The function that stands for its argument, a condition. LLVM does not see that it is the same.
pub const SAME: &str = "vgpu.warp.same";

/// The function that stands for the number of lanes of a subgroup.
pub const LANES: &str = "vgpu.warp.lanes";

/// Kinds of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// The thread's context.
    Context,
    /// The first active lane's value.
    First,
    /// The number of lanes of a subgroup.
    Lanes,
    /// The call's argument.
    Same,
    /// A window check of one access (pass `window`).
    WindowCheck,
    /// A window check of a range.
    WindowRangeCheck,
    /// An announced access, compared with the object that it names (pass `access-checks`).
    ObjectCheck,
    /// An announced access.
    AccessCheck,
    /// An announced fence.
    FenceCheck,
    /// The announcement that lanes have waited for each other.
    SyncCheck,
    /// The announcement that they have met the members of a mask.
    MembersCheck,
    /// A hint to the optimiser.
    Hint,
    /// The declaration of a `noalias` scope. Without it, copies of a loop's body would share the scope.
    NoaliasScope,
    /// An LLVM intrinsic that is defined for vectors, too, lane by lane.
    VectorIntrinsic,
    /// A call that is made once for the subgroup, whatever its arguments: clocks.
    OncePerSubgroup,
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
    /// Ends the kernel at one lane: a fault.
    Fault,
    /// An engine function that is called lane by lane, with the context as first argument.
    EnginePerLane,
    /// A cold function, or one of the C library whose only side effects are through its pointers. It is called lane by
    /// lane unless its arguments are uniform.
    Library,
    /// A copy or fill of memory.
    MemoryTransfer,
    /// Anything else.
    Unknown,
}

/// The kind of a call.
pub fn of(call: Value) -> Callee {
    let Some(function) = call.called_function() else {
        return Callee::Unknown;
    };
    let name = function.name();
    match name.as_str() {
        CONTEXT => Callee::Context,
        LANES => Callee::Lanes,
        SAME => Callee::Same,
        name if name.starts_with(FIRST) => Callee::First,
        "vgpu.check" => Callee::WindowCheck,
        "vgpu.check_range" => Callee::WindowRangeCheck,
        "vgpu.check_object" => Callee::ObjectCheck,
        "vgpu.check_access" => Callee::AccessCheck,
        "vgpu.check_fence" => Callee::FenceCheck,
        "vgpu.check_sync" => Callee::SyncCheck,
        "vgpu.check_members" => Callee::MembersCheck,
        // The lanes of a warp form are together anyway.
        "vgpu.check_arrive" => Callee::Hint,
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
        "vgpu_clock" | "vgpu_globaltimer" => Callee::OncePerSubgroup,
        "vgpu_yield" | SPIN => Callee::Yield,
        "vgpu_trap" | "vgpu_assert_fail" | "vgpu_wild_access" => Callee::Fault,
        "vgpu_malloc" | "vgpu_realloc" | "vgpu_free" | "vgpu_vprintf" => Callee::EnginePerLane,
        _ => match name.strip_prefix("llvm.") {
            Some(intrinsic) => of_intrinsic(intrinsic),
            None if LIBRARY_SYMBOLS.contains(&name.as_str()) => Callee::Library,
            None if cold_functions::is_name_of_one(&name) => Callee::Library,
            None => Callee::Unknown,
        },
    }
}

/// Intrinsics that LLVM defines for vectors, lane by lane.
const VECTOR_INTRINSICS: &[&str] = &[
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
    ) || name.starts_with("invariant.")
        || name.starts_with("pseudoprobe")
    {
        return Callee::Hint;
    }
    if name.starts_with("experimental.noalias.scope.decl") {
        return Callee::NoaliasScope;
    }
    let saturating = matches!(
        stem,
        "sadd" | "uadd" | "ssub" | "usub" | "smul" | "umul" | "sshl" | "ushl"
    );
    let converts = matches!(stem, "fptosi" | "fptoui") && name.contains(".sat.");
    let is_class = stem == "is" && name.starts_with("is.fpclass");
    if VECTOR_INTRINSICS.contains(&stem) || saturating || converts || is_class {
        return Callee::VectorIntrinsic;
    }
    match stem {
        "memcpy" | "memmove" | "memset" => Callee::MemoryTransfer,
        // LLVM has no vector code for these on the host.
        "frexp" | "modf" | "sincos" | "sincospi" | "lround" | "llround" | "lrint" | "llrint"
        | "asin" | "acos" | "atan" | "atan2" | "sinh" | "cosh" | "tanh" => Callee::Library,
        _ => Callee::Unknown,
    }
}

/// Whether warps wait for each other in such a call.
pub fn is_wait(callee: Callee) -> bool {
    matches!(
        callee,
        Callee::Barrier | Callee::BarrierArrive | Callee::BarrierReduce | Callee::Yield
    )
}

/// Whether the lanes of a warp act together in such a call, so that a subgroup must be a warp.
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

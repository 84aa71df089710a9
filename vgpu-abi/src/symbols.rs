//! The symbols that compiled code may refer to.

/// The engine's functions that compiled code may call, all `extern "C"`.
///
/// `cx` is the caller's `*mut ThreadContext`, and `site` an index into [`crate::artifact::Manifest::sites`]. A
/// synchronising call with equal `site` in several lanes is one call site for convergence. A count of 0 means "every
/// thread of the block". A mask has one bit per lane of the warp.
///
/// | function | C signature | serves |
/// |---|---|---|
/// | `vgpu_barrier` | `void(cx, site, u32 id, u32 count)` | `barrier.sync`, `bar.sync`, `s_barrier`; exited threads count as arrived |
/// | `vgpu_barrier_arrive` | `void(cx, site, u32 id, u32 count)` | `barrier.arrive` |
/// | `vgpu_barrier_reduce` | `u32(cx, site, u32 id, u32 count, u32 mode, u32 pred)` | `barrier.red` |
/// | `vgpu_syncwarp` | `void(cx, site, u64 mask)` | `bar.warp.sync` |
/// | `vgpu_activemask` | `u64(cx, site)` | `activemask`; also unmasked legacy forms |
/// | `vgpu_shfl` | `u64(cx, site, u64 mask, u32 mode, u32 value, u32 b, u32 c)` | `shfl.sync`; bit 32 of the result is the predicate |
/// | `vgpu_vote` | `u64(cx, site, u64 mask, u32 mode, u32 pred)` | `vote.sync` |
/// | `vgpu_match_any` | `u64(cx, site, u64 mask, u64 value)` | `match.any.sync` |
/// | `vgpu_match_all` | `u64(cx, site, u64 mask, u64 value)` | `match.all.sync`; 0 if the values differ |
/// | `vgpu_redux` | `u32(cx, site, u64 mask, u32 op, u32 value)` | `redux.sync` |
/// | `vgpu_wave` | `u64(cx, site, u32 op, u64 value, u32 lane, u64 fallback)` | AMDGCN's operations across lanes ([`crate::WaveOp`]) |
/// | `vgpu_yield` | `void(cx, site)` | `nanosleep`, `s_sleep`: lets the other threads of the block run |
/// | `vgpu_spin` | `void(cx, site)` | inserted in loops that wait on memory; yields now and then |
/// | `vgpu_exit` | `noreturn(cx)` | `exit`, `s_endpgm`: ends the calling thread |
/// | `vgpu_trap` | `noreturn(cx, site)` | `trap`, `llvm.trap`, `unreachable` after a failed check |
/// | `vgpu_reaches_host` | `u32(cx, u64 address)` | a window check that is about to fail: 1 if the host lets kernels access this address of its own |
/// | `vgpu_wild_access` | `noreturn(cx, site, u64 address, u32 write)` | failed window check |
/// | `vgpu_assert_fail` | `noreturn(cx, site, message, file, u32 line, function)` | `__assertfail`, `__assert_fail` |
/// | `vgpu_vprintf` | `i32(cx, format, args, u32 alignment)` | `vprintf`: arguments one after the other, aligned to their size, at most to `alignment` |
/// | `vgpu_malloc` | `void*(cx, u64 size)` | device heap; null when exhausted |
/// | `vgpu_realloc` | `void*(cx, void*, u64 size)` | device heap; null when exhausted, the block stays then |
/// | `vgpu_free` | `void(cx, void*)` | device heap |
/// | `vgpu_clock` | `u64(cx)` | `clock64` and `clock` (truncated), `s_memtime`, in ticks |
/// | `vgpu_globaltimer` | `u64(cx)` | `globaltimer`, ns |
///
/// Code in warp form ([`crate::WarpEntryFn`]) calls the functions below, with the subgroup's context as `cx`. Warp
/// operations (shuffles, votes, …) are vector instructions there. A lane of `lanes` is a bit; bit 0 is the subgroup's
/// first thread. `vgpu_warp_barrier` and its like stand for one arrival of each thread in `lanes`. The threads of
/// `elsewhere` wait for them in other code, which is a fault where the whole block must arrive. The subgroup's other
/// threads have ended, or are about to end without another engine call.
///
/// | function | C signature | serves |
/// |---|---|---|
/// | `vgpu_warp_lane` | `void(cx, u32 lane)` | the engine calls that follow are this lane's: faults name its thread |
/// | `vgpu_warp_barrier` | `void(cx, site, u32 id, u32 count, u64 lanes, u64 elsewhere)` | `vgpu_barrier` of all `lanes` |
/// | `vgpu_warp_barrier_arrive` | `void(cx, site, u32 id, u32 count, u64 lanes, u64 elsewhere)` | `vgpu_barrier_arrive` of all `lanes` |
/// | `vgpu_warp_barrier_reduce` | `u32(cx, site, u32 id, u32 count, u32 mode, u64 lanes, u64 elsewhere, u64 preds)` | `vgpu_barrier_reduce` of all `lanes`; `preds` has their predicates |
/// | `vgpu_warp_split` | `noreturn(cx, site, u64 named, u64 elsewhere)` | an operation of the warp names lanes that are elsewhere |
///
/// After `vgpu_warp_lane`, it also calls these of the first table: `vgpu_trap`, `vgpu_reaches_host`,
/// `vgpu_wild_access`, `vgpu_assert_fail`, `vgpu_vprintf`, `vgpu_malloc`, `vgpu_realloc` and `vgpu_free`. Without it,
/// it calls `vgpu_clock`, `vgpu_globaltimer` and `vgpu_yield` (the whole warp lets others run).
///
/// Besides these, code may call the C library functions in [`LIBRARY_SYMBOLS`]. LLVM's x86 back end emits them for
/// intrinsics (`llvm.sin.f64`, wide division, large copies).
pub const ENGINE_SYMBOLS: &[&str] = &[
    "vgpu_barrier",
    "vgpu_barrier_arrive",
    "vgpu_barrier_reduce",
    "vgpu_syncwarp",
    "vgpu_activemask",
    "vgpu_shfl",
    "vgpu_vote",
    "vgpu_match_any",
    "vgpu_match_all",
    "vgpu_redux",
    "vgpu_wave",
    "vgpu_yield",
    "vgpu_spin",
    "vgpu_exit",
    "vgpu_trap",
    "vgpu_reaches_host",
    "vgpu_wild_access",
    "vgpu_assert_fail",
    "vgpu_vprintf",
    "vgpu_malloc",
    "vgpu_realloc",
    "vgpu_free",
    "vgpu_clock",
    "vgpu_globaltimer",
];

/// The engine's functions that only code in warp form calls: the second table of [`ENGINE_SYMBOLS`].
pub const WARP_ENGINE_SYMBOLS: &[&str] = &[
    "vgpu_warp_lane",
    "vgpu_warp_barrier",
    "vgpu_warp_barrier_arrive",
    "vgpu_warp_barrier_reduce",
    "vgpu_warp_split",
];

/// The engine's functions that checked code calls ([`crate::Checks`]). `kind` is a [`crate::AccessKind`]. They return;
/// what they find, the engine reports when the kernel has ended.
///
/// | function | C signature | announces |
/// |---|---|---|
/// | `vgpu_access` | `void(cx, site, u32 kind, u64 size, void*, u64 value)` | an access of the calling thread, and the value that it writes |
/// | `vgpu_outside` | `void(cx, site, u32 kind, u64 size, void*, void *object, u64 extent, u32 declaration)` | an access outside of the object that it names; the site of its declaration |
/// | `vgpu_fence` | `void(cx, u32 kind)` | a fence that acquires, releases or both |
/// | `vgpu_lanes_arrive` | `void(cx, u64 mask)` | the thread comes to a `bar.warp.sync` of `mask` |
/// | `vgpu_lanes_leave` | `void(cx, u64 mask)` | it goes on behind that |
/// | `vgpu_members` | `void(cx, site)` | the thread goes on behind an operation with a member mask |
/// | `vgpu_task` | `void(cx, u32 event, void *task, u64 number, void *list)` | what the thread does with explicit tasks: a [`crate::TaskEvent`] |
/// | `vgpu_warp_access` | `void(cx, site, u32 kind, u64 size, u64 lanes, u64 value, void *first, i64 stride)` | an access of each lane; `first` is lane 0's |
/// | `vgpu_warp_access_tile` | `void(cx, site, u32 kind, u64 size, u64 lanes, u64 value, void *first, u32 columns, i64 across, i64 down)` | the same of rows of `columns` lanes, with distances from column to column and from row to row |
/// | `vgpu_warp_access_each` | `void(cx, site, u32 kind, u64 size, u64 lanes, u64 value, void **)` | the same for any addresses |
/// | `vgpu_warp_access_sizes` | `void(cx, site, u32 kind, u64 lanes, u64 value, void **, u64 *sizes)` | the same for any addresses and sizes |
/// | `vgpu_warp_fence` | `void(cx, u32 kind, u64 lanes)` | a fence of each lane |
/// | `vgpu_warp_meet` | `void(cx, u64 lanes)` | the lanes have waited for each other in a `bar.warp.sync` |
/// | `vgpu_warp_members` | `void(cx, site, u64 mask, u64 lanes)` | the lanes have met at an operation with a member mask |
///
/// An access of no bytes says where the next call of the heap is. Instead of the functions in [`CHECKED_SYMBOLS`],
/// checked code calls others of the same signatures, with `checked_` in their names: `vgpu_checked_barrier`.
pub const CHECK_SYMBOLS: &[&str] = &[
    "vgpu_access",
    "vgpu_outside",
    "vgpu_fence",
    "vgpu_lanes_arrive",
    "vgpu_lanes_leave",
    "vgpu_members",
    "vgpu_task",
    "vgpu_warp_access",
    "vgpu_warp_access_tile",
    "vgpu_warp_access_each",
    "vgpu_warp_access_sizes",
    "vgpu_warp_fence",
    "vgpu_warp_meet",
    "vgpu_warp_members",
];

/// The functions whose use checked code announces: see [`CHECK_SYMBOLS`].
pub const CHECKED_SYMBOLS: &[&str] = &[
    "vgpu_barrier",
    "vgpu_barrier_arrive",
    "vgpu_barrier_reduce",
    "vgpu_warp_barrier",
    "vgpu_warp_barrier_arrive",
    "vgpu_warp_barrier_reduce",
    "vgpu_malloc",
    "vgpu_realloc",
    "vgpu_free",
];

/// The symbol that checked code uses instead of one in [`CHECKED_SYMBOLS`].
pub fn checked_symbol(symbol: &str) -> String {
    symbol.replacen("vgpu_", "vgpu_checked_", 1)
}

/// C library and compiler-support functions that compiled code may call. The engine's loader resolves them in the
/// host's own libraries; rounding to `bfloat`, which not all of these have, is its own.
pub const LIBRARY_SYMBOLS: &[&str] = &[
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
    "bcmp",
    "strlen",
    "wcslen",
    "sin",
    "sinf",
    "cos",
    "cosf",
    "tan",
    "tanf",
    "asin",
    "asinf",
    "acos",
    "acosf",
    "atan",
    "atanf",
    "atan2",
    "atan2f",
    "sinh",
    "sinhf",
    "cosh",
    "coshf",
    "tanh",
    "tanhf",
    "exp",
    "expf",
    "exp2",
    "exp2f",
    "exp10",
    "exp10f",
    "log",
    "logf",
    "log2",
    "log2f",
    "log10",
    "log10f",
    "pow",
    "powf",
    "fmod",
    "fmodf",
    "fma",
    "fmaf",
    "floor",
    "floorf",
    "ceil",
    "ceilf",
    "trunc",
    "truncf",
    "rint",
    "rintf",
    "nearbyint",
    "nearbyintf",
    "round",
    "roundf",
    "roundeven",
    "roundevenf",
    "lround",
    "lroundf",
    "llround",
    "llroundf",
    "lrint",
    "lrintf",
    "llrint",
    "llrintf",
    "ldexp",
    "ldexpf",
    "frexp",
    "frexpf",
    "modf",
    "modff",
    "fmin",
    "fminf",
    "fmax",
    "fmaxf",
    "sincos",
    "sincosf",
    "cbrt",
    "cbrtf",
    "hypot",
    "hypotf",
    "__udivti3",
    "__umodti3",
    "__divti3",
    "__modti3",
    "__multi3",
    "__extendhfsf2",
    "__truncsfhf2",
    "__truncdfhf2",
    "__truncsfbf2",
    "__truncdfbf2",
    "__fixunsdfti",
    "__fixdfti",
    "__floatuntidf",
    "__floattidf",
    "__fixunssfti",
    "__fixsfti",
    "__floatuntisf",
    "__floattisf",
    "__ashlti3",
    "__ashrti3",
    "__lshrti3",
];

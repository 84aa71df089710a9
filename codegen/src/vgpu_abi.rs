//! The binary interface between code compiled for the virtual GPU and the engine that runs it.
//!
//! Every GPU thread runs on a stack of [`STACK_SIZE`] bytes, aligned to its size, whose top
//! [`CONTEXT_SIZE`] bytes are its [`ThreadContext`]: compiled code finds the context from the stack
//! pointer alone, so there is no thread-local storage and no extra argument in indirect calls.
//!
//! All memory device code may touch (allocations, globals, stacks, shared memory) lies in one window
//! of the address space, `address >> WINDOW_SHIFT == WINDOW_INDEX`. Compiled code checks that before
//! an access it cannot prove to be local, which is how a host pointer in a kernel is found out.

/// Changes whenever this interface does; part of the cache key and of the manifest.
pub const VERSION: u32 = 7;

/// log2 of the device window's size (1 TiB).
pub const WINDOW_SHIFT: u32 = 40;
/// The device window is `[WINDOW_INDEX << WINDOW_SHIFT, (WINDOW_INDEX + 1) << WINDOW_SHIFT)`: far from
/// where Linux puts programs, libraries, heaps and the sanitizers' shadows.
pub const WINDOW_INDEX: u64 = 0x30;
/// Stack of one GPU thread, bytes; also its alignment.
pub const STACK_SIZE: usize = 256 << 10;
/// Bytes at the top of every stack that hold the [`ThreadContext`].
pub const CONTEXT_SIZE: usize = 256;

/// Most lanes of a warp: AMDGCN has warps ("waves") of 32 or 64, NVPTX of 32.
pub const MAX_WARP_SIZE: u32 = 64;

/// Ticks per second of AMDGCN's steady counter, `s_memrealtime`; most GPUs have this one.
pub const STEADY_FREQUENCY: u64 = 100_000_000;

/// What a GPU thread knows of itself. Compiled code reads the fields by their offsets.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct ThreadContext {
    /// `%tid`.
    pub tid: [u32; 3],
    /// `%ntid`.
    pub ntid: [u32; 3],
    /// `%ctaid`.
    pub ctaid: [u32; 3],
    /// `%nctaid`.
    pub nctaid: [u32; 3],
    /// `%laneid`.
    pub laneid: u32,
    /// `%warpid`: linear thread index / warp size.
    pub warpid: u32,
    /// `%smid`: the CPU worker that runs the block.
    pub smid: u32,
    /// `%nsmid`.
    pub nsmid: u32,
    /// `%dynamic_smem_size`, bytes.
    pub dynamic_shared_size: u32,
    /// Static plus dynamic shared memory of the block, bytes.
    pub shared_size: u32,
    /// First byte of the block's shared memory (static first, then dynamic).
    pub shared_base: u64,
    /// AMDGCN: the number LLVM's lowering of shared memory gave the kernel; its entry writes it.
    pub kernel_number: u32,
    /// Zero.
    pub reserved: u32,
    /// The launch's [`DispatchRecord`], for AMDGCN.
    pub dispatch: u64,
    /// Instructions of the image that the thread has executed, if code that counts them was asked for
    /// ([`crate::VgpuOptions::count`]); else 0.
    pub instructions: u64,
}

const _: () = assert!(size_of::<ThreadContext>() <= CONTEXT_SIZE);

/// What AMDGCN code finds behind its dispatch pointer and its implicit-argument pointer: the packet that
/// launched the grid (`hsa_kernel_dispatch_packet_t`, HSA System Architecture, 2.10) and the implicit arguments
/// of code object version 5 (LLVM's AMDGPU usage, "Code Object V5 Metadata"). Fields that only a GPU's driver
/// uses are zero. The explicit arguments follow.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct DispatchRecord {
    /// The packet: header and setup.
    pub packet_header: [u16; 2],
    /// Threads per block.
    pub workgroup_size: [u16; 3],
    /// Zero.
    pub packet_reserved0: u16,
    /// Threads of the grid, per dimension.
    pub grid_size: [u32; 3],
    /// Bytes of a thread's private memory.
    pub private_segment_size: u32,
    /// Bytes of a block's shared memory.
    pub group_segment_size: u32,
    /// Zero: there is no kernel object.
    pub kernel_object: u64,
    /// The explicit arguments.
    pub kernarg_address: u64,
    /// Reserved, and the completion signal: zero.
    pub packet_reserved1: [u64; 2],
    /// Implicit arguments: blocks per dimension.
    pub block_count: [u32; 3],
    /// Threads of a full block.
    pub group_size: [u16; 3],
    /// Threads of the partial block at the end of each dimension: there is none.
    pub remainder: [u16; 3],
    /// Zero.
    pub implicit_reserved0: [u64; 2],
    /// Zero: the grid begins at its origin.
    pub global_offset: [u64; 3],
    /// Dimensions of the grid.
    pub grid_dimensions: u16,
    /// Zero.
    pub implicit_reserved1: [u16; 3],
    /// Buffers of the driver's services (printf, host calls, heap, queues): none.
    pub services: [u64; 6],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared_size: u32,
    /// Zero.
    pub implicit_reserved2: u32,
    /// Zero.
    pub implicit_reserved3: [u64; 16],
}

const _: () = assert!(size_of::<DispatchRecord>() == DISPATCH_PACKET_SIZE + IMPLICIT_SIZE);

/// Bytes of the packet in a [`DispatchRecord`].
pub const DISPATCH_PACKET_SIZE: usize = 64;
/// Bytes of the implicit arguments in a [`DispatchRecord`].
pub const IMPLICIT_SIZE: usize = 256;

/// A kernel's entry in compiled code: `args` points at the words of its parameters ([`crate::artifact::Parameter`]).
pub type EntryFn = unsafe extern "C" fn(context: *mut ThreadContext, args: *const u64);

/// A kernel's entry in *warp form* ([`crate::artifact::WarpForm`]): one call runs `width` consecutive threads of a
/// block, a *strip*, as the lanes of vectors. A strip begins at a multiple of `width` in the block.
///
/// * `context` is that of the strip's first thread: `tid`, `laneid` (0, or a multiple of `width` within the warp) and
///   `warpid` are that thread's, everything else is the block's. It is an argument: a warp's stack is larger than a
///   thread's, so the stack pointer does not lead to it. Wherever it lies, engine functions must find the
///   multiprocessor and the fiber from its address, as they do for a thread's.
/// * `args` is as for [`EntryFn`].
/// * `lanes` has a bit per thread of the strip that exists: all `width` lowest bits, fewer in a block's last strip. Never 0.
///
/// `tid[1]` and `tid[2]` must be the same in all threads of a strip: the engine takes the warp form only for blocks of one
/// dimension, or whose first dimension is a multiple of `width`. Of a form for workers of a generic kernel it is `tid[0]` and
/// `tid[2]`, and the block extends along y and has more than one warp; the last runs thread by thread.
///
/// Where the form says `fiber: false`, the code calls nothing that waits: strips may run one after another on one
/// stack. Else `width` is the image's warp size and every warp needs a fiber of its own. Either way the stack has
/// [`WARP_STACK_SIZE`] bytes.
pub type WarpEntryFn =
    unsafe extern "C" fn(context: *mut ThreadContext, args: *const u64, lanes: u64);

/// Stack of one warp in warp form, bytes: as much as 32 threads have.
pub const WARP_STACK_SIZE: usize = 32 * STACK_SIZE;

/// Shuffle modes of `vgpu_shfl`.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShuffleMode {
    /// `shfl.sync.up`
    Up = 0,
    /// `shfl.sync.down`
    Down = 1,
    /// `shfl.sync.bfly`
    Bfly = 2,
    /// `shfl.sync.idx`
    Idx = 3,
}

/// Vote modes of `vgpu_vote`.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VoteMode {
    /// `vote.sync.all`
    All = 0,
    /// `vote.sync.any`
    Any = 1,
    /// `vote.sync.uni`
    Uni = 2,
    /// `vote.sync.ballot`
    Ballot = 3,
}

/// Operations of `vgpu_redux` (`redux.sync`).
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReduxOp {
    /// Sum.
    Add = 0,
    /// Unsigned minimum.
    Umin = 1,
    /// Unsigned maximum.
    Umax = 2,
    /// Signed minimum.
    Smin = 3,
    /// Signed maximum.
    Smax = 4,
    /// Bitwise and.
    And = 5,
    /// Bitwise or.
    Or = 6,
    /// Bitwise exclusive or.
    Xor = 7,
}

/// Operations of `vgpu_wave`, in which the lanes that arrive at the call together take part. `value`, `lane`
/// and `fallback` are the call's arguments.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaveOp {
    /// Waits for the others.
    Sync = 0,
    /// The lanes whose value is not 0.
    Ballot = 1,
    /// The value of the first lane.
    First = 2,
    /// The value of lane `lane`, `fallback` if that takes no part.
    Gather = 3,
    /// The value that the highest lane gives whose `lane` names this one, `fallback` if none does.
    Scatter = 4,
}

/// `vgpu_wave` with this plus a [`ReduxOp`] reduces 64-bit values.
pub const WAVE_REDUX: u32 = 16;

/// Modes of `vgpu_barrier_reduce` (`barrier.red`).
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierReduce {
    /// Number of threads whose predicate holds.
    Popc = 0,
    /// Whether all hold.
    And = 1,
    /// Whether any holds.
    Or = 2,
}

/// The engine's functions compiled code may call, all `extern "C"`. `cx` is the caller's
/// `*mut ThreadContext`, `site` an index into [`crate::artifact::Manifest::sites`]. A synchronising
/// call with equal `site` in several lanes is one call site for convergence. Counts of 0 mean
/// "every thread of the block". Masks have a bit per lane of the warp.
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
/// | `vgpu_wave` | `u64(cx, site, u32 op, u64 value, u32 lane, u64 fallback)` | AMDGCN's operations across lanes ([`WaveOp`]) |
/// | `vgpu_yield` | `void(cx, site)` | `nanosleep`, `s_sleep`: lets the other threads of the block run |
/// | `vgpu_spin` | `void(cx, site)` | inserted in loops that wait on memory; yields now and then |
/// | `vgpu_exit` | `noreturn(cx)` | `exit`, `s_endpgm`: ends the calling thread |
/// | `vgpu_trap` | `noreturn(cx, site)` | `trap`, `llvm.trap`, `unreachable` after a failed check |
/// | `vgpu_wild_access` | `noreturn(cx, site, u64 address, u32 write)` | failed window check |
/// | `vgpu_assert_fail` | `noreturn(cx, site, message, file, u32 line, function)` | `__assertfail`, `__assert_fail` |
/// | `vgpu_vprintf` | `i32(cx, format, args, u32 alignment)` | `vprintf`: arguments one after the other, aligned to their size, at most to `alignment` |
/// | `vgpu_malloc` | `void*(cx, u64 size)` | device heap; null when exhausted |
/// | `vgpu_realloc` | `void*(cx, void*, u64 size)` | device heap; null when exhausted, the block stays then |
/// | `vgpu_free` | `void(cx, void*)` | device heap |
/// | `vgpu_clock` | `u64(cx)` | `clock64` and `clock` (truncated), `s_memtime`, in ticks |
/// | `vgpu_globaltimer` | `u64(cx)` | `globaltimer`, ns |
///
/// Code in warp form ([`WarpEntryFn`]) calls these, with the strip's context as `cx`; warp operations (shuffles, votes, …)
/// are vector instructions there. A lane of `lanes` is a bit, bit 0 the strip's first thread. `vgpu_warp_barrier` and its
/// like stand for one arrival of each thread in `lanes`; those `elsewhere` wait for them in other code, which is a fault where the
/// whole block is to come; the strip's other threads have ended or are about to, without another engine call.
///
/// | function | C signature | serves |
/// |---|---|---|
/// | `vgpu_warp_lane` | `void(cx, u32 lane)` | the engine calls that follow are this lane's: faults name its thread |
/// | `vgpu_warp_barrier` | `void(cx, site, u32 id, u32 count, u64 lanes, u64 elsewhere)` | `vgpu_barrier` of all `lanes` |
/// | `vgpu_warp_barrier_arrive` | `void(cx, site, u32 id, u32 count, u64 lanes, u64 elsewhere)` | `vgpu_barrier_arrive` of all `lanes` |
/// | `vgpu_warp_barrier_reduce` | `u32(cx, site, u32 id, u32 count, u32 mode, u64 lanes, u64 elsewhere, u64 preds)` | `vgpu_barrier_reduce` of all `lanes`; `preds` has their predicates |
/// | `vgpu_warp_split` | `noreturn(cx, site, u64 named, u64 elsewhere)` | an operation of the warp names lanes that are elsewhere |
///
/// Of the functions above it calls, after `vgpu_warp_lane`: `vgpu_trap`, `vgpu_wild_access`, `vgpu_assert_fail`,
/// `vgpu_vprintf`, `vgpu_malloc`, `vgpu_realloc`, `vgpu_free`; and without it `vgpu_clock`, `vgpu_globaltimer`, `vgpu_yield`
/// (the whole warp lets others run).
///
/// Besides these, code may call the C library functions in [`LIBRARY_SYMBOLS`], which LLVM's x86 back
/// end emits for intrinsics (`llvm.sin.f64`, wide division, large copies).
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

/// C library and compiler-support functions that compiled code may call; the engine's loader resolves
/// them in the host's own libraries.
pub const LIBRARY_SYMBOLS: &[&str] = &[
    "memcpy",
    "memmove",
    "memset",
    "memcmp",
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

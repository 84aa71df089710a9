//! The binary interface between code compiled for the virtual GPU and the engine that runs it.
//!
//! The compiler (`codegen-llvm`) makes an [`artifact::Artifact`] of a device image: an object for the host and a
//! manifest. The engine (`plugin-vgpu`) loads the object, resolves the [`symbols`](ENGINE_SYMBOLS) it refers to,
//! and calls the kernels' entries ([`EntryFn`], [`WarpEntryFn`]). [`summary`] is what the compiler says of an image
//! it only inspects.
//!
//! Every GPU thread runs on a stack of [`STACK_SIZE`] bytes that is aligned to its size. The top [`CONTEXT_SIZE`] bytes
//! are its [`ThreadContext`]. Compiled code finds the context from the stack pointer alone, so there is no thread-local
//! storage and no extra argument in indirect calls.
//!
//! All memory that device code may touch (allocations, globals, stacks, shared memory) lies in one window of the
//! address space: `address >> WINDOW_SHIFT` is one of [`WINDOWS`]. Compiled code checks this before an access that it
//! cannot prove to be local. That is how a host pointer in a kernel is found.

mod access;
pub mod artifact;
mod context;
mod dispatch;
mod entry;
mod operations;
pub mod summary;
mod symbols;
mod task_event;

pub use access::{ACCESSIBLE_SHADOW, AccessKind, Checks, WRITTEN_SHADOW};
pub use context::ThreadContext;
pub use dispatch::{DISPATCH_PACKET_SIZE, DispatchRecord, GridWorkspace, IMPLICIT_SIZE};
pub use entry::{
    ENDED, EntryFn, MAX_FRAME, RegionCall, SubgroupCall, WARP_STACK_SIZE, WarpEntryFn, WarpFrame,
};
pub use operations::{BarrierReduce, ReduxOp, ShuffleMode, VoteMode, WAVE_REDUX, WaveOp};
pub use symbols::{
    CHECK_SYMBOLS, CHECKED_SYMBOLS, ENGINE_SYMBOLS, LIBRARY_SYMBOLS, WARP_ENGINE_SYMBOLS,
    checked_symbol,
};
pub use task_event::{FINAL_TASK, TaskDependence, TaskEvent};

/// The interface's version. It changes with every change of the interface and is part of the cache key and of the
/// manifest.
pub const VERSION: u32 = 24;

/// log2 of the device window's size (1 TiB).
pub const WINDOW_SHIFT: u32 = 40;
/// Where the device window may be, by index: `[index << WINDOW_SHIFT, (index + 1) << WINDOW_SHIFT)`. Code is compiled
/// for one of them. The first is far from where Linux puts programs, libraries and heaps, and AddressSanitizer its
/// shadow. ThreadSanitizer has its shadow there. It leaves programs the lowest two terabytes (`tsan_platform.h`), and
/// the second is the upper one of these.
pub const WINDOWS: [u64; 2] = [0x30, 0x01];
/// Stack of one GPU thread, in bytes; also its alignment.
pub const STACK_SIZE: usize = 256 << 10;
/// Bytes at the top of every stack that hold the [`ThreadContext`].
pub const CONTEXT_SIZE: usize = 256;

/// On 64-bit ARM, where division by zero gives zero: the operand of the `udf` instruction that compiled code comes to
/// instead. On x86-64 the division itself raises a signal.
pub const DIVISION_BY_ZERO: u16 = 0xd1;

/// Most lanes of a warp: AMDGCN has warps ("waves") of 32 or 64, NVPTX of 32.
pub const MAX_WARP_SIZE: u32 = 64;

/// Ticks per second of AMDGCN's steady counter, `s_memrealtime`; most GPUs have this one.
pub const STEADY_FREQUENCY: u64 = 100_000_000;

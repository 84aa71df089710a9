//! The entries of kernels in compiled code.

use crate::{STACK_SIZE, ThreadContext};

/// A kernel's entry in compiled code: `args` points at the words of its parameters ([`crate::artifact::Parameter`]).
pub type EntryFn = unsafe extern "C" fn(context: *mut ThreadContext, args: *const u64);

/// A kernel's entry in *warp form* ([`crate::artifact::WarpForm`]).
///
/// One call runs `width` consecutive threads of a block, a *subgroup*, as the lanes of vectors. A subgroup begins at a
/// multiple of `width` in the block.
///
/// * `context` is that of the subgroup's first thread. `tid`, `laneid` (0, or a multiple of `width` within the warp)
///   and `warpid` are that thread's; everything else is the block's. The context is an argument because a warp's stack
///   is larger than a thread's, so the stack pointer does not lead to it. Engine functions must find the multiprocessor
///   and the fiber from its address, wherever it lies, as they do for a thread's context.
/// * `args` is as for [`EntryFn`].
/// * `lanes` has one bit for each thread of the subgroup that exists. Where the form says `fiber: true`, these are the
///   `width` lowest bits, or fewer in a block's last subgroup. Otherwise all threads of a subgroup exist, and what is
///   left of a block whose size is no multiple of `width` runs thread by thread.
///
/// `tid[1]` and `tid[2]` must be the same in all threads of a subgroup. So the engine takes the warp form only for
/// blocks of one dimension and for blocks whose first dimension is a multiple of `width`. In a form for workers of a
/// generic kernel, `tid[0]` and `tid[2]` must be the same instead. The block then extends along y and has more than one
/// warp, and its last warp runs thread by thread.
///
/// Forms with `regions` and `loops` are called otherwise: see [`RegionCall`] and [`SubgroupCall`].
///
/// Where the form says `fiber: false`, the code calls nothing that waits: subgroups may run one after another on one
/// stack. Otherwise `width` is the image's warp size, and every warp needs a fiber of its own. Either way the stack has
/// [`WARP_STACK_SIZE`] bytes.
pub type WarpEntryFn =
    unsafe extern "C" fn(context: *mut ThreadContext, args: *const u64, lanes: u64);

/// Stack of one warp in warp form, in bytes: as much as 32 threads have.
pub const WARP_STACK_SIZE: usize = 32 * STACK_SIZE;

/// One call of a warp form with a loop over whole subgroups of a block that follow each other, and over blocks that
/// follow each other along x.
///
/// The address of this structure takes the place of `lanes` in [`WarpEntryFn`]. `context` is that of the first block's
/// first thread in these subgroups. Code makes it that of each subgroup's first one.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SubgroupCall {
    /// Where the index of the running subgroup's first thread belongs.
    pub current: *mut u16,
    /// Where it belongs, too.
    pub thread: *mut u16,
    /// 1 if the launch has ended. No other subgroup begins then.
    pub stop: *const u8,
    /// The first of these threads in each block, counted through the block.
    pub first: u32,
    /// Its index.
    pub tid: [u32; 3],
    /// The number of the thread behind the last of them. There is at least one subgroup.
    pub end: u32,
    /// The first block's index along x.
    pub block: u32,
    /// Blocks, at least one.
    pub blocks: u32,
}

/// One call of a warp form that runs by *regions*: from a barrier to the next ones (pocl's parallel regions). A call
/// runs one region for several warps of a block, one after the other, on one stack.
///
/// The address of this structure takes the place of `lanes` in [`WarpEntryFn`]. `context` is that of the block's first
/// warp, and the contexts of the others follow at distances of [`WARP_STACK_SIZE`]. Code passes their addresses on, to
/// engine functions, and does not read them: what a warp knows of itself is in its frame.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct RegionCall {
    /// The frames of the block's warps, one after the other, of as many bytes each as the form says.
    pub frames: *mut WarpFrame,
    /// Where the index of the running warp's first thread belongs.
    pub current: *mut u16,
    /// The region.
    pub region: u32,
    /// The first warp that it runs for.
    pub from: u32,
    /// The one behind the last.
    pub to: u32,
    /// The threads of the block, if the call is for all warps and goes on by itself where all of them have come to one
    /// barrier of the whole block; else 0.
    pub whole: u32,
    /// The code counts here the regions that it ran behind the first one.
    pub further: u32,
    /// A byte that is 1 when the launch has ended. Then the code returns.
    pub stop: *const u8,
}

/// What a warp keeps between two regions. What its code keeps follows.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct WarpFrame {
    /// Its context.
    pub context: ThreadContext,
    /// The lanes that exist: as `lanes` in [`WarpEntryFn`].
    pub existing: u64,
    /// The lanes that have come to a barrier. This and the next four fields are the arguments of `vgpu_warp_barrier`.
    pub lanes: u64,
    /// Lanes that wait for these in other code.
    pub elsewhere: u64,
    /// The call's place in the source.
    pub site: u32,
    /// The barrier's number.
    pub id: u32,
    /// How many threads it is for; 0 for all.
    pub count: u32,
    /// The region behind that barrier, or [`ENDED`].
    pub region: u32,
}

/// Stands for a region where a warp has ended.
pub const ENDED: u32 = u32::MAX;

/// Most bytes of a frame.
pub const MAX_FRAME: u32 = 128 << 10;

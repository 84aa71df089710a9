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
/// Where the form says `fiber: false`, the code calls nothing that waits: subgroups may run one after another on one
/// stack. Otherwise `width` is the image's warp size, and every warp needs a fiber of its own. Either way the stack has
/// [`WARP_STACK_SIZE`] bytes.
pub type WarpEntryFn =
    unsafe extern "C" fn(context: *mut ThreadContext, args: *const u64, lanes: u64);

/// Stack of one warp in warp form, in bytes: as much as 32 threads have.
pub const WARP_STACK_SIZE: usize = 32 * STACK_SIZE;

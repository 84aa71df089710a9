//! What no GPU served exceeds.

/// A set of lanes of one warp, bit `i` for lane `i`. 64 bits wide for GPUs with warps of 64.
pub type Lanes = u64;

/// Most threads a block can have on any GPU served.
pub const MAX_THREADS: usize = 1024;

//! Memory pools.

use std::sync::Arc;

use fake_driver::handle::{self, Handle};

use crate::status::{Failure, Outcome};

/// What allocations are rounded and aligned to: a page.
pub const GRANULE: u64 = 4096;

/// `hsa_amd_segment_t`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segment {
    /// Memory that can be allocated.
    Global = 0,
    /// LDS.
    Group = 3,
}

/// A pool.
pub struct Pool {
    /// The number of its agent.
    pub owner: usize,
    /// Where it lies.
    pub segment: Segment,
    /// `HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_*`
    pub flags: u32,
}

/// The pool of a handle.
pub fn get(raw: Handle) -> Outcome<Arc<Pool>> {
    handle::get(raw).map_err(|_| Failure::ERROR_INVALID_MEMORY_POOL)
}

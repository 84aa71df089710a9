//! A multiprocessor: everything one CPU worker needs to run one block at a time.

use std::cell::{Cell, UnsafeCell};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use codegen::vgpu_abi::{EntryFn, ThreadContext};
use plugin_api::Result;

use crate::block::Block;
use crate::fault::{Raised, Signal};
use crate::fiber::Fibers;
use crate::heap::{Heap, HeapCache};
use crate::window::{PAGE, Protection, Region};

/// Most shared memory of a block, static and dynamic: that of an sm_90 (227 KiB).
pub const MAX_SHARED: u32 = 227 << 10;

/// What a block runs.
pub struct BlockRun<'a> {
    /// The kernel.
    pub entry: EntryFn,
    /// Its parameters.
    pub args: *const u64,
    /// What the block's threads know in common.
    pub context: ThreadContext,
    /// Set when the launch has failed elsewhere and the block should be given up.
    pub stop: &'a AtomicBool,
    /// How long the block may wait on memory without progress.
    pub timeout: Option<Duration>,
}

/// A multiprocessor. It moves between CPU threads, but only between blocks; while it runs a block, all
/// access comes from one CPU thread, part of it from the fibers through their contexts.
pub struct Sm {
    /// `%smid`.
    pub index: u32,
    /// `%nsmid`.
    pub count: u32,
    block: UnsafeCell<Block>,
    fibers: UnsafeCell<Fibers>,
    heap_cache: UnsafeCell<HeapCache>,
    text: UnsafeCell<Vec<u8>>,
    shared: Region,
    /// The device's heap.
    pub heap: std::sync::Arc<Heap>,
    /// The fiber that runs, while [`Sm::in_fiber`].
    pub current: Cell<u16>,
    /// Whether a fiber runs at the moment.
    pub in_fiber: Cell<bool>,
    /// Set by a thread that ended inside a function: its fiber must be reset.
    pub exited: Cell<bool>,
    /// A fault an engine call found.
    pub raised: Cell<Option<Box<Raised>>>,
    /// A fault the CPU found.
    pub signal: Cell<Option<Signal>>,
    /// Switches to a fiber so far.
    pub switches: Cell<u64>,
}

// SAFETY: an Sm is used by one CPU thread at a time; moving it between blocks moves no fiber that runs.
unsafe impl Send for Sm {}

impl Sm {
    /// A multiprocessor with addresses for its stacks and shared memory.
    pub fn new(index: u32, count: u32, heap: std::sync::Arc<Heap>) -> Result<Sm> {
        let size = u64::from(MAX_SHARED).next_multiple_of(PAGE);
        let shared = Region::reserve(size + 2 * PAGE, PAGE)?;
        shared.protect(PAGE, size, Protection::ReadWrite)?;
        Ok(Sm {
            index,
            count,
            text: UnsafeCell::new(Vec::new()),
            block: UnsafeCell::new(Block::new()),
            fibers: UnsafeCell::new(Fibers::new()?),
            heap_cache: UnsafeCell::new(HeapCache::default()),
            shared,
            heap,
            current: Cell::new(0),
            in_fiber: Cell::new(false),
            exited: Cell::new(false),
            raised: Cell::new(None),
            signal: Cell::new(None),
            switches: Cell::new(0),
        })
    }

    /// First byte of a block's shared memory.
    pub fn shared_base(&self) -> u64 {
        self.shared.span().start + PAGE
    }

    /// The resident block.
    ///
    /// # Safety
    /// The reference ends before the next call of this function on the same `Sm`, and before any switch.
    #[expect(clippy::mut_from_ref, reason = "the state is shared between a worker and its fibers, which alternate")]
    pub unsafe fn block(&self) -> &mut Block {
        // SAFETY: the caller's contract.
        unsafe { &mut *self.block.get() }
    }

    /// The fibers.
    ///
    /// # Safety
    /// As for [`Sm::block`].
    #[expect(clippy::mut_from_ref, reason = "as for `block`")]
    pub unsafe fn fibers(&self) -> &mut Fibers {
        // SAFETY: the caller's contract.
        unsafe { &mut *self.fibers.get() }
    }

    /// This worker's share of the device heap.
    ///
    /// # Safety
    /// As for [`Sm::block`].
    #[expect(clippy::mut_from_ref, reason = "as for `block`")]
    pub unsafe fn heap_cache(&self) -> &mut HeapCache {
        // SAFETY: the caller's contract.
        unsafe { &mut *self.heap_cache.get() }
    }

    /// Text under construction for the host's standard output.
    ///
    /// # Safety
    /// As for [`Sm::block`].
    #[expect(clippy::mut_from_ref, reason = "as for `block`")]
    pub unsafe fn text(&self) -> &mut Vec<u8> {
        // SAFETY: the caller's contract.
        unsafe { &mut *self.text.get() }
    }
}

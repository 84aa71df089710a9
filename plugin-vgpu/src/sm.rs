//! A multiprocessor: everything one CPU worker needs to run one block at a time.

use std::cell::{Cell, UnsafeCell};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use plugin_api::Result;
use vgpu_abi::ThreadContext;

use crate::block::{Block, MAX_THREADS, Next, WarpKind};
use crate::captured_signal::CapturedSignal;
use crate::counters::SmCounters;
use crate::engine::Form;
use crate::fault::Raised;
use crate::fiber::{FiberState, MAX_FIBERS, Stacks};
use crate::heap::{Heap, HeapCache};
use crate::switch::{Suspended, switch};
use crate::window::{PAGE, Protection, Region};

/// Most shared memory of a block, static and dynamic: that of an sm_90 (227 KiB).
pub const MAX_SHARED: u32 = 227 << 10;

/// What a block runs.
pub struct BlockRun<'a> {
    /// The kernel, and how its threads are run.
    pub form: Form,
    /// Its parameters.
    pub args: *const u64,
    /// What the block's threads know in common.
    pub context: ThreadContext,
    /// The program's warps.
    pub warp_kind: WarpKind,
    /// Set when the launch has failed elsewhere and the block should be given up.
    pub stop: &'a AtomicBool,
    /// How long lanes in lockstep wait for one that only waits on memory, before they go on without it.
    pub lockstep_timeout: Duration,
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
    stacks: UnsafeCell<Stacks>,
    /// Per fiber.
    pub fiber_states: [FiberState; MAX_FIBERS],
    /// Where each started thread of the block goes on; in warp form, each warp, at its first thread.
    pub suspended: [Cell<Suspended>; MAX_THREADS as usize],
    heap_cache: UnsafeCell<HeapCache>,
    text: UnsafeCell<Vec<u8>>,
    shared: Region,
    /// The device's heap.
    pub heap: std::sync::Arc<Heap>,
    /// The thread that runs, while [`Sm::in_fiber`]; in warp form, the first of those that run.
    pub current: Cell<u16>,
    /// Whether a fiber runs at the moment.
    pub in_fiber: Cell<bool>,
    /// What the resident block runs.
    pub run: Cell<*const BlockRun<'static>>,
    /// Where the worker goes on, while a fiber runs.
    pub worker: Cell<Suspended>,
    /// A fault an engine call found.
    pub raised: Cell<Option<Box<Raised>>>,
    /// A fault the CPU found.
    pub signal: Cell<Option<CapturedSignal>>,
    /// What it has done.
    pub counters: SmCounters,
}

// SAFETY: an Sm is used by one CPU thread at a time; moving it between blocks moves no fiber that runs.
unsafe impl Send for Sm {}

impl Sm {
    /// A multiprocessor with addresses for its stacks and shared memory.
    pub fn new(index: u32, count: u32, heap: std::sync::Arc<Heap>) -> Result<Box<Sm>> {
        let size = u64::from(MAX_SHARED).next_multiple_of(PAGE);
        let shared = Region::reserve(size + 2 * PAGE, PAGE)?;
        shared.protect(PAGE, size, Protection::ReadWrite)?;
        let sm = Box::new(Sm {
            index,
            count,
            text: UnsafeCell::new(Vec::new()),
            block: UnsafeCell::new(Block::new()),
            stacks: UnsafeCell::new(Stacks::new()?),
            fiber_states: [const { FiberState::new() }; MAX_FIBERS],
            suspended: [const { Cell::new(0) }; MAX_THREADS as usize],
            heap_cache: UnsafeCell::new(HeapCache::default()),
            shared,
            heap,
            current: Cell::new(0),
            in_fiber: Cell::new(false),
            run: Cell::new(std::ptr::null()),
            worker: Cell::new(0),
            raised: Cell::new(None),
            signal: Cell::new(None),
            counters: SmCounters::default(),
        });
        // SAFETY: nothing refers to the fibers yet; the Sm stays in its box for ever.
        unsafe { sm.stacks().set_owner(&raw const *sm) };
        Ok(sm)
    }

    /// First byte of a block's shared memory.
    pub fn shared_base(&self) -> u64 {
        self.shared.span().start + PAGE
    }

    /// The resident block.
    ///
    /// # Safety
    /// The reference ends before the next call of this function on the same `Sm`, and before any switch.
    #[expect(
        clippy::mut_from_ref,
        reason = "the state is shared between a worker and its fibers, which alternate"
    )]
    pub unsafe fn block(&self) -> &mut Block {
        // SAFETY: the caller's contract.
        unsafe { &mut *self.block.get() }
    }

    /// The fibers' stacks.
    ///
    /// # Safety
    /// As for [`Sm::block`].
    #[expect(clippy::mut_from_ref, reason = "as for `block`")]
    pub unsafe fn stacks(&self) -> &mut Stacks {
        // SAFETY: the caller's contract.
        unsafe { &mut *self.stacks.get() }
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

    /// Lets others run until the wait of `thread`, the caller, is over: the next thread that can go on,
    /// or the worker if there is none.
    ///
    /// # Safety
    /// `thread` is the caller's, and no reference from [`Sm::block`] and the like is in use.
    #[inline(always)]
    pub unsafe fn wait(&self, thread: u16) {
        let own = self.suspended[usize::from(thread)].as_ptr();
        // SAFETY: the caller's contract.
        unsafe {
            match self.block().next() {
                Next::Resume(next) if next == thread => {}
                Next::Resume(next) => {
                    self.current.set(next);
                    self.counters.switched();
                    switch(own, self.suspended[usize::from(next)].get());
                }
                _ => switch(own, self.worker.get()),
            }
        }
    }

    /// Runs `thread`, and whatever threads it makes way for, until one gives the worker back.
    ///
    /// # Safety
    /// The caller is the worker; as for [`Sm::wait`].
    pub unsafe fn resume(&self, thread: u16) {
        self.current.set(thread);
        self.in_fiber.set(true);
        self.counters.switched();
        // SAFETY: the caller's contract.
        unsafe {
            switch(
                self.worker.as_ptr(),
                self.suspended[usize::from(thread)].get(),
            )
        };
        self.in_fiber.set(false);
    }

    /// Gives the worker back for good: the block is over.
    ///
    /// # Safety
    /// The caller is a fiber, with nothing on its stack that must be dropped.
    pub unsafe fn return_to_worker(&self) -> ! {
        let mut nowhere = 0;
        // SAFETY: the worker was suspended when it resumed a fiber.
        unsafe { switch(&mut nowhere, self.worker.get()) };
        unreachable!("a fiber that gave up was resumed")
    }
}

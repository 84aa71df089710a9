//! A multiprocessor: everything that a CPU worker needs to run one block at a time.

use std::cell::{Cell, UnsafeCell};
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use plugin_api::Result;
use vgpu_abi::ThreadContext;

use crate::arena::Span;
use crate::block::{Block, MAX_THREADS, Next, WarpKind};
use crate::captured_signal::CapturedSignal;
use crate::checker::{Checker, LaunchChecks};
use crate::counters::SmCounters;
use crate::endless_wait::EndlessWait;
use crate::engine::Form;
use crate::fault::{Cause, FaultLocation, Raised};
use crate::fiber::{FiberState, MAX_FIBERS, Stacks};
use crate::heap::{Heap, HeapCache};
use crate::reserve::Reserve;
use crate::schedule::LaunchOrder;
use crate::switch::{Suspended, switch};
use crate::window::{PAGE, Protection, Region};

/// Most shared memory per block, static and dynamic. The same as on sm_90 (227 KiB).
pub const MAX_SHARED: u32 = 227 << 10;

/// Describes a block to run.
pub struct BlockRun<'a> {
    /// The kernel and how its threads run.
    pub form: Form,
    /// The threads of the block that run: mostly all. Of a form of subgroups the first one begins a subgroup.
    pub part: Range<u32>,
    /// Its parameters.
    pub args: *const u64,
    /// The part of the context that all threads of the block share.
    pub context: ThreadContext,
    /// The program's warps.
    pub warp_kind: WarpKind,
    /// The order of the launch.
    pub order: LaunchOrder,
    /// Set when the launch has failed elsewhere and the block should stop.
    pub stop: &'a AtomicBool,
    /// How long lanes in lockstep wait for a lane that spins on memory, before they continue without it.
    pub lockstep_timeout: Duration,
    /// How long the block may wait on memory without progress.
    pub timeout: Option<Duration>,
    /// The hint about a block that waits for long.
    pub endless_wait: Option<&'a EndlessWait>,
    /// Where it calls for workers for the blocks that it may wait for.
    pub reserve: &'a Reserve,
    /// What checks it.
    pub checks: Option<&'a LaunchChecks>,
}

impl BlockRun<'_> {
    /// Threads of the block.
    pub fn threads(&self) -> u32 {
        self.context.ntid.iter().product()
    }

    /// A block of the launch begins.
    pub fn begin_checks(&self, sm: &Sm, block: [u32; 3]) {
        if let Some(checks) = self.checks {
            let ThreadContext {
                shared_base,
                shared_size,
                ..
            } = self.context;
            let shared = Span {
                start: shared_base,
                len: shared_size.into(),
            };
            let resized = sm.checked_shared.replace(shared_size) != shared_size;
            checks.begin_block(sm.index, block, shared, resized);
        }
    }

    /// The threads behind which no whole subgroup of `width` runs.
    pub fn whole_subgroups(&self, width: u32) -> u32 {
        self.part.end / width * width
    }
}

/// A multiprocessor. It moves between CPU threads, but only between blocks. While it runs a block, only one CPU
/// thread uses it, partly through the fibers and their contexts.
pub struct Sm {
    /// `%smid`.
    pub index: u32,
    /// `%nsmid`.
    pub count: u32,
    block: UnsafeCell<Block>,
    stacks: UnsafeCell<Stacks>,
    /// Per fiber.
    pub fiber_states: [FiberState; MAX_FIBERS],
    /// Where each started thread of the block resumes. In warp form, where each warp resumes, at the index of its
    /// first thread.
    pub suspended: [Cell<Suspended>; MAX_THREADS as usize],
    heap_cache: UnsafeCell<HeapCache>,
    printf_buffer: UnsafeCell<Vec<u8>>,
    shared: Region,
    /// The device's heap.
    pub heap: std::sync::Arc<Heap>,
    /// The running thread, while [`Sm::in_fiber`] is set. In warp form, the first of the running threads.
    pub current: Cell<u16>,
    /// Whether a fiber is running.
    pub in_fiber: Cell<bool>,
    /// The description of the resident block.
    pub run: Cell<*const BlockRun<'static>>,
    /// Where the worker resumes, while a fiber runs.
    pub worker: Cell<Suspended>,
    /// The running block, where warps run by regions and have no contexts of their own ([`crate::regions`]).
    pub block_of_regions: Cell<Option<[u32; 3]>>,
    /// A fault that an engine call found.
    pub raised: Cell<Option<Box<Raised>>>,
    /// A fault that the CPU found.
    pub signal: Cell<Option<CapturedSignal>>,
    /// The event counters.
    pub counters: SmCounters,
    /// Bytes of shared memory of the last block that was checked.
    pub checked_shared: Cell<u32>,
    /// Where checked code uses the heap next.
    pub heap_site: Cell<u32>,
}

// SAFETY: one CPU thread at a time uses an `Sm`. It moves only between blocks, when no fiber runs.
unsafe impl Send for Sm {}

/// Makes the page before the shared memory readable, zeros. Warp forms load `s[tid - 1]` for all lanes from lane 0's
/// address, with a mask. A CPU takes hundreds of cycles for a masked load that touches a page which is not there, even
/// if no active lane does.
fn make_readable(shared: &Region) -> Result<()> {
    shared.protect(0, PAGE, Protection::Read)?;
    let page = shared.span().start as *const u8;
    // A masked load would not have the system map the page.
    // SAFETY: the page is readable, and nobody writes to it.
    let _zero = unsafe { page.read_volatile() };
    Ok(())
}

impl Sm {
    /// A multiprocessor with addresses for its stacks and shared memory.
    pub fn new(
        index: u32,
        count: u32,
        heap: std::sync::Arc<Heap>,
        checker: Option<std::sync::Arc<Checker>>,
    ) -> Result<Box<Sm>> {
        let size = u64::from(MAX_SHARED).next_multiple_of(PAGE);
        let shared = Region::reserve(size + 2 * PAGE, PAGE)?;
        shared.protect(PAGE, size, Protection::ReadWrite)?;
        match &checker {
            Some(checker) => checker.manage(shared.span()),
            None => make_readable(&shared)?,
        }
        let sm = Box::new(Sm {
            index,
            count,
            printf_buffer: UnsafeCell::new(Vec::new()),
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
            block_of_regions: Cell::new(None),
            raised: Cell::new(None),
            signal: Cell::new(None),
            counters: SmCounters::default(),
            checked_shared: Cell::new(u32::MAX),
            heap_site: Cell::new(0),
        });
        // SAFETY: nothing refers to the fibers yet. The `Sm` stays in its box.
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

    /// The text that `printf` is formatting for the host's standard output.
    ///
    /// # Safety
    /// As for [`Sm::block`].
    #[expect(clippy::mut_from_ref, reason = "as for `block`")]
    pub unsafe fn printf_buffer(&self) -> &mut Vec<u8> {
        // SAFETY: the caller's contract.
        unsafe { &mut *self.printf_buffer.get() }
    }

    /// Lets others run until the wait of `thread`, the caller, is over. The next ready thread runs, or the worker
    /// if there is none.
    ///
    /// # Safety
    /// `thread` is the caller's. No reference from [`Sm::block`] or a similar function is in use.
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

    /// Runs `thread` and the threads that it switches to, until one of them returns to the worker.
    ///
    /// # Safety
    /// The caller is the worker. As for [`Sm::wait`].
    pub unsafe fn resume(&self, thread: u16) {
        // SAFETY: the caller's contract.
        unsafe { self.resume_at(thread, thread) }
    }

    /// As [`Sm::resume`], for a thread that runs on the fiber of another one, `of`.
    ///
    /// # Safety
    /// As for [`Sm::resume`].
    pub unsafe fn resume_at(&self, thread: u16, of: u16) {
        self.current.set(thread);
        self.in_fiber.set(true);
        self.counters.switched();
        // SAFETY: the caller's contract.
        unsafe { switch(self.worker.as_ptr(), self.suspended[usize::from(of)].get()) };
        self.in_fiber.set(false);
    }

    /// Ends the kernel with a fault of a thread at a site.
    ///
    /// # Safety
    /// As for [`Sm::return_to_worker`].
    pub unsafe fn raise(&self, thread: u16, site: u32, cause: Cause) -> ! {
        let raised = Raised {
            thread,
            thread_count: 1,
            cause,
            place: FaultLocation::Site(site),
            waiting: Vec::new(),
        };
        self.raised.set(Some(Box::new(raised)));
        // SAFETY: the caller's contract.
        unsafe { self.return_to_worker() }
    }

    /// Returns to the worker for good: the block is over.
    ///
    /// # Safety
    /// The caller is a fiber, with nothing on its stack that must be dropped.
    pub unsafe fn return_to_worker(&self) -> ! {
        let mut nowhere = 0;
        // SAFETY: the worker was suspended when it resumed a fiber.
        unsafe { switch(&mut nowhere, self.worker.get()) };
        unreachable!("a fiber that returned to its worker was resumed")
    }
}

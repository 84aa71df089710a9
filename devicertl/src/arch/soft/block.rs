//! The blocks of the GPU in [`super`]: their threads, what they share, and how they wait for each other.

use std::alloc::{Layout, alloc, dealloc};
use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicIsize, Ordering};
use std::time::{Duration, Instant};

use super::threads::{Condvar, Mutex, MutexGuard, RESIDENT_BLOCKS, run_all, thread_local};
use crate::arch::limits::{Lanes, MAX_THREADS};

/// No wait in a test takes this long; whoever waits longer waits for ever.
const PATIENCE: Duration = Duration::from_secs(60);

/// What to launch.
#[derive(Clone, Copy, Debug)]
pub struct Launch {
    /// Blocks.
    pub blocks: u32,
    /// Threads per block, the master's warp included.
    pub threads: u32,
    /// Lanes per warp: 32 or 64; less in model checks, which have few threads.
    pub warp: u32,
    /// Whether code is told that warps are executed one by one.
    pub warp_by_warp: bool,
    /// Whether the blocks have the shape of an SPMD kernel's.
    pub spmd: bool,
    /// The shared variables of a block.
    pub shared: Layout,
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: usize,
    /// Heap allocations of this size outlive the launch, so [`live_allocations`] does not count them.
    pub kept_allocation: usize,
}

impl Launch {
    fn dynamic_layout(&self) -> Layout {
        Layout::from_size_align(self.dynamic_shared.max(1), 16).expect("a valid layout")
    }
}

/// Threads that meet: how many have arrived, and how often they went on together.
#[derive(Default)]
pub(super) struct Gathering {
    pub(super) arrived: u32,
    pub(super) generation: u64,
}

/// Lanes that gather with a value each.
pub(super) struct Exchange {
    pub(super) arrived: Lanes,
    pub(super) generation: u64,
    pub(super) offered: [u32; Lanes::BITS as usize],
    pub(super) exchanged: [u32; Lanes::BITS as usize],
}

impl Default for Exchange {
    fn default() -> Self {
        let values = [0; Lanes::BITS as usize];
        Exchange {
            arrived: 0,
            generation: 0,
            offered: values,
            exchanged: values,
        }
    }
}

#[derive(Default)]
pub(super) struct Waiting {
    pub(super) live: u32,
    pub(super) all: Gathering,
    pub(super) group: Gathering,
    pub(super) exchanges: HashMap<(u32, Lanes), Exchange>,
}

pub(super) struct Block {
    pub(super) id: u32,
    pub(super) launch: Launch,
    pub(super) shared: *mut u8,
    pub(super) dynamic: *mut u8,
    pub(super) allocations: Arc<AtomicIsize>,
    pub(super) nest: Vec<Cell<u16>>,
    pub(super) thread_states: Vec<Cell<*mut c_void>>,
    pub(super) state: Mutex<Waiting>,
    pub(super) change: Condvar,
}

// SAFETY: `shared` and `dynamic` are raw memory that the code under test synchronises. Only one thread uses each entry
// of `nest` and `thread_states`.
unsafe impl Sync for Block {}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated by `new` with these layouts; the block's threads are gone.
        unsafe {
            dealloc(self.shared, self.launch.shared);
            dealloc(self.dynamic, self.launch.dynamic_layout());
        }
    }
}

pub(super) struct Thread<'a> {
    pub(super) block: &'a Block,
    pub(super) id: u32,
}

thread_local! {
    #[allow(clippy::missing_const_for_thread_local, reason = "loom's macro has no such form")]
    static CURRENT: Cell<*const Thread<'static>> = Cell::new(std::ptr::null());
}

std::thread_local! {
    /// Heap allocations of the launches of this thread (a test) that are not released.
    static ALLOCATIONS: Arc<AtomicIsize> = Arc::default();
}

pub(super) fn with<R>(use_thread: impl FnOnce(&Thread<'_>) -> R) -> R {
    let current = CURRENT.with(Cell::get);
    assert!(!current.is_null(), "device code runs outside `launch`");
    // SAFETY: `launch` keeps the thread's record on its stack while the thread runs.
    use_thread(unsafe { &*current })
}

/// Runs `kernel` on every thread of every block.
pub fn launch(launch: Launch, kernel: &(dyn Fn() + Sync)) {
    assert!(launch.threads as usize <= MAX_THREADS && launch.threads > 0);
    assert!(launch.warp.is_power_of_two() && launch.warp <= Lanes::BITS);
    let mut first = 0;
    while first < launch.blocks {
        let count = RESIDENT_BLOCKS.min(launch.blocks - first);
        let blocks: Vec<Block> = (first..first + count)
            .map(|id| Block::new(id, launch))
            .collect();
        run_all(count * launch.threads, &|index| {
            let (block, id) = (index / launch.threads, index % launch.threads);
            let block = &blocks[block as usize];
            run(Thread { block, id }, kernel);
        });
        first += count;
    }
}

fn run(thread: Thread<'_>, kernel: &(dyn Fn() + Sync)) {
    CURRENT.with(|current| current.set((&raw const thread).cast()));
    kernel();
    CURRENT.with(|current| current.set(std::ptr::null()));
    // Ended threads count as arrived.
    let mut state = thread.block.lock();
    state.live -= 1;
    let live = state.live;
    if live > 0 && state.all.arrived == live {
        thread.block.open(&mut state.all);
    }
}

/// Heap allocations of this test's blocks that were not released, without those of [`Launch::kept_allocation`]'s size.
pub fn live_allocations() -> isize {
    ALLOCATIONS.with(|allocations| allocations.load(Ordering::SeqCst))
}

pub(super) fn count(bytes: usize, change: isize) {
    with(|thread| {
        if bytes != thread.block.launch.kept_allocation {
            thread.block.allocations.fetch_add(change, Ordering::SeqCst);
        }
    });
}

impl Block {
    fn new(id: u32, launch: Launch) -> Block {
        // SAFETY: both layouts have a size; the memory is filled before anyone sees it.
        let (shared, dynamic) = unsafe {
            let memory = (alloc(launch.shared), alloc(launch.dynamic_layout()));
            memory.0.write_bytes(0xaa, launch.shared.size());
            memory
        };
        Block {
            id,
            launch,
            shared,
            dynamic,
            allocations: ALLOCATIONS.with(Arc::clone),
            thread_states: vec![Cell::new(std::ptr::dangling_mut()); MAX_THREADS],
            nest: (0..MAX_THREADS).map(|_| Cell::new(0xaaaa)).collect(),
            state: Mutex::new(Waiting {
                live: launch.threads,
                ..Waiting::default()
            }),
            change: Condvar::new(),
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.state.lock().expect("no thread panics with the lock")
    }

    fn open(&self, gathering: &mut Gathering) {
        gathering.arrived = 0;
        gathering.generation += 1;
        self.change.notify_all();
    }

    pub(super) fn wait_while<'a>(
        &'a self,
        mut state: MutexGuard<'a, Waiting>,
        what: &str,
        condition: impl Fn(&Waiting) -> bool,
    ) -> MutexGuard<'a, Waiting> {
        let start = Instant::now();
        while condition(&state) {
            if start.elapsed() > PATIENCE {
                fail(&format!("deadlock at {what}"));
            }
            state = self
                .change
                .wait_timeout(state, PATIENCE)
                .expect("no thread panics with the lock")
                .0;
        }
        state
    }

    pub(super) fn gather(
        &self,
        what: &str,
        select: fn(&mut Waiting) -> &mut Gathering,
        wanted: impl Fn(&Waiting) -> u32,
    ) {
        let mut state = self.lock();
        let wanted = wanted(&state);
        let gathering = select(&mut state);
        let generation = gathering.generation;
        gathering.arrived += 1;
        if gathering.arrived == wanted {
            return self.open(gathering);
        }
        // `select` needs a mutable state; the generations alone tell whether to go on.
        let is_all = std::ptr::eq(select(&mut state), &state.all);
        drop(self.wait_while(state, what, move |state| {
            (if is_all { &state.all } else { &state.group }).generation == generation
        }));
    }
}

pub(super) fn fail(message: &str) -> ! {
    eprintln!("soft GPU: {message}");
    std::process::abort()
}

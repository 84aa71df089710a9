//! The multiprocessors of a device and the CPU threads that work for them.
//!
//! A launch runs on the thread that requests it. For grids of several blocks, helper threads join in. A worker
//! holds a multiprocessor while it runs blocks. When others wait for one, the worker releases it after the
//! current range of blocks. Waiters are served in order of arrival.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Instant;

use parking_lot::{Condvar, Mutex, MutexGuard};
use plugin_api::{Error, Result};

use crate::checker::Checker;
use crate::config::Config;
use crate::counters::DeviceCounters;
use crate::grid::Grid;
use crate::heap::Heap;
use crate::reserve;
use crate::short_launches::Series;
use crate::sm::Sm;
use crate::spin_then_park::{Crowd, lock_soon};

/// The multiprocessors.
pub struct Machine {
    count: u32,
    pool: Mutex<Pool>,
    returned: Condvar,
    /// Whether a worker waits for a multiprocessor. A hint that is read without the lock.
    contended: AtomicBool,
    helpers: Arc<Helpers>,
    /// Those who may spin.
    pub crowd: Arc<Crowd>,
    /// The launches that follow each other closely.
    pub series: Series,
    /// The event counters of all multiprocessors.
    pub counters: DeviceCounters,
}

struct Pool {
    idle: Vec<Box<Sm>>,
    /// Tickets of the waiting workers, in order.
    queue: VecDeque<u64>,
    next_ticket: u64,
    made: u32,
    /// Workers beyond the usual ones, each of which may have a multiprocessor ([`crate::reserve`]).
    reserve: u32,
    heap: Arc<Heap>,
    checker: Option<Arc<Checker>>,
}

impl Pool {
    /// The caller has a multiprocessor, or one is idle, or there is none yet.
    fn compare_transfers(&self) {
        if let Some(checker) = &self.checker {
            // SAFETY: while races are looked for there is one multiprocessor. The caller has it, or nobody has it as
            // long as the pool is locked.
            unsafe { checker.compare_transfers() };
        }
    }
}

/// Reports what the comparison of copies has found.
fn report_transfers(pool: MutexGuard<'_, Pool>) {
    let checker = pool.checker.clone();
    drop(pool);
    if let Some(checker) = checker {
        checker.report_transfers();
    }
}

/// The part of a machine that helper threads share. It outlives the machine until the threads have ended.
struct Helpers {
    work: Mutex<HelperQueue>,
    arrived: Condvar,
    /// Whether there is work, or the machine has closed. A hint that is read without the lock.
    wanted: AtomicBool,
    crowd: Arc<Crowd>,
}

/// The grids that helper threads are to run, and what is known about the threads.
struct HelperQueue {
    grids: VecDeque<Arc<Grid>>,
    /// Helper threads started.
    started: u32,
    closed: bool,
}

impl Machine {
    /// The machine that `config` describes. Multiprocessors and threads are created on first use.
    pub fn new(config: &Config, heap: Arc<Heap>, checker: Option<Arc<Checker>>) -> Arc<Machine> {
        let pool = Pool {
            idle: Vec::new(),
            queue: VecDeque::new(),
            next_ticket: 0,
            made: 0,
            reserve: 0,
            heap,
            checker,
        };
        let work = HelperQueue {
            grids: VecDeque::new(),
            started: 0,
            closed: false,
        };
        let cpus = std::thread::available_parallelism().map_or(1, |cpus| cpus.get() as u32);
        let crowd = Arc::new(Crowd::new(config.multiprocessors, cpus));
        Arc::new(Machine {
            count: config.multiprocessors,
            pool: Mutex::new(pool),
            returned: Condvar::new(),
            contended: AtomicBool::new(false),
            counters: DeviceCounters::default(),
            helpers: Arc::new(Helpers {
                work: Mutex::new(work),
                arrived: Condvar::new(),
                wanted: AtomicBool::new(false),
                crowd: crowd.clone(),
            }),
            crowd,
            series: Series::default(),
        })
    }

    /// How many multiprocessors there are.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Takes a multiprocessor for the worker of this number in its launch. Waits if all are busy.
    pub fn acquire(&self, worker: usize) -> Result<Box<Sm>> {
        let mut pool = lock_soon(&self.pool);
        if pool.queue.is_empty()
            && let Some(sm) = self.take(&mut pool, worker)?
        {
            return Ok(sm);
        }
        let ticket = pool.next_ticket;
        pool.next_ticket += 1;
        pool.queue.push_back(ticket);
        loop {
            if pool.queue.front() == Some(&ticket) {
                let taken = self.take(&mut pool, worker).transpose();
                if let Some(taken) = taken {
                    pool.queue.pop_front();
                    self.contended
                        .store(!pool.queue.is_empty(), Ordering::Relaxed);
                    self.returned.notify_all();
                    return taken;
                }
            }
            self.contended.store(true, Ordering::Relaxed);
            self.returned.wait(&mut pool);
        }
    }

    /// Gives a multiprocessor back.
    pub fn release(&self, sm: Box<Sm>) {
        let mut pool = lock_soon(&self.pool);
        pool.compare_transfers();
        pool.idle.push(sm);
        if !pool.queue.is_empty() {
            self.returned.notify_all();
        }
        report_transfers(pool);
    }

    /// A copy was noted by the checker. It is compared now if nothing runs; otherwise who runs something does that.
    pub fn note_transfer(&self) {
        let pool = self.pool.lock();
        if pool.made == 0 || !pool.idle.is_empty() {
            pool.compare_transfers();
        }
        report_transfers(pool);
    }

    /// Whether a worker waits for a multiprocessor.
    pub fn contended(&self) -> bool {
        self.contended.load(Ordering::Relaxed)
    }

    /// How many helper threads there are.
    #[cfg(test)]
    pub fn helpers_started(&self) -> u32 {
        self.helpers.work.lock().started
    }

    /// Asks up to `wanted` helper threads to join `grid`.
    pub fn request_helpers(self: &Arc<Self>, grid: &Arc<Grid>, wanted: u32) {
        let wanted = wanted.min(self.count - 1);
        let mut work = lock_soon(&self.helpers.work);
        for _ in 0..wanted {
            work.grids.push_back(grid.clone());
        }
        while work.started < wanted {
            let (helpers, machine) = (self.helpers.clone(), Arc::downgrade(self));
            let thread = std::thread::Builder::new().name(format!("vgpu-{}", work.started + 1));
            // With too few helpers a launch is slower, but correct.
            if thread.spawn(move || help(&helpers, &machine)).is_err() {
                break;
            }
            work.started += 1;
        }
        drop(work);
        // Who sees it wants the lock.
        self.helpers.wanted.store(true, Ordering::Relaxed);
        if wanted == 1 {
            self.helpers.arrived.notify_one();
        } else {
            self.helpers.arrived.notify_all();
        }
    }

    /// Cancels requests for help with `grid` that no helper has answered.
    pub fn cancel_helpers(&self, grid: &Arc<Grid>) {
        let mut work = lock_soon(&self.helpers.work);
        work.grids.retain(|other| !Arc::ptr_eq(other, grid));
        self.helpers
            .wanted
            .store(!work.grids.is_empty(), Ordering::Relaxed);
    }

    /// Starts a worker in reserve for `grid`. While races are looked for there is none, as there is one multiprocessor.
    pub fn reinforce(self: &Arc<Self>, grid: Arc<Grid>) {
        let mut pool = self.pool.lock();
        if pool.checker.is_some() || pool.reserve == reserve::MOST {
            return;
        }
        let machine = self.clone();
        let thread = std::thread::Builder::new().name("vgpu-reserve".into());
        let help = move || {
            grid.help(&machine);
            machine.pool.lock().reserve -= 1;
        };
        // Without another worker the block goes on waiting, and calls again.
        if thread.spawn(help).is_ok() {
            pool.reserve += 1;
            self.returned.notify_all();
        }
    }

    fn take(&self, pool: &mut Pool, worker: usize) -> Result<Option<Box<Sm>>> {
        let busy = pool.made - pool.idle.len() as u32;
        if busy >= self.count + pool.reserve {
            return Ok(None);
        }
        // The one that it had the last time is in the caches of its CPU.
        let own = pool.idle.iter().position(|sm| sm.index as usize == worker);
        let sm = match own {
            Some(own) => Some(pool.idle.swap_remove(own)),
            None => pool.idle.pop(),
        };
        if sm.is_some() {
            return Ok(sm);
        }
        let sm = make(
            pool.made % self.count,
            self.count,
            pool.heap.clone(),
            pool.checker.clone(),
        )?;
        pool.made += 1;
        Ok(Some(sm))
    }
}

/// Makes a multiprocessor. Some 100 KiB of it pass over the stack, which the calling thread may not have (`ulimit -s`,
/// or a thread of the program's with a small stack). A new thread has.
fn make(index: u32, count: u32, heap: Arc<Heap>, checker: Option<Arc<Checker>>) -> Result<Box<Sm>> {
    let system = |source| Error::System {
        what: "starting a thread for the virtual GPU".into(),
        source,
    };
    let thread = std::thread::Builder::new().name("vgpu-setup".into());
    let thread = thread.spawn(move || Sm::new(index, count, heap, checker));
    let made = thread.map_err(system)?.join();
    made.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.helpers.work.lock().closed = true;
        self.helpers.wanted.store(true, Ordering::Relaxed);
        self.helpers.arrived.notify_all();
    }
}

impl Helpers {
    /// The next launch to help with. `None` if the machine has closed.
    fn next(&self) -> Option<Arc<Grid>> {
        let is_wanted = || self.wanted.load(Ordering::Relaxed);
        let began = Instant::now();
        loop {
            let seen = self.crowd.spin_until(began, is_wanted);
            let mut work = lock_soon(&self.work);
            if !seen {
                self.arrived
                    .wait_while(&mut work, |work| !work.closed && work.grids.is_empty());
            }
            if work.closed {
                return None;
            }
            // None if others have come, or the launch has ended meanwhile. The next one may come soon.
            let grid = work.grids.pop_front();
            self.wanted.store(!work.grids.is_empty(), Ordering::Relaxed);
            if grid.is_some() {
                return grid;
            }
        }
    }
}

/// The main function of a helper thread.
fn help(helpers: &Helpers, machine: &Weak<Machine>) {
    while let Some(grid) = helpers.next() {
        let Some(machine) = machine.upgrade() else {
            return;
        };
        grid.help(&machine);
    }
}

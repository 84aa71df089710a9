//! One launch: a grid of blocks that workers share.

mod chosen;
mod starting;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use plugin_api::{Error, Result};
use vgpu_abi::ThreadContext;

use crate::block::WarpKind;
use crate::block_ranges::{self, BlockRange, BlockRanges, index_in};
use crate::block_time::BlockTime;
use crate::checker::LaunchChecks;
use crate::contention::{Gate, Trial};
use crate::endless_wait::EndlessWait;
use crate::engine::Form;
use crate::fault::Raised;
use crate::form_choice::FormChoice;
use crate::later::Later;
use crate::machine::Machine;
use crate::pieces::Pieces;
use crate::regions;
use crate::reserve::{self, Reserve};
use crate::schedule::LaunchOrder;
use crate::scheduler::{self, Ending};
use crate::short_launches::Position;
use crate::signals;
use crate::sm::{BlockRun, Sm};
use crate::spin_then_park::{Crowd, lock_soon};
use crate::subgroups;

/// What is launched.
#[derive(Clone)]
pub struct GridRun {
    /// The kernel and how its threads run.
    pub form: Form,
    /// With a form of subgroups: chooses between that and threads one by one, range by range.
    pub choice: Option<Arc<FormChoice>>,
    /// With the form in which a kernel starts: the kernel, which may get others at any time.
    pub starts: Option<Arc<Later>>,
    /// How long blocks take; `None` if they may have to run at the same time.
    pub block_time: Option<Arc<BlockTime>>,
    /// Its parameters.
    pub args: *const u64,
    /// Blocks per dimension.
    pub blocks: [u32; 3],
    /// Threads per block, per dimension.
    pub threads: [u32; 3],
    /// Static and dynamic shared memory of a block.
    pub shared: u32,
    /// The dynamic part of it.
    pub dynamic_shared: u32,
    /// Address of the launch record. 0 if the program reads none.
    pub dispatch: u64,
    /// The program's warps.
    pub warp_kind: WarpKind,
    /// In which order blocks and threads run.
    pub order: LaunchOrder,
    /// How long lanes in lockstep wait for a lane that spins on memory, before they continue without it.
    pub lockstep_timeout: Duration,
    /// How long a block may wait on memory without progress.
    pub timeout: Option<Duration>,
    /// The hint about a block that waits for long.
    pub endless_wait: Option<Arc<EndlessWait>>,
    /// What checks the launch.
    pub checks: Option<Arc<LaunchChecks>>,
}

impl GridRun {
    /// How many of `most` helpers so many blocks are worth. `position`: `None` if CPUs are scarce.
    fn helpers(&self, blocks: u64, position: Option<Position>, most: u32) -> u32 {
        match &self.block_time {
            Some(block_time) => block_time.helpers(blocks, position, most),
            None => most,
        }
    }

    /// Threads of a block.
    fn threads(&self) -> u32 {
        self.threads.iter().product()
    }

    /// How blocks are divided among workers, if a launch of so many is worth several. Only threads that never wait may
    /// run apart from others of their block.
    fn pieces(&self, blocks: u64, workers: u32) -> Pieces {
        match self.form {
            Form::Subgroups { width, .. } if self.checks.is_none() && !self.order.is_random() => {
                Pieces::of(self.threads(), width, blocks, workers)
            }
            _ => Pieces::whole(self.threads()),
        }
    }
}

/// A fault and the block it happened in.
pub struct GridFault {
    /// Block index.
    pub block: [u32; 3],
    /// How the block ran.
    pub form: Form,
    /// The fault.
    pub raised: Raised,
}

/// The number of the worker that launches. Helpers have those from 1.
const LAUNCHING: usize = 0;

/// How blocks ended. The error is a fault and its block.
type BlockEnd = std::result::Result<(), ([u32; 3], Box<Raised>)>;

/// A launch in progress.
pub struct Grid {
    run: GridRun,
    reserve: Reserve,
    /// Most blocks that a worker takes at a time.
    most: u64,
    /// Of pieces of blocks.
    block_ranges: BlockRanges,
    pieces: Pieces,
    /// Whether it should take so little time that how it is shared is measured as a whole.
    short: bool,
    stop: AtomicBool,
    /// Helpers at work. Changed with `state` locked only, but read without the lock.
    helpers: AtomicU32,
    /// Helpers that came.
    joined: AtomicU32,
    /// Where helpers wait while the launching worker runs blocks alone.
    gate: Gate,
    /// How many trials of [`crate::contention`] had ended when helpers were last asked.
    asked: AtomicU64,
    state: Mutex<State>,
    idle: Condvar,
}

// SAFETY: `run.args` is only read, and only by workers that entered before the launching thread left.
unsafe impl Send for Grid {}
// SAFETY: as above.
unsafe impl Sync for Grid {}

struct State {
    closed: bool,
    outcome: Option<std::result::Result<GridFault, Error>>,
}

impl Grid {
    /// Runs a grid to its end.
    ///
    /// # Safety
    /// `run` describes a loaded kernel, parameters that it accepts, and a block within the device's limits.
    pub unsafe fn launch(machine: &Arc<Machine>, run: GridRun) -> Result<Option<GridFault>> {
        let total: u64 = run.blocks.iter().map(|&count| u64::from(count)).product();
        let pieces = run.pieces(total, machine.count());
        let most = (pieces.total(total) - 1).min(u64::from(machine.count() - 1)) as u32;
        let began = Instant::now();
        let position = machine.series.begin(began);
        let spare = (!machine.crowd.is_busy()).then_some(position);
        let helpers = run.helpers(total, spare, most);
        let pieces = match helpers {
            0 => Pieces::whole(run.threads()),
            _ => pieces,
        };
        let state = State {
            closed: false,
            outcome: None,
        };
        let form = run.form;
        let short = run.block_time.as_ref();
        let short = short.is_some_and(|it| it.is_short(total));
        let grid = Arc::new_cyclic(|grid| Grid {
            most: most_at_a_time(&run, total),
            run,
            reserve: Reserve::new(machine, grid),
            block_ranges: ranges_of(form, pieces.total(total), u64::from(helpers) + 1),
            pieces,
            short,
            stop: AtomicBool::new(false),
            helpers: AtomicU32::new(0),
            joined: AtomicU32::new(0),
            gate: Gate::default(),
            asked: AtomicU64::new(u64::MAX),
            state: Mutex::new(state),
            idle: Condvar::new(),
        });
        let _launch = machine.crowd.launch();
        grid.work_with(machine, helpers);
        while grid.blocks_left() {
            grid.note_asked();
            let left = { grid.block_ranges.count_left() }.div_ceil(grid.pieces.count().into());
            grid.work_with(machine, grid.run.helpers(left, None, most));
        }
        let outcome = grid.finish(&machine.crowd);
        let time = began.elapsed();
        machine.series.end(began + time, time);
        if let Some(block_time) = &grid.run.block_time {
            let came = grid.joined.load(Ordering::Relaxed);
            block_time.sharing.ran(total, helpers, came, time, position);
        }
        outcome
    }

    /// The launching worker's blocks, with the help of others: all, unless other helpers are needed first.
    fn work_with(self: &Arc<Self>, machine: &Arc<Machine>, helpers: u32) {
        if helpers > 0 {
            self.note_asked();
            machine.request_helpers(self, helpers);
        }
        self.work(machine, LAUNCHING);
        if helpers > 0 {
            machine.cancel_helpers(self);
        }
    }

    /// Helpers are asked, or are known to be worth nothing.
    fn note_asked(&self) {
        if let Some(block_time) = &self.run.block_time {
            let trials = block_time.contention.trials();
            self.asked.store(trials, Ordering::Relaxed);
        }
    }

    /// Joins the launch, unless it is over.
    pub fn help(&self, machine: &Machine) {
        {
            let state = lock_soon(&self.state);
            if state.closed {
                return;
            }
            self.helpers.fetch_add(1, Ordering::Relaxed);
        }
        let worker = self.joined.fetch_add(1, Ordering::Relaxed) as usize + 1;
        self.work(machine, worker);
        let _state = lock_soon(&self.state);
        if self.helpers.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.idle.notify_one();
        }
    }

    /// Waits for the helpers and closes the launch.
    fn finish(&self, crowd: &Crowd) -> Result<Option<GridFault>> {
        let alone = || self.helpers.load(Ordering::Relaxed) == 0;
        crowd.spin_until(Instant::now(), alone);
        let mut state = lock_soon(&self.state);
        while !alone() {
            self.idle.wait(&mut state);
        }
        state.closed = true;
        state.outcome.take().transpose()
    }

    /// Runs blocks until none is left.
    fn work(&self, machine: &Machine, worker: usize) {
        while self.blocks_left_for(worker) && self.wants(worker) {
            let ended = machine.acquire(worker).and_then(|sm| {
                let result = self.work_on(&sm, machine, worker);
                machine.counters.collect(&sm.counters);
                machine.release(sm);
                result
            });
            if let Err(error) = ended {
                return self.end(Err(error));
            }
        }
    }

    /// Whether a worker should go on with the next range: the launching one, unless it should ask for helpers first,
    /// and helpers as long as they help.
    fn wants(&self, worker: usize) -> bool {
        let block_time = self.run.block_time.as_ref().filter(|_| !self.short);
        block_time.is_none_or(|it| match worker {
            LAUNCHING => !it
                .contention
                .misses_helpers(self.asked.load(Ordering::Relaxed)),
            _ => it.contention.wants_helpers(),
        })
    }

    /// Runs blocks on `sm` until none is left or another worker waits for the multiprocessor.
    fn work_on(&self, sm: &Sm, machine: &Machine, worker: usize) -> Result<()> {
        let entered = signals::enter(sm)?;
        let mut trial = self.trial(worker);
        let mut most = 1;
        while self.blocks_left_for(worker) && self.wants(worker) {
            if worker != LAUNCHING {
                self.gate.pass(|| self.blocks_left());
            }
            let usual = || !self.tries_forms() && !machine.crowd.exceeds_cpus();
            let sample = trial.as_ref().and_then(|it| it.begin(usual()));
            let before = sample.is_some().then(cpu_time);
            let began = Instant::now();
            let blocks = self.block_ranges.take(worker, most.min(self.most));
            let count = blocks.end - blocks.start;
            match (&self.run.choice, &self.run.starts) {
                _ if self.run.order.is_random() => self.run_at_random(sm, blocks),
                _ if self.pieces.count() > 1 => self.run_pieces(sm, blocks),
                (Some(choice), _) => self.run_as_chosen(sm, choice, blocks, self.notes(worker)),
                (None, Some(kernel)) => self.run_starting(sm, kernel, blocks),
                (None, None) => self.run_range(sm, blocks, self.run.form),
            }
            let time = began.elapsed();
            if let Some(block_time) = &self.run.block_time
                && self.notes(worker)
            {
                block_time.ran(count, time * self.pieces.count());
            }
            if let (Some(trial), Some(sample), Some(before)) = (&mut trial, sample, before) {
                trial.end(sample, count, cpu_time().saturating_sub(before));
            }
            most = block_ranges::next_size(most, time);
            if machine.contended() {
                break;
            }
        }
        drop(entered);
        Ok(())
    }

    /// Whether a worker notes how long blocks take. In a short launch, workers that do so hold each other up.
    fn notes(&self, worker: usize) -> bool {
        worker == LAUNCHING || !self.short
    }

    /// Whether the form of the next blocks is on trial.
    fn tries_forms(&self) -> bool {
        self.run.choice.as_ref().is_some_and(|it| it.is_due())
    }

    /// The launching worker's part in trials whether its blocks take less time alone.
    fn trial(&self, worker: usize) -> Option<Trial<'_>> {
        let block_time = self.run.block_time.as_ref()?;
        let trial = || Trial::new(&block_time.contention, &self.gate, &self.helpers);
        (worker == LAUNCHING && !self.short).then(trial)
    }

    /// Runs threads of a block, unless the launch has ended.
    fn run_part(&self, sm: &Sm, block: [u32; 3], form: Form, part: Range<u32>) {
        if part.is_empty() {
            return;
        }
        let run = BlockRun {
            part,
            ..self.block_run(sm, block, form)
        };
        let ended = match form {
            Form::Threads(_) => self.run_prepared(sm, &run, block),
            // SAFETY: the contract of `launch`, and `signals::enter` was called.
            _ => unsafe { subgroups::run(sm, &run, BlockRange::of(block)) },
        };
        self.note(ended, form);
    }

    /// Runs as many blocks as a range has, in the launch's random order. Threads that never wait run one by one: as
    /// subgroups they would have an order of their own.
    fn run_at_random(&self, sm: &Sm, places: Range<u64>) {
        let form = match self.run.form {
            Form::Subgroups { rest, .. } => Form::Threads(rest),
            form => form,
        };
        let count = self.run.blocks.iter().copied().map(u64::from).product();
        for place in places {
            let block = self.run.order.block(place, count);
            let block = index_in(self.run.blocks, block);
            self.note(self.run_block(sm, block, form), form);
        }
    }

    /// Runs a range of blocks, unless the launch has ended.
    fn run_range(&self, sm: &Sm, blocks: Range<u64>, form: Form) {
        let mut blocks = BlockRange::new(self.run.blocks, blocks);
        let ended = match form {
            Form::Subgroups { width, threads, .. } => {
                let run = self.block_run(sm, [0; 3], form);
                let whole = run.whole_subgroups(width);
                // SAFETY: the contract of `launch`, and `signals::enter` was called.
                let subgroups = |run: &_, blocks| unsafe { subgroups::run(sm, run, blocks) };
                match threads.map(Form::OneByOne) {
                    _ if run.threads() == whole => subgroups(&run, blocks),
                    Some(form) => subgroups(&run, blocks.clone()).and_then(|()| {
                        let part = whole..run.threads();
                        subgroups(&BlockRun { form, part, ..run }, blocks)
                    }),
                    None => blocks.try_for_each(|block| {
                        subgroups(&run, BlockRange::of(block))?;
                        self.run_block(sm, block, form)
                    }),
                }
            }
            Form::OneByOne(_) => {
                let run = self.block_run(sm, [0; 3], form);
                // SAFETY: as above.
                unsafe { subgroups::run(sm, &run, blocks) }
            }
            Form::Regions { .. } => {
                let run = self.block_run(sm, [0; 3], form);
                // SAFETY: as above.
                unsafe { regions::run(sm, &run, blocks) }
            }
            Form::Threads(_) | Form::Warps { .. } => {
                blocks.try_for_each(|block| self.run_block(sm, block, form))
            }
        };
        self.note(ended, form);
    }

    /// Ends the launch if blocks in this form have ended with a fault.
    fn note(&self, ended: BlockEnd, form: Form) {
        if let Err((block, raised)) = ended {
            self.end(Ok(GridFault {
                block,
                form,
                raised: *raised,
            }));
        }
    }

    /// Runs a block to its end, or abandons it if the launch has ended.
    fn run_block(&self, sm: &Sm, block: [u32; 3], form: Form) -> BlockEnd {
        self.run_prepared(sm, &self.block_run(sm, block, form), block)
    }

    fn run_prepared(&self, sm: &Sm, run: &BlockRun<'_>, block: [u32; 3]) -> BlockEnd {
        if self.stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        if let Form::Regions { .. } = run.form {
            // SAFETY: the contract of `launch`, and `signals::enter` was called.
            return unsafe { regions::run(sm, run, BlockRange::of(block)) };
        }
        // SAFETY: as above.
        match unsafe { scheduler::run_block(sm, run) } {
            Ending::Finished | Ending::Stopped => Ok(()),
            Ending::Faulted(raised) => Err((block, raised)),
        }
    }

    /// Whether there are blocks that no worker has taken.
    pub fn blocks_left(&self) -> bool {
        self.blocks_left_for(LAUNCHING)
    }

    /// The same for a worker, which looks at its own part first.
    fn blocks_left_for(&self, worker: usize) -> bool {
        self.block_ranges.left(worker) && !self.stop.load(Ordering::Relaxed)
    }

    /// Ends the launch early. The first reason counts.
    fn end(&self, outcome: std::result::Result<GridFault, Error>) {
        lock_soon(&self.state).outcome.get_or_insert(outcome);
        self.stop.store(true, Ordering::Relaxed);
    }

    fn block_run(&self, sm: &Sm, ctaid: [u32; 3], form: Form) -> BlockRun<'_> {
        let context = ThreadContext {
            ntid: self.run.threads,
            ctaid,
            nctaid: self.run.blocks,
            smid: sm.index,
            nsmid: sm.count,
            dynamic_shared_size: self.run.dynamic_shared,
            shared_size: self.run.shared,
            shared_base: sm.shared_base(),
            dispatch: self.run.dispatch,
            ..ThreadContext::default()
        };
        BlockRun {
            form,
            part: 0..self.run.threads(),
            args: self.run.args,
            context,
            warp_kind: self.run.warp_kind,
            order: self.run.order,
            stop: &self.stop,
            lockstep_timeout: self.run.lockstep_timeout,
            timeout: self.run.timeout,
            endless_wait: self.run.endless_wait.as_deref(),
            reserve: &self.reserve,
            checks: self.run.checks.as_deref(),
        }
    }
}

/// How the blocks are handed out. Threads of these forms wait for no other block.
fn ranges_of(form: Form, blocks: u64, workers: u64) -> BlockRanges {
    match form {
        Form::Subgroups { .. } | Form::OneByOne(_) | Form::Regions { .. } => {
            BlockRanges::in_parts(blocks, workers)
        }
        Form::Threads(_) | Form::Warps { .. } => BlockRanges::in_order(blocks, workers),
    }
}

/// Most blocks that a worker takes at a time. Of a grid whose threads may wait for later blocks it is one: others could
/// not run those that stand behind a block that waits.
fn most_at_a_time(run: &GridRun, blocks: u64) -> u64 {
    let waits = matches!(run.form, Form::Threads(_) | Form::Warps { .. });
    match waits && blocks <= u64::from(reserve::MOST) {
        true => 1,
        false => u64::MAX,
    }
}

/// CPU time of the calling thread.
fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

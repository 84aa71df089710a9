//! Whether a kernel's blocks hinder each other so much that one worker runs them in less time than all do.
//!
//! Threads that add to the same few cache lines take these from each other at every addition. Then a block takes
//! several times as long next to others as it takes alone, and launches take longer on more CPUs. How often blocks meet
//! depends on the data, so it is measured. When a kernel has run for a while, a *trial* has the helpers wait at a gate
//! for some ranges of blocks, and compares the CPU time of the launching worker's blocks with and without them.
//!
//! This is for kernels whose blocks cannot wait for each other. Others may need all workers at once.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::trial_clock::TrialClock;

/// How long a kernel's blocks run before its first trial.
const FIRST_TRIAL: Duration = Duration::from_millis(4);
/// How many blocks it runs before that. Helpers wait for a block or two in a trial.
const FIRST_BLOCKS: u64 = 100;
/// How many times as long it has run when the next trial begins: if blocks do not hinder each other, and if they do.
const NEXT_TRIAL: [u64; 2] = [2, 4];
/// How often blocks must turn out to take longer next to others, one range with them and one without at a time. Once
/// is enough for the contrary.
const PAIRS: u32 = 3;
/// A range that takes less is no sample.
const SHORTEST: Duration = Duration::from_micros(20);
/// How many ranges the launching worker runs without a sample before it lets waiting helpers go on.
const MOST_MISSED: u32 = 8;
/// How long a helper waits at most: the launching worker may have lost its CPU.
const WAIT_LIMIT: Duration = Duration::from_millis(5);

/// Who runs blocks of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Company {
    /// The launching worker and its helpers.
    All,
    /// The launching worker.
    None,
}

/// What is known of one kernel, shared by all its launches.
#[derive(Debug)]
pub struct Contention {
    clock: TrialClock,
    /// Whether blocks hinder each other.
    found: AtomicBool,
    /// Trials that have ended.
    trials: AtomicU64,
    samples: Mutex<Samples>,
}

/// The samples of a trial.
#[derive(Debug, Default)]
struct Samples {
    /// CPU time per block next to others, if the sample without them is still to come.
    next_to_others: Option<f64>,
    /// How often this was too much.
    agreed: u32,
}

impl Default for Contention {
    fn default() -> Contention {
        Contention {
            clock: TrialClock::new(FIRST_TRIAL),
            found: AtomicBool::new(false),
            trials: AtomicU64::new(0),
            samples: Mutex::default(),
        }
    }
}

impl Contention {
    /// Blocks hinder each other; the next trial is due after so much time.
    #[cfg(test)]
    pub fn found(next_trial: Duration) -> Contention {
        Contention {
            found: AtomicBool::new(true),
            clock: TrialClock::new(next_trial),
            ..Contention::default()
        }
    }

    /// Notes that blocks ran for some time.
    pub fn ran(&self, blocks: u64, time: Duration) {
        self.clock.ran(blocks, time);
    }

    /// Whether blocks hinder each other, as far as is known.
    pub fn is_found(&self) -> bool {
        self.found.load(Ordering::Relaxed)
    }

    /// Whether helpers are wanted: for their work, or for a trial.
    pub fn wants_helpers(&self) -> bool {
        !self.is_found() || self.is_due()
    }

    /// How many trials have ended.
    pub fn trials(&self) -> u64 {
        self.trials.load(Ordering::Relaxed)
    }

    /// Whether helpers should come to a launch that runs alone, as a trial is due. `asked`: how many trials had ended
    /// when they were last asked.
    pub fn misses_helpers(&self, asked: u64) -> bool {
        self.is_found() && self.is_due() && self.trials() != asked
    }

    fn is_due(&self) -> bool {
        self.clock.is_due() && self.clock.blocks() >= FIRST_BLOCKS
    }

    /// Notes a sample of so much CPU time per block, of a launch with so many workers.
    fn tried(&self, company: Company, time: f64, workers: u32) {
        let mut samples = self.samples.lock();
        if company == Company::All {
            samples.next_to_others = Some(time);
            return;
        }
        let Some(next_to_others) = samples.next_to_others.take() else {
            return;
        };
        // What is not faster by a tenth is not worth the change.
        let hinder = 1.1 * time * f64::from(workers) < next_to_others;
        samples.agreed += 1;
        if !hinder || samples.agreed == PAIRS {
            self.found.store(hinder, Ordering::Relaxed);
            self.end_trial(&mut samples);
        }
    }

    fn end_trial(&self, samples: &mut Samples) {
        *samples = Samples::default();
        self.trials.fetch_add(1, Ordering::Relaxed);
        self.clock
            .trial_ended(NEXT_TRIAL[usize::from(self.is_found())]);
    }
}

/// Where the helpers of a launch wait during samples without them. They come here before each range of blocks.
#[derive(Debug, Default)]
pub struct Gate {
    closed: AtomicBool,
    waiting: AtomicU32,
}

impl Gate {
    /// Waits until the gate is open or `others_go_on` no longer holds.
    pub fn pass(&self, others_go_on: impl Fn() -> bool) {
        let is_closed = || self.closed.load(Ordering::Acquire);
        if !is_closed() {
            return;
        }
        self.waiting.fetch_add(1, Ordering::Relaxed);
        let came = Instant::now();
        while is_closed() && others_go_on() && came.elapsed() < WAIT_LIMIT {
            std::hint::spin_loop();
        }
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }

    fn set_closed(&self, closed: bool) {
        self.closed.store(closed, Ordering::Release);
    }
}

/// The launching worker's part in trials, in one launch.
pub struct Trial<'a> {
    contention: &'a Contention,
    gate: &'a Gate,
    /// Helpers at work or at the gate.
    helpers: &'a AtomicU32,
    /// Ranges that were no sample since the gate was closed.
    missed: u32,
}

/// A range of blocks of the launching worker that is under way.
pub struct Range {
    company: Option<Company>,
    helpers: u32,
}

impl<'a> Trial<'a> {
    /// For a launch with this gate and so many helpers, as they come and go.
    pub fn new(contention: &'a Contention, gate: &'a Gate, helpers: &'a AtomicU32) -> Trial<'a> {
        Trial {
            contention,
            gate,
            helpers,
            missed: 0,
        }
    }

    /// A range of blocks begins. `usual`: it runs as others do. `None` if no trial is due or no helper has come.
    pub fn begin(&self, usual: bool) -> Option<Range> {
        let helpers = self.helpers.load(Ordering::Relaxed);
        (helpers > 0 && self.contention.is_due()).then(|| {
            let company = self.company(helpers).filter(|_| usual);
            Range { company, helpers }
        })
    }

    /// Who runs blocks, if it is all helpers or none of them.
    fn company(&self, helpers: u32) -> Option<Company> {
        let waiting = self.gate.waiting.load(Ordering::Relaxed);
        match self.gate.closed.load(Ordering::Relaxed) {
            false if waiting == 0 => Some(Company::All),
            true if waiting == helpers => Some(Company::None),
            _ => None,
        }
    }

    /// A range of so many blocks has ended, after so much CPU time.
    pub fn end(&mut self, range: Range, blocks: u64, time: Duration) {
        let helpers = self.helpers.load(Ordering::Relaxed);
        let company = range.company.filter(|_| {
            time >= SHORTEST && helpers == range.helpers && self.company(helpers) == range.company
        });
        let is_closed = self.gate.closed.load(Ordering::Relaxed);
        match company {
            Some(company) => {
                let block = time.as_nanos() as f64 / blocks.max(1) as f64;
                self.contention.tried(company, block, helpers + 1);
                self.gate.set_closed(company == Company::All);
                self.missed = 0;
            }
            None if is_closed && self.missed == MOST_MISSED => self.give_up(),
            None => self.missed += u32::from(is_closed),
        }
    }

    /// The helpers do not come to the gate, as they have lost their CPUs or run a long block.
    fn give_up(&mut self) {
        self.contention
            .end_trial(&mut self.contention.samples.lock());
        self.gate.set_closed(false);
        self.missed = 0;
    }
}

impl Drop for Trial<'_> {
    fn drop(&mut self) {
        self.gate.set_closed(false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: Duration = Duration::from_micros(50);

    /// The first trial is due.
    fn due() -> Contention {
        let contention = Contention::default();
        contention.ran(FIRST_BLOCKS, FIRST_TRIAL);
        contention
    }

    /// A trial of a kernel whose blocks take so many microseconds next to another and alone; the number of samples.
    fn trial(contention: &Contention, next_to_other: u64, alone: u64) -> u32 {
        contention.ran(FIRST_BLOCKS, FIRST_TRIAL * 100);
        assert!(contention.is_due());
        let (gate, helpers) = (Gate::default(), AtomicU32::new(1));
        let mut trial = Trial::new(contention, &gate, &helpers);
        for sample in 0.. {
            let Some(range) = trial.begin(true) else {
                return sample;
            };
            let company = range.company;
            let time = match company.unwrap() {
                Company::All => next_to_other,
                Company::None => alone,
            };
            trial.end(range, 1, Duration::from_micros(time));
            // The helper goes to the gate when that is closed.
            let waiting = u32::from(company == Some(Company::All));
            gate.waiting.store(waiting, Ordering::Relaxed);
        }
        unreachable!()
    }

    #[test]
    fn who_is_faster_alone_runs_alone() {
        let contention = Contention::default();
        assert!(contention.wants_helpers());
        assert_eq!(trial(&contention, 1000, 400), 6);
        assert!(contention.is_found() && !contention.wants_helpers());
        assert!(!contention.misses_helpers(0), "no trial is due");
        contention.ran(1, FIRST_TRIAL * 1000);
        assert!(contention.wants_helpers(), "for the next trial");
        assert!(contention.misses_helpers(0) && !contention.misses_helpers(1));
        assert_eq!(trial(&contention, 1000, 490), 2, "twice as long is nothing");
        assert!(!contention.is_found());
    }

    #[test]
    fn kernels_of_little_time_or_few_blocks_are_not_tried() {
        let contention = Contention::default();
        contention.ran(FIRST_BLOCKS, FIRST_TRIAL / 2);
        assert!(!contention.is_due());
        let contention = Contention::default();
        contention.ran(FIRST_BLOCKS - 1, FIRST_TRIAL * 2);
        assert!(!contention.is_due());
    }

    #[test]
    fn a_range_counts_if_all_helpers_or_none_run_blocks_from_its_begin_to_its_end() {
        let contention = due();
        let (gate, helpers) = (Gate::default(), AtomicU32::new(0));
        let mut trial = Trial::new(&contention, &gate, &helpers);
        assert!(trial.begin(true).is_none(), "no helper has come");
        helpers.store(1, Ordering::Relaxed);
        let mut run = |time, helpers_then| {
            let range = trial.begin(true).unwrap();
            helpers.store(helpers_then, Ordering::Relaxed);
            trial.end(range, 1, time);
            gate.closed.load(Ordering::Relaxed)
        };
        assert!(!run(RANGE, 2), "another one comes");
        assert!(!run(RANGE, 1), "it goes");
        assert!(!run(SHORTEST / 2, 1), "too short");
        assert!(run(RANGE, 1));
        for _ in 0..MOST_MISSED {
            assert!(run(RANGE, 1), "the helper still runs a block");
        }
        assert!(!run(RANGE, 1), "it does not come");
        assert!(!contention.is_due());
    }

    #[test]
    fn helpers_wait_until_the_launching_worker_goes_on() {
        let contention = due();
        let (gate, helpers) = (Gate::default(), AtomicU32::new(1));
        gate.pass(|| unreachable!("the gate is open"));
        let mut trial = Trial::new(&contention, &gate, &helpers);
        let range = trial.begin(true).unwrap();
        trial.end(range, 1, RANGE);
        gate.pass(|| false);
        std::thread::scope(|scope| {
            let helper = scope.spawn(|| gate.pass(|| true));
            drop(trial);
            helper.join().unwrap();
        });
        assert_eq!(gate.waiting.load(Ordering::Relaxed), 0);
    }
}

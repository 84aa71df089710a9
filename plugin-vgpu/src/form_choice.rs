//! Chooses between a kernel's warp form and its threads one after the other, by the time that its blocks take.
//!
//! A warp form gains what vectors gain. Where lanes go through loops each in its own way and gather their elements, the
//! threads one after the other may take less time. How often lanes do so depends on the data, so the compiler cannot
//! tell. The choice is between forms that never wait: others need their fibers.
//!
//! A kernel begins in warp form. When it has run for a while, a *trial* runs parts of it in either form, in
//! alternation, and compares their CPU time. The parts are ranges of blocks, or subgroups where blocks are few or long.
//! The next trial comes when the kernel has run for several times as long.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use crate::trial_clock::TrialClock;

/// How long a kernel runs before its first trial.
const FIRST_TRIAL: Duration = Duration::from_millis(4);
/// How many blocks it runs before a trial of ranges. A block may take ten times as long thread by thread.
const FIRST_BLOCKS: u64 = 40;
/// Blocks that take longer in the mean are long: their subgroups are tried.
const LONG_BLOCK: Duration = Duration::from_micros(100);
/// How many subgroups it must have run, or still have to run in this launch, for a trial of subgroups. One may take as
/// long thread by thread as ten do.
const FIRST_SUBGROUPS: u64 = 8;
/// Samples of each form in a trial.
const SAMPLES: u32 = 4;
/// How many times as fast a form is for the first sample of each to decide: either form of subgroups, the warp form of
/// ranges.
const FAR: f64 = 2.0;
/// How many times as long a kernel has run when the next trial begins: where the forms are close, and where they are
/// far apart.
const NEXT_TRIAL: [u64; 2] = [2, 16];

/// A form of a kernel that never waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The warp form.
    Subgroups,
    /// Threads one after the other.
    Threads,
}

/// The choice for one kernel, shared by all its launches.
#[derive(Debug)]
pub struct FormChoice {
    clock: TrialClock,
    /// Subgroups that ran a few at a time, in either form.
    subgroups: AtomicU64,
    prefers_threads: AtomicBool,
    trial: Mutex<Trial>,
}

/// The samples of a trial, by form.
#[derive(Debug, Default)]
struct Trial {
    /// Whether samples are subgroups of the same blocks. Ranges of blocks may differ, as one may be the first that
    /// touches its memory.
    of_subgroups: bool,
    begun: [u32; 2],
    ended: [u32; 2],
    threads: [u64; 2],
    nanoseconds: [u64; 2],
}

impl Default for FormChoice {
    fn default() -> FormChoice {
        FormChoice {
            clock: TrialClock::new(FIRST_TRIAL),
            subgroups: AtomicU64::new(0),
            prefers_threads: AtomicBool::new(false),
            trial: Mutex::default(),
        }
    }
}

impl FormChoice {
    /// The form that has been faster.
    pub fn preferred(&self) -> Way {
        match self.prefers_threads.load(Ordering::Relaxed) {
            true => Way::Threads,
            false => Way::Subgroups,
        }
    }

    /// Notes that blocks ran for some time.
    pub fn ran(&self, blocks: u64, time: Duration) {
        self.clock.ran(blocks, time);
    }

    /// Notes that subgroups ran for some time.
    pub fn ran_subgroups(&self, subgroups: u64, time: Duration) {
        self.subgroups.fetch_add(subgroups, Ordering::Relaxed);
        self.ran(0, time);
    }

    /// Whether the next range of blocks should run a few subgroups at a time: the kernel has run few blocks, which may
    /// be long, or a trial is due and they are.
    pub fn wants_steps(&self) -> bool {
        let (blocks, spent) = (self.clock.blocks(), self.clock.spent());
        blocks < FIRST_BLOCKS
            || self.is_due() && spent.as_nanos() > LONG_BLOCK.as_nanos() * u128::from(blocks)
    }

    /// The form in which a trial wants the time of the next range of blocks, if one is due.
    pub fn try_range(&self) -> Option<Way> {
        if !self.is_due() || self.clock.blocks() < FIRST_BLOCKS {
            return None;
        }
        self.trial.lock().begin(false)
    }

    /// The same of the next subgroups. `ahead`: subgroups of the launch that have not begun.
    pub fn try_subgroups(&self, ahead: u64) -> Option<Way> {
        let enough = self.subgroups.load(Ordering::Relaxed) + ahead >= FIRST_SUBGROUPS;
        if !enough || !self.is_due() {
            return None;
        }
        self.trial.lock().begin(true)
    }

    /// Whether a trial is due or under way.
    pub fn is_due(&self) -> bool {
        self.clock.is_due()
    }

    /// Notes the CPU time of a sample of so many threads. The last sample decides.
    pub fn tried(&self, way: Way, threads: u64, time: Duration) {
        let mut trial = self.trial.lock();
        let at = way as usize;
        trial.ended[at] += 1;
        trial.threads[at] += threads;
        trial.nanoseconds[at] += time.as_nanos() as u64;
        if trial.ended.contains(&0) {
            return;
        }
        let is_far =
            trial.threads_take(FAR) || trial.of_subgroups && !trial.threads_take(1.0 / FAR);
        if is_far || trial.ended.iter().min() >= Some(&SAMPLES) {
            // What is not much faster is not worth a change.
            let threads = !trial.threads_take(match self.preferred() {
                Way::Subgroups => 0.9,
                Way::Threads => 1.1,
            });
            self.prefers_threads.store(threads, Ordering::Relaxed);
            self.clock.trial_ended(NEXT_TRIAL[usize::from(is_far)]);
            *trial = Trial::default();
        }
    }
}

impl Trial {
    /// Begins a sample, if more are wanted.
    fn begin(&mut self, of_subgroups: bool) -> Option<Way> {
        let [subgroups, threads] = self.begun;
        let all_have_begun = subgroups.min(threads) >= SAMPLES;
        // The first ones are often enough. Others wait for them: threads may take as long as a block.
        let waits = of_subgroups && threads > 0 && self.ended.contains(&0);
        if all_have_begun || waits {
            return None;
        }
        self.of_subgroups |= of_subgroups;
        let way = if subgroups <= threads {
            Way::Subgroups
        } else {
            Way::Threads
        };
        self.begun[way as usize] += 1;
        Some(way)
    }

    /// Whether a thread takes more than `times` its time as a lane, one by one.
    fn threads_take(&self, times: f64) -> bool {
        let each = |way: Way| {
            let at = way as usize;
            self.nanoseconds[at] as f64 / self.threads[at].max(1) as f64
        };
        each(Way::Threads) > times * each(Way::Subgroups)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a block with a subgroup, or more, after the other until a trial has ended; gives how many samples it had.
    fn trial(choice: &FormChoice, subgroups: u64, threads: u64) -> u32 {
        let mut samples = 0;
        loop {
            let next = choice.clock.next();
            let way = if choice.wants_steps() {
                choice.try_subgroups(0)
            } else {
                choice.try_range()
            };
            if let Some(way) = way {
                samples += 1;
                let time = [subgroups, threads][way as usize];
                choice.tried(way, 1, Duration::from_micros(time));
            }
            if choice.clock.next() != next {
                return samples;
            }
            choice.ran_subgroups(1, Duration::from_millis(1));
            choice.ran(1, Duration::ZERO);
        }
    }

    #[test]
    fn the_faster_form_is_chosen() {
        let choice = FormChoice::default();
        assert_eq!(choice.preferred(), Way::Subgroups);
        trial(&choice, 100, 70);
        assert_eq!(choice.preferred(), Way::Threads);
        trial(&choice, 100, 105);
        assert_eq!(choice.preferred(), Way::Threads, "not much slower");
        trial(&choice, 100, 120);
        assert_eq!(choice.preferred(), Way::Subgroups);
        trial(&choice, 100, 95);
        assert_eq!(choice.preferred(), Way::Subgroups, "not much faster");
    }

    #[test]
    fn a_slow_form_is_tried_once() {
        let choice = FormChoice::default();
        assert_eq!(trial(&choice, 100, 1000), 2);
        assert_eq!(choice.preferred(), Way::Subgroups);
        assert_eq!(trial(&choice, 100, 150), 2 * SAMPLES);
        let choice = FormChoice::default();
        assert_eq!(trial(&choice, 1000, 100), 2);
        assert_eq!(choice.preferred(), Way::Threads);
    }

    #[test]
    fn short_kernels_are_not_tried() {
        let choice = FormChoice::default();
        choice.ran(1000, FIRST_TRIAL / 2);
        assert!(!choice.wants_steps(), "many blocks");
        assert_eq!(choice.try_range(), None, "little time");
        choice.ran(1, FIRST_TRIAL);
        assert_eq!(choice.try_range(), Some(Way::Subgroups));
        let choice = FormChoice::default();
        choice.ran_subgroups(FIRST_SUBGROUPS - 2, FIRST_TRIAL);
        assert_eq!(choice.try_subgroups(1), None, "few subgroups");
        assert_eq!(choice.try_range(), None, "few blocks");
        assert_eq!(choice.try_subgroups(2), Some(Way::Subgroups));
    }

    #[test]
    fn subgroups_of_long_blocks_are_tried_when_a_trial_is_due() {
        let choice = FormChoice::default();
        assert!(choice.wants_steps(), "few blocks");
        choice.ran(FIRST_BLOCKS, FIRST_TRIAL * 2);
        assert!(choice.wants_steps());
        trial(&choice, 100, 1000);
        assert!(!choice.wants_steps(), "no trial is due");
        choice.ran(FIRST_BLOCKS, FIRST_TRIAL * 1000);
        assert!(choice.wants_steps());
        choice.ran(1 << 20, Duration::ZERO);
        assert!(!choice.wants_steps(), "blocks are short");
    }

    #[test]
    fn subgroups_of_the_first_block_are_tried_if_they_are_long() {
        let choice = FormChoice::default();
        assert_eq!(choice.try_subgroups(8), None);
        choice.ran_subgroups(1, FIRST_TRIAL);
        assert_eq!(choice.try_subgroups(8), Some(Way::Subgroups));
        assert_eq!(choice.try_subgroups(8), Some(Way::Threads));
        assert_eq!(choice.try_subgroups(8), None, "the first have not ended");
        choice.tried(Way::Subgroups, 32, Duration::from_millis(10));
        choice.tried(Way::Threads, 32, Duration::from_millis(6));
        assert_eq!(choice.preferred(), Way::Subgroups, "that is not far");
        for _ in 1..SAMPLES {
            for way in [Way::Subgroups, Way::Threads] {
                assert_eq!(choice.try_subgroups(8), Some(way));
                choice.tried(way, 32, Duration::from_millis(6));
            }
        }
        assert_eq!(choice.preferred(), Way::Threads);
    }
}

//! Chooses between a kernel's warp form and its threads one after the other, by the time that its blocks take.
//!
//! A warp form gains what vectors gain. Where lanes go through loops each in its own way and gather their elements, the
//! threads one after the other may take less time. How often lanes do so depends on the data, so the compiler cannot
//! tell. The choice is between forms that never wait: others need their fibers.
//!
//! A kernel begins in warp form. When it has run for a while, a *trial* runs a few ranges of blocks in either form, in
//! alternation, and compares their CPU time. Of few long blocks it runs one subgroup of each thread by thread, as whole
//! blocks would take too long. The next trial comes when the kernel has run for several times as long.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

/// How long a kernel runs before its first trial.
const FIRST_TRIAL: Duration = Duration::from_millis(4);
/// How many blocks it runs before a trial of ranges. A block may take ten times as long thread by thread.
const FIRST_BLOCKS: u64 = 40;
/// How many long blocks it must have run, or still have to run in this launch, for a trial of subgroups. Ten times the
/// time of a subgroup is about that of a block.
const FIRST_LONG_BLOCKS: u64 = 4;
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

/// What of a range of blocks is a sample for a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// All of it, in this form.
    Range(Way),
    /// Of each block the last whole subgroup thread by thread, next to the others.
    Subgroup,
}

/// The choice for one kernel, shared by all its launches.
#[derive(Debug)]
pub struct FormChoice {
    /// Nanoseconds that blocks have taken.
    spent: AtomicU64,
    blocks: AtomicU64,
    /// The next trial begins when so many nanoseconds are spent.
    next_trial: AtomicU64,
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
            spent: AtomicU64::new(0),
            blocks: AtomicU64::new(0),
            next_trial: AtomicU64::new(FIRST_TRIAL.as_nanos() as u64),
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
        self.blocks.fetch_add(blocks, Ordering::Relaxed);
        let time = time.as_nanos() as u64;
        self.spent.fetch_add(time, Ordering::Relaxed);
    }

    /// What the next range of blocks is a sample of, if a trial wants its time. `several`: whether a block has more
    /// than one whole subgroup. `ahead` counts the blocks of the launch that have not begun; it is asked only where a
    /// trial is due.
    pub fn try_next(&self, several: bool, ahead: impl FnOnce() -> u64) -> Option<Sample> {
        if self.spent.load(Ordering::Relaxed) < self.next_trial.load(Ordering::Relaxed) {
            return None;
        }
        let blocks = self.blocks.load(Ordering::Relaxed);
        let enough = if several {
            blocks + ahead() >= FIRST_LONG_BLOCKS
        } else {
            blocks >= FIRST_BLOCKS
        };
        if !enough {
            return None;
        }
        let mut trial = self.trial.lock();
        let [subgroups, threads] = trial.begun;
        if subgroups.min(threads) >= SAMPLES {
            return None;
        }
        if blocks < FIRST_BLOCKS {
            // The first one is often enough. Others wait for it: it may take as long as a block.
            if subgroups > 0 && trial.ended.contains(&0) {
                return None;
            }
            trial.of_subgroups = true;
            trial.begun = [subgroups + 1, threads + 1];
            return Some(Sample::Subgroup);
        }
        let way = if subgroups <= threads {
            Way::Subgroups
        } else {
            Way::Threads
        };
        trial.begun[way as usize] += 1;
        Some(Sample::Range(way))
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
            let times = NEXT_TRIAL[usize::from(is_far)];
            let next = self.spent.load(Ordering::Relaxed).saturating_mul(times);
            self.next_trial.store(next, Ordering::Relaxed);
            *trial = Trial::default();
        }
    }
}

impl Trial {
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

    /// Runs ranges of a block each until a trial has ended; gives how many samples it had.
    fn trial(choice: &FormChoice, subgroups: u64, threads: u64) -> u32 {
        let mut samples = 0;
        loop {
            let next = choice.next_trial.load(Ordering::Relaxed);
            let ways: &[Way] = match choice.try_next(true, || 0) {
                Some(Sample::Range(Way::Subgroups)) => &[Way::Subgroups],
                Some(Sample::Range(Way::Threads)) => &[Way::Threads],
                Some(Sample::Subgroup) => &[Way::Subgroups, Way::Threads],
                None => &[],
            };
            for &way in ways {
                samples += 1;
                let time = [subgroups, threads][way as usize];
                choice.tried(way, 1, Duration::from_micros(time));
            }
            if choice.next_trial.load(Ordering::Relaxed) != next {
                return samples;
            }
            choice.ran(1, Duration::from_millis(1));
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
        assert_eq!(choice.try_next(true, || 0), None, "little time");
        choice.ran(1, FIRST_TRIAL);
        assert_eq!(
            choice.try_next(true, || 0),
            Some(Sample::Range(Way::Subgroups))
        );
        let choice = FormChoice::default();
        choice.ran(FIRST_LONG_BLOCKS - 1, FIRST_TRIAL * 2);
        assert_eq!(choice.try_next(true, || 0), None, "few blocks");
        assert_eq!(choice.try_next(false, || 1), None, "few blocks");
        assert_eq!(choice.try_next(true, || 1), Some(Sample::Subgroup));
    }

    #[test]
    fn of_few_long_blocks_subgroups_are_tried() {
        let choice = FormChoice::default();
        choice.ran(FIRST_LONG_BLOCKS, FIRST_TRIAL);
        assert_eq!(
            choice.try_next(false, || 0),
            None,
            "there is one in a block"
        );
        let sampled = || {
            choice.tried(Way::Subgroups, 7 * 32, Duration::from_millis(7));
            choice.tried(Way::Threads, 32, Duration::from_micros(600));
        };
        assert_eq!(choice.try_next(true, || 0), Some(Sample::Subgroup));
        assert_eq!(choice.try_next(true, || 0), None, "the first has not ended");
        sampled();
        for _ in 1..SAMPLES {
            assert_eq!(choice.try_next(true, || 0), Some(Sample::Subgroup));
        }
        assert_eq!(choice.try_next(true, || 0), None, "the samples have begun");
        (1..SAMPLES).for_each(|_| sampled());
        assert_eq!(choice.preferred(), Way::Threads);
    }
}

//! Whether helpers share launches that are too short for waking any.
//!
//! A helper that has joined a launch looks for the next one for a while ([`crate::spin_then_park`]). In a *series* of
//! short launches, one right after the other, it is there when the next one comes, and need not be woken. What it costs
//! is the CPU time in which it looks. So a series is measured: some launches are shared on trial, and the others of the
//! kernel are, too, if all workers together take about as much CPU time as the launching one alone.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::spin_then_park::{SPIN_LIMIT, lock_soon};

/// A launch that comes later after the last one begins a new series.
const MOST_GAP: Duration = Duration::from_micros(10);
/// How long a series has lasted before launches are shared. When it ends, helpers look in vain, for a small part of it.
const LEAST_SERIES: Duration = Duration::from_nanos(SPIN_LIMIT.as_nanos() as u64 * 20);
/// What each worker of a shared launch should have to do at least, if there are more than two. It costs a microsecond
/// or two to hand blocks to a worker and to wait for it.
const SHARE: Duration = Duration::from_micros(6);
/// How many launches of a trial do not count, of those that helpers have come to: their data are in other caches.
const WARMING: u32 = 16;
/// How many count.
const TRIED: u32 = 64;
/// How many launches a trial has at most. Helpers are woken at first, which may take the system milliseconds.
const MOST_TRIED: u32 = 1024;
/// How much CPU time shared launches may take of what they take alone: in a trial, and later, when single ones that are
/// held up count for more. Two workers save a third of the time then.
const MOST_COST: [f64; 2] = [4.0 / 3.0, 2.0];
/// As how many times the CPU time alone a launch that is held up counts, except among shared ones after a trial.
const HELD_UP: f64 = 2.0;
/// How long launches run alone before the first trial, and at most before another one.
const TRIALS: [Duration; 2] = [Duration::from_millis(1), Duration::from_secs(1)];
/// How long launches are shared before there is another trial.
const CHECKED: Duration = Duration::from_secs(1);
/// Averages' weights, of as many as this: of launches alone that take less and that take more, and of shared ones.
const WEIGHTS: [f64; 3] = [8.0, 64.0, 64.0];

/// The launches of a machine that follow each other closely.
#[derive(Debug, Default)]
pub struct Series(Mutex<Lasting>);

#[derive(Debug, Default)]
struct Lasting {
    ended: Option<Instant>,
    lasted: Duration,
}

/// Where in a series a launch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The time since the launch before; `None` if the launch begins a series.
    gap: Option<Duration>,
    /// The time since the series began.
    lasted: Duration,
}

impl Series {
    /// A launch begins.
    pub fn begin(&self, now: Instant) -> Position {
        let mut lasting = lock_soon(&self.0);
        let gap = lasting
            .ended
            .map(|ended| now.saturating_duration_since(ended));
        let gap = gap.filter(|gap| *gap <= MOST_GAP);
        lasting.lasted = gap.map_or(Duration::ZERO, |gap| lasting.lasted + gap);
        Position {
            gap,
            lasted: lasting.lasted,
        }
    }

    /// A launch ends that took so much time.
    pub fn end(&self, now: Instant, time: Duration) {
        let mut lasting = lock_soon(&self.0);
        lasting.lasted += time;
        lasting.ended = Some(now);
    }
}

/// Whether one kernel's short launches are shared.
#[derive(Debug, Default)]
pub struct Sharing(Mutex<Known>);

/// What is known. Times are nanoseconds per block.
#[derive(Debug)]
struct Known {
    way: Way,
    /// A launch alone, on the average; 0 before the first.
    alone: f64,
    /// The CPU time of a shared launch, on the average.
    shared: f64,
    /// How long launches still run alone before the next trial.
    until_trial: Duration,
    /// How long they ran alone before the last one.
    waited: Duration,
    /// How long launches have been shared since, without those of the trial.
    shared_for: Duration,
}

/// How launches in a series run.
#[derive(Debug, PartialEq)]
enum Way {
    Alone,
    Trial(Trial),
    Shared,
}

/// A trial.
#[derive(Debug, Default, PartialEq)]
struct Trial {
    launches: u32,
    /// Those that helpers have come to.
    came: u32,
    /// The CPU time of those that count.
    time: f64,
}

impl Default for Known {
    fn default() -> Known {
        Known {
            way: Way::Alone,
            alone: 0.0,
            shared: 0.0,
            until_trial: TRIALS[0],
            waited: TRIALS[0],
            shared_for: Duration::ZERO,
        }
    }
}

impl Sharing {
    /// How many of `most` helpers a short launch of so many blocks is worth.
    pub fn helpers(&self, blocks: u64, position: Position, most: u32) -> u32 {
        let Some(mut known) = self.0.try_lock() else {
            return 0;
        };
        let alone = known.alone * blocks as f64;
        let shares = (alone / SHARE.as_nanos() as f64) as u32;
        if shares == 0 || position.gap.is_none() {
            return 0;
        }
        let helpers = most.min(shares.saturating_sub(1).max(1));
        if known.way == Way::Alone {
            if !known.until_trial.is_zero() || position.lasted < LEAST_SERIES {
                return 0;
            }
            known.way = Way::Trial(Trial::default());
            known.shared_for = Duration::ZERO;
        }
        helpers
    }

    /// A launch of so many blocks has taken so much time. It has asked for so many helpers, of which some have come.
    pub fn ran(&self, blocks: u64, asked: u32, come: u32, time: Duration, position: Position) {
        let Some(mut known) = self.0.try_lock() else {
            return;
        };
        let per_block = |time: Duration| time.as_nanos() as f64 / blocks.max(1) as f64;
        if asked == 0 {
            known.one_alone_took(per_block(time));
            known.until_trial = known.until_trial.saturating_sub(time);
            return;
        }
        // In the gap before the launch only helpers waited for it.
        let waited = position.gap.unwrap_or_default() * asked;
        let cost = per_block(time * (asked + 1) + waited);
        known.shared_one_took(time, cost, asked == come);
    }
}

impl Known {
    /// Single launches that are held up count little: who seems slow alone would be shared in vain.
    fn one_alone_took(&mut self, cost: f64) {
        self.alone = match cost < self.alone {
            true => average(self.alone, cost, WEIGHTS[0]),
            false if self.alone == 0.0 => cost,
            false => average(self.alone, cost.min(HELD_UP * self.alone), WEIGHTS[1]),
        };
    }

    fn shared_one_took(&mut self, time: Duration, cost: f64, all_came: bool) {
        match &mut self.way {
            Way::Alone => {}
            Way::Trial(trial) => {
                trial.launches += 1;
                if all_came {
                    trial.came += 1;
                    if trial.came > WARMING {
                        trial.time += cost.min(HELD_UP * self.alone);
                    }
                }
                if trial.came == WARMING + TRIED {
                    self.shared = trial.time / f64::from(TRIED);
                    self.way = Way::Shared;
                    if self.costs_more_than(MOST_COST[0]) {
                        self.end_sharing();
                    }
                } else if trial.launches == MOST_TRIED {
                    self.end_sharing();
                }
            }
            Way::Shared => {
                self.shared = average(self.shared, cost, WEIGHTS[2]);
                self.shared_for += time;
                if self.costs_more_than(MOST_COST[1]) || self.shared_for > CHECKED {
                    self.end_sharing();
                }
            }
        }
    }

    fn costs_more_than(&self, times: f64) -> bool {
        self.shared > times * self.alone
    }

    /// The next trial comes later than the last one, unless launches were shared for long.
    fn end_sharing(&mut self) {
        self.waited = match self.shared_for > 4 * self.waited {
            true => (self.waited / 4).max(TRIALS[0]),
            false => (self.waited * 4).min(TRIALS[1]),
        };
        self.way = Way::Alone;
        self.until_trial = self.waited;
    }
}

fn average(old: f64, new: f64, weight: f64) -> f64 {
    old + (new - old) / weight
}

#[cfg(test)]
mod tests {
    use super::*;

    const MICROSECOND: Duration = Duration::from_micros(1);
    const BLOCKS: u64 = 16;

    fn position(gap: u32, lasted: Duration) -> Position {
        Position {
            gap: Some(MICROSECOND * gap),
            lasted,
        }
    }

    /// Launches of so many microseconds alone and with a helper, a microsecond after each other; the helpers of the
    /// last one.
    fn after(sharing: &Sharing, launches: u32, alone: u32, shared: u32) -> u32 {
        let mut helpers = 0;
        for launch in 0..launches {
            let position = position(1, MICROSECOND * alone * launch);
            helpers = sharing.helpers(BLOCKS, position, 1);
            let time = if helpers == 0 { alone } else { shared };
            sharing.ran(BLOCKS, helpers, helpers, MICROSECOND * time, position);
        }
        helpers
    }

    #[test]
    fn launches_are_shared_that_cost_no_more() {
        let sharing = Sharing::default();
        assert_eq!(after(&sharing, 90, 10, 5), 0, "the series is young");
        assert_eq!(after(&sharing, 200, 10, 5), 1, "on trial");
        assert_eq!(sharing.helpers(BLOCKS, position(20, LEAST_SERIES), 1), 1);
        let first = Position {
            gap: None,
            lasted: Duration::ZERO,
        };
        assert_eq!(sharing.helpers(BLOCKS, first, 1), 0, "no series");
        assert_eq!(after(&sharing, 1000, 10, 5), 1);
        assert_eq!(sharing.helpers(BLOCKS / 2, position(1, LEAST_SERIES), 1), 0);
        assert_eq!(sharing.helpers(BLOCKS * 4, position(1, LEAST_SERIES), 9), 5);
        // A helper loses its CPU.
        assert_eq!(after(&sharing, 1, 10, 4000), 1);
        assert_eq!(after(&sharing, 1, 10, 5), 0);
    }

    #[test]
    fn launches_are_not_shared_that_cost_more() {
        let sharing = Sharing::default();
        after(&sharing, 300, 10, 8);
        assert_eq!(after(&sharing, 1, 10, 8), 0);
        assert_eq!(sharing.0.lock().waited, TRIALS[0] * 4);
    }

    #[test]
    fn the_next_trial_comes_later_where_helpers_do_not_come() {
        let sharing = Sharing::default();
        after(&sharing, 120, 10, 5);
        for _ in 0..MOST_TRIED {
            sharing.ran(BLOCKS, 1, 0, MICROSECOND * 10, position(1, LEAST_SERIES));
        }
        let known = sharing.0.lock();
        assert_eq!((&known.way, known.waited), (&Way::Alone, TRIALS[0] * 4));
    }

    #[test]
    fn sharing_is_tried_again_after_a_while() {
        let sharing = Sharing::default();
        after(&sharing, 300, 10, 5);
        let long = TRIALS[0] * 64;
        {
            let mut known = sharing.0.lock();
            (known.waited, known.shared_for) = (long, CHECKED);
        }
        assert_eq!(after(&sharing, 1, 10, 5), 1);
        let known = sharing.0.lock();
        assert_eq!((&known.way, known.waited), (&Way::Alone, long / 4));
    }

    #[test]
    fn a_series_ends_with_a_gap() {
        let (series, begin) = (Series::default(), Instant::now());
        let at = |microseconds| begin + MICROSECOND * microseconds;
        assert_eq!(series.begin(at(0)).gap, None);
        series.end(at(30), MICROSECOND * 30);
        assert_eq!(series.begin(at(32)), position(2, MICROSECOND * 32));
        series.end(at(62), MICROSECOND * 30);
        assert_eq!(series.begin(at(100)).gap, None);
        series.end(at(110), MICROSECOND * 10);
        assert_eq!(series.begin(at(111)), position(1, MICROSECOND * 11));
    }
}

//! The order of a block's threads, as barriers make it.
//!
//! A block has a clock that counts the events at which threads wait for each other. An access happens at the clock's
//! time. What a thread knows of another one is the time up to which that one's accesses come before its own
//! ("happens before" of vector clocks: Flanagan and Freund, FastTrack, PLDI 2009). Threads of a block mostly wait all
//! together, so one time serves all pairs of threads, and pairs that know more are the exception (as the scopes of
//! BARRACUDA, Eizenberg et al., PLDI 2017, and of HiRace, Jacobson et al., SC 2024).

use super::thread_set::ThreadSet;

/// Largest time. A block that comes to it is not checked any further: all is taken to be ordered.
pub const MAX_TIME: u32 = (1 << 22) - 1;

/// `knowers` come after what `subjects` did up to `time`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    knowers: ThreadSet,
    /// Whose accesses are known.
    pub subjects: ThreadSet,
    /// Up to which time.
    pub time: u32,
}

/// The clock of a block.
#[derive(Default)]
pub struct BlockClock {
    time: u32,
    /// Up to this time, every thread knows every other one.
    all: u32,
    facts: Vec<Fact>,
}

impl BlockClock {
    /// The clock of a block whose threads begin now.
    pub fn start(&mut self) {
        self.time = 1;
        self.all = 0;
        self.facts.clear();
    }

    /// The time of an access that happens now.
    pub fn time(&self) -> u32 {
        self.time
    }

    /// The time up to which all know all.
    pub fn all(&self) -> u32 {
        self.all
    }

    /// `knowers` have waited for `subjects`. `everybody`: these are all threads that have not ended.
    pub fn wait(&mut self, knowers: &ThreadSet, subjects: &ThreadSet, everybody: bool) {
        if everybody {
            self.all = self.time;
            self.facts.clear();
        } else {
            self.learn(knowers, subjects, self.time);
        }
        self.tick();
    }

    /// Time goes on: accesses that follow are later than what a thread tells others now.
    pub fn tick(&mut self) {
        self.time = (self.time + 1).min(MAX_TIME);
    }

    /// Whether `thread` comes after what `other` did at `time`.
    pub fn knows(&self, thread: u16, other: u16, time: u32) -> bool {
        thread == other
            || time <= self.all
            || self.facts.iter().any(|fact| {
                time <= fact.time && fact.knowers.has(thread) && fact.subjects.has(other)
            })
    }

    /// What a thread knows of others, beyond [`BlockClock::all`].
    pub fn facts_of(&self, thread: u16) -> impl Iterator<Item = &Fact> {
        self.facts
            .iter()
            .filter(move |fact| fact.knowers.has(thread))
    }

    /// The knowers know the subjects now, and what any of these knew.
    fn learn(&mut self, knowers: &ThreadSet, subjects: &ThreadSet, time: u32) {
        let known: Vec<_> = self
            .facts
            .iter()
            .filter(|fact| fact.knowers.meets(subjects))
            .copied()
            .collect();
        self.add(*knowers, *subjects, time);
        for fact in known {
            self.add(*knowers, fact.subjects, fact.time);
        }
    }

    fn add(&mut self, knowers: ThreadSet, subjects: ThreadSet, time: u32) {
        if time <= self.all {
            return;
        }
        let covered = |fact: &Fact| {
            fact.time >= time && fact.knowers.covers(&knowers) && fact.subjects.covers(&subjects)
        };
        if self.facts.iter().any(covered) {
            return;
        }
        let new = Fact {
            knowers,
            subjects,
            time,
        };
        self.facts.retain(|old| {
            !(old.time <= time && knowers.covers(&old.knowers) && subjects.covers(&old.subjects))
        });
        self.facts.push(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock() -> BlockClock {
        let mut clock = BlockClock::default();
        clock.start();
        clock
    }

    #[test]
    fn a_barrier_of_all_orders_all() {
        let mut clock = clock();
        let before = clock.time();
        assert!(!clock.knows(0, 1, before) && clock.knows(1, 1, before));
        let everybody = ThreadSet::lanes(0, u64::MAX);
        clock.wait(&everybody, &everybody, true);
        assert!(clock.knows(0, 1, before) && !clock.knows(0, 1, clock.time()));
    }

    #[test]
    fn knowledge_is_handed_on() {
        let mut clock = clock();
        let first = clock.time();
        let pair = |a, b| {
            let mut set = ThreadSet::lanes(a, 1);
            set.add(&ThreadSet::lanes(b, 1));
            set
        };
        clock.wait(&pair(0, 1), &pair(0, 1), false);
        clock.wait(&pair(1, 100), &pair(1, 100), false);
        assert!(clock.knows(100, 0, first) && !clock.knows(0, 100, first));
        assert!(!clock.knows(2, 0, first));
    }

    #[test]
    fn many_waits_of_one_set_are_one_fact() {
        let mut clock = clock();
        let warp = ThreadSet::lanes(32, u64::from(u32::MAX));
        (0..1000).for_each(|_| clock.wait(&warp, &warp, false));
        assert_eq!(clock.facts.len(), 1);
    }
}

//! What threads tell others through memory: locks, flags, counters.
//!
//! A location that atomic operations use has a history of what was released there. Who acquires knows all of it so
//! far, so it only has to keep the history's length. What it releases later refers to that, so that knowledge is
//! handed on without being copied.

use std::collections::{HashMap, HashSet};

use super::thread_set::ThreadSet;

/// An access of a thread, or all up to it: block, thread and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The block's number, from 1.
    pub block: u32,
    /// The thread.
    pub thread: u16,
    /// The block's time.
    pub time: u32,
}

/// A part of a location's history: its first entries.
pub type Prefix = (u32, u32);

/// What was released at a location, in order.
#[derive(Default)]
struct History {
    length: u32,
    /// Whether it is a lock, which orders threads of one block only.
    is_lock: bool,
    /// By block and thread: at which entry, and up to which time. Both grow.
    threads: HashMap<(u32, u16), Vec<(u32, u32)>>,
    /// Of several threads of a block.
    groups: Vec<(u32, u32, ThreadSet, u32)>,
    /// Other locations' histories, which those who released knew.
    links: Vec<(u32, Prefix)>,
}

/// The locations through which threads order what they do.
#[derive(Default)]
pub struct Releases {
    numbers: HashMap<u64, u32>,
    histories: Vec<History>,
}

/// What a thread has acquired: the longest part of each location's history.
#[derive(Clone, Default)]
pub struct Acquired(Vec<Prefix>);

impl Acquired {
    /// Adds a part of a history.
    pub fn add(&mut self, (location, length): Prefix) {
        match self.0.iter_mut().find(|(known, _)| *known == location) {
            Some((_, known)) => *known = length.max(*known),
            None => self.0.push((location, length)),
        }
    }

    /// Adds what another thread has acquired.
    pub fn merge(&mut self, other: &Acquired) {
        other.0.iter().for_each(|&prefix| self.add(prefix));
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether nothing was acquired.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Releases {
    /// A thread releases at an address what it did up to a moment, what its block knows (`groups`), and what it has
    /// acquired.
    pub fn release(
        &mut self,
        address: u64,
        by: Moment,
        groups: impl Iterator<Item = (ThreadSet, u32)>,
        acquired: &Acquired,
    ) {
        let location = self.location(address);
        let history = &mut self.histories[location as usize];
        let entry = history.length;
        history.length += 1;
        let times = history.threads.entry((by.block, by.thread)).or_default();
        times.push((entry, by.time));
        for (threads, time) in groups {
            let known = history.groups.iter().any(|(_, block, set, until)| {
                *block == by.block && *until >= time && set.covers(&threads)
            });
            if !known {
                history.groups.push((entry, by.block, threads, time));
            }
        }
        for &prefix in &acquired.0 {
            let own = prefix.0 == location;
            if !own && !history.links.iter().any(|(_, known)| *known == prefix) {
                history.links.push((entry, prefix));
            }
        }
    }

    /// All that was released at an address so far.
    pub fn so_far(&self, address: u64) -> Option<Prefix> {
        let &location = self.numbers.get(&address)?;
        Some((location, self.histories[location as usize].length))
    }

    /// The location is a lock.
    pub fn is_lock(&mut self, address: u64) {
        let location = self.location(address);
        self.histories[location as usize].is_lock = true;
    }

    /// Whether who has acquired this comes after a moment. `locks`: whether locks order it.
    pub fn order(&self, acquired: &Acquired, moment: Moment, locks: bool) -> bool {
        let mut pending = acquired.0.clone();
        let mut seen = HashSet::new();
        while let Some(prefix) = pending.pop() {
            if !seen.insert(prefix) {
                continue;
            }
            let (location, length) = prefix;
            let history = &self.histories[location as usize];
            if history.is_lock && !locks {
                continue;
            }
            if history.has(length, moment) {
                return true;
            }
            let links = history.links.iter();
            pending.extend(
                links
                    .filter(|(entry, _)| *entry < length)
                    .map(|(_, to)| *to),
            );
        }
        false
    }

    /// Whether nothing was released anywhere.
    pub fn is_empty(&self) -> bool {
        self.histories.is_empty()
    }

    /// Forgets everything: no kernel runs.
    pub fn clear(&mut self) {
        self.numbers.clear();
        self.histories.clear();
    }

    fn location(&mut self, address: u64) -> u32 {
        let next = self.histories.len() as u32;
        let number = *self.numbers.entry(address).or_insert(next);
        if number == next {
            self.histories.push(History::default());
        }
        number
    }
}

impl History {
    fn has(&self, length: u32, moment: Moment) -> bool {
        let times = self.threads.get(&(moment.block, moment.thread));
        let own = times.is_some_and(|times| {
            let within = times.partition_point(|(entry, _)| *entry < length);
            within > 0 && times[within - 1].1 >= moment.time
        });
        own || self.groups.iter().any(|(entry, block, threads, time)| {
            *entry < length
                && *block == moment.block
                && *time >= moment.time
                && threads.has(moment.thread)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(block: u32, thread: u16, time: u32) -> Moment {
        Moment {
            block,
            thread,
            time,
        }
    }

    #[test]
    fn who_acquires_comes_after_what_was_released_before() {
        let mut releases = Releases::default();
        let nothing = Acquired::default();
        releases.release(64, moment(1, 3, 7), std::iter::empty(), &nothing);
        let mut acquired = Acquired::default();
        acquired.add(releases.so_far(64).unwrap());
        releases.release(64, moment(2, 0, 1), std::iter::empty(), &nothing);
        assert!(releases.order(&acquired, moment(1, 3, 7), true));
        assert!(!releases.order(&acquired, moment(1, 3, 8), true));
        assert!(!releases.order(&acquired, moment(1, 4, 1), true));
        assert!(!releases.order(&acquired, moment(2, 0, 1), true));
        assert_eq!(releases.so_far(65), None);
        releases.is_lock(64);
        assert!(releases.order(&acquired, moment(1, 3, 7), true));
        assert!(!releases.order(&acquired, moment(1, 3, 7), false));
    }

    #[test]
    fn knowledge_passes_through_other_locations() {
        let mut releases = Releases::default();
        let mut acquired = Acquired::default();
        let warp = ThreadSet::lanes(0, u64::MAX);
        let groups = [(warp, 5)].into_iter();
        releases.release(1, moment(1, 0, 9), groups, &acquired);
        acquired.add(releases.so_far(1).unwrap());
        releases.release(2, moment(2, 0, 1), std::iter::empty(), &acquired);
        let mut third = Acquired::default();
        third.add(releases.so_far(2).unwrap());
        assert!(releases.order(&third, moment(1, 0, 9), true));
        assert!(releases.order(&third, moment(1, 17, 5), true));
        assert!(!releases.order(&third, moment(1, 17, 6), true));
    }
}

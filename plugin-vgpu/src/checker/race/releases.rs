//! What threads tell others through memory: locks, flags, counters.
//!
//! A location that atomic operations use has a history of what was released there. Who acquires knows all of it so
//! far, so it only has to keep the history's length. What it releases later refers to that, so that knowledge is
//! handed on without being copied.

use std::collections::{BinaryHeap, HashMap, HashSet};

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
    /// The number of each entry among all of all locations.
    numbers: Vec<u64>,
    /// Whether it is a lock, which orders threads of one block only.
    is_lock: bool,
    /// By block and thread: at which entry, and up to which time.
    threads: HashMap<(u32, u16), Steps>,
    /// The same of several threads of a block.
    groups: HashMap<(u32, ThreadSet), Steps>,
    /// By other locations: how much of their histories those knew who released.
    links: HashMap<u32, Steps>,
}

/// Entries of a history, and what was known from each of them on. Both grow.
#[derive(Default)]
struct Steps(Vec<(u32, u32)>);

impl Steps {
    fn add(&mut self, entry: u32, known: u32) {
        if self.0.last().is_none_or(|last| last.1 < known) {
            self.0.push((entry, known));
        }
    }

    /// What is known of the history's first `length` entries.
    fn within(&self, length: u32) -> Option<u32> {
        let count = self.0.partition_point(|(entry, _)| *entry < length);
        Some(self.0[count.checked_sub(1)?].1)
    }
}

/// The locations through which threads order what they do.
#[derive(Default)]
pub struct Releases {
    numbers: HashMap<u64, u32>,
    histories: Vec<History>,
    /// Entries of all histories so far.
    entries: u64,
}

/// What a thread has acquired: the longest part of each location's history, in the order of the locations.
#[derive(Clone, Default)]
pub struct Acquired {
    parts: Vec<Prefix>,
    /// How many there were when [`Releases::reduce`] had last removed some.
    reduced: usize,
}

impl Acquired {
    /// Adds a part of a history.
    pub fn add(&mut self, (location, length): Prefix) {
        match self.parts.binary_search_by_key(&location, |known| known.0) {
            Ok(place) => self.parts[place].1 = length.max(self.parts[place].1),
            Err(place) => self.parts.insert(place, (location, length)),
        }
    }

    /// Adds what another thread has acquired.
    pub fn merge(&mut self, other: &Acquired) {
        if self.parts.is_empty() {
            self.clone_from(other);
        } else {
            other.parts.iter().for_each(|&prefix| self.add(prefix));
        }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        *self = Acquired::default();
    }

    /// Whether nothing was acquired.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
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
        let entry = history.length();
        history.numbers.push(self.entries);
        self.entries += 1;
        let times = history.threads.entry((by.block, by.thread)).or_default();
        times.add(entry, by.time);
        for (threads, time) in groups {
            let times = history.groups.entry((by.block, threads)).or_default();
            times.add(entry, time);
        }
        for &(other, length) in acquired
            .parts
            .iter()
            .filter(|(other, _)| *other != location)
        {
            history.links.entry(other).or_default().add(entry, length);
        }
    }

    /// Removes parts of histories that others of what was acquired lead to, if many have come since the last time.
    pub fn reduce(&self, acquired: &mut Acquired) {
        const FEW: usize = 16;
        if acquired.parts.len() < 2 * acquired.reduced + FEW {
            return;
        }
        let all = &acquired.parts;
        // A history only leads to what was there before, so two never lead to each other.
        let leads_to = |&(location, length): &Prefix, other: &Prefix| {
            let history = &self.histories[location as usize];
            let steps = history.links.get(&other.0).filter(|_| !history.is_lock);
            steps.and_then(|steps| steps.within(length)) >= Some(other.1)
        };
        let is_led_to = |part: &Prefix| all.iter().any(|other| leads_to(other, part));
        let parts: Vec<_> = all
            .iter()
            .copied()
            .filter(|part| !is_led_to(part))
            .collect();
        acquired.reduced = parts.len();
        acquired.parts = parts;
    }

    /// All that was released at an address so far.
    pub fn so_far(&self, address: u64) -> Option<Prefix> {
        let &location = self.numbers.get(&address)?;
        Some((location, self.histories[location as usize].length()))
    }

    /// The location is a lock.
    pub fn is_lock(&mut self, address: u64) {
        let location = self.location(address);
        self.histories[location as usize].is_lock = true;
    }

    /// Whether who has acquired this comes after a moment. `locks`: whether locks order it.
    pub fn order(&self, acquired: &Acquired, moment: Moment, locks: bool) -> bool {
        let part = |(location, length): Prefix| {
            let newest = self.histories[location as usize].numbers[length as usize - 1];
            (newest, location, length)
        };
        // From the newest on: what a history leads to is older, so the longest part of each comes first, which has all
        // that shorter ones have.
        let mut pending: BinaryHeap<_> = acquired.parts.iter().copied().map(part).collect();
        let mut seen = HashSet::new();
        while let Some((_, location, length)) = pending.pop() {
            let history = &self.histories[location as usize];
            if history.is_lock && !locks || !seen.insert(location) {
                continue;
            }
            if history.has(length, moment) {
                return true;
            }
            let links = history.links.iter();
            let links = links.filter_map(|(&to, steps)| Some((to, steps.within(length)?)));
            pending.extend(links.filter(|(to, _)| !seen.contains(to)).map(part));
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
    fn length(&self) -> u32 {
        self.numbers.len() as u32
    }

    fn has(&self, length: u32, moment: Moment) -> bool {
        let is_late = |times: &Steps| times.within(length).is_some_and(|time| time >= moment.time);
        let times = self.threads.get(&(moment.block, moment.thread));
        times.is_some_and(is_late)
            || self.groups.iter().any(|((block, threads), times)| {
                *block == moment.block && threads.has(moment.thread) && is_late(times)
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
    fn what_others_lead_to_is_left_out() {
        let mut releases = Releases::default();
        let mut acquired = Acquired::default();
        for address in 0..100 {
            let by = moment(1, address as u16, 1);
            releases.release(address, by, std::iter::empty(), &acquired);
            acquired.add(releases.so_far(address).unwrap());
        }
        releases.reduce(&mut acquired);
        assert_eq!(acquired.parts, [releases.so_far(99).unwrap()]);
        assert!((0..100).all(|thread| releases.order(&acquired, moment(1, thread, 1), true)));
        // A lock orders threads of one block only, so what it leads to stays.
        for address in 100..200 {
            releases.is_lock(address);
            acquired.add(releases.so_far(address - 1).unwrap());
            releases.release(address, moment(1, 0, 1), std::iter::empty(), &acquired);
        }
        releases.reduce(&mut acquired);
        assert_eq!(acquired.parts.len(), 100);
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

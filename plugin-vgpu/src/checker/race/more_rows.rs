//! The rows of a segment beyond two.

use super::comparison::{Comparison, Kept, Verdict, Whose};
use super::horizon::Horizon;
use super::row::{Event, Row};

/// The rows of a segment beyond two.
#[derive(Clone, Default)]
pub struct More {
    /// The bytes of each, apart from what else it has: few have those of a new access.
    bytes: Vec<u64>,
    events: Vec<Event>,
    /// All bytes of them, and perhaps others.
    all: u64,
    /// The one that came last.
    newest: Option<Event>,
    /// Those that stand for all further ones.
    pub crowd: Crowd,
}

impl More {
    /// Whether there is none.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// All of them.
    pub fn rows(&self) -> impl Iterator<Item = Row> {
        let rows = self.bytes.iter().zip(&self.events);
        rows.map(|(bytes, event)| event.of(*bytes))
    }

    /// Compares a new access with them.
    pub fn compare(&mut self, mut found: Comparison) -> Verdict {
        let new = found.new;
        for (four, events) in self.bytes.chunks(4).zip(self.events.chunks(4)) {
            if four.iter().fold(0, |all, bytes| all | bytes) & new.bytes == 0 {
                continue;
            }
            for (bytes, event) in four.iter().zip(events) {
                let both = bytes & new.bytes;
                if both != 0 && found.add(event, both) {
                    return Verdict::KNOWN;
                }
            }
        }
        // Without rows here, the others may change unseen.
        if let Some(whose) = found.whose().filter(|_| !self.is_empty()) {
            self.crowd.add(new, whose, found.horizon);
        }
        found.verdict()
    }

    /// Removes what a new access replaces.
    pub fn replace(&mut self, kept: &mut Kept, new: &Row, horizon: &Horizon) {
        self.crowd.bytes &= !new.bytes;
        let mut at = 0;
        while at < self.bytes.len() {
            let end = self.bytes.len().min(at + 4);
            let four = &self.bytes[at..end];
            if !horizon.is_own_memory()
                && four.iter().fold(0, |all, bytes| all | bytes) & new.bytes == 0
            {
                at = end;
                continue;
            }
            let row = self.events[at].of(self.bytes[at]);
            let left = row.bytes & !kept.replaced(&row, new, horizon);
            self.bytes[at] = left;
            if left == 0 {
                self.bytes.swap_remove(at);
                self.events.swap_remove(at);
            } else {
                at += 1;
            }
        }
        self.all = self.bytes.iter().fold(0, |all, bytes| all | bytes);
        if self.is_empty() {
            self.crowd.bytes = 0;
        }
    }

    /// Notes a new access if that is simple, as [`super::segment::Segment::note_at_once`]. `others`: bytes of the
    /// segment's other rows.
    #[inline(always)]
    pub fn note_at_once(&mut self, new: &Row, others: u64, horizon: &Horizon) -> bool {
        if self.crowd.has(new, horizon) {
            return true;
        }
        let is_alone = new.bytes & (self.all | others) == 0;
        if is_alone {
            self.add(*new);
        }
        is_alone
    }

    /// Forgets all rows if nothing races with them any more.
    #[inline]
    pub fn forget_void(&mut self, horizon: &Horizon) {
        if self.newest.is_some_and(|newest| horizon.is_void(&newest)) {
            self.bytes.clear();
            self.events.clear();
            self.all = 0;
            self.crowd.bytes = 0;
        }
    }

    /// Adds a row.
    pub fn add(&mut self, new: Row) {
        let event = new.event;
        self.all |= new.bytes;
        self.newest = Some(event);
        match self.bytes.last_mut() {
            Some(last) if self.events.last() == Some(&event) => *last |= new.bytes,
            _ => {
                self.bytes.push(new.bytes);
                self.events.push(event);
            }
        }
    }

    /// Forgets the accesses to some bytes.
    pub fn forget(&mut self, forgotten: u64) {
        let (bytes, events): (Vec<_>, _) = self
            .rows()
            .map(|row| (row.bytes & !forgotten, row.event))
            .filter(|(bytes, _)| *bytes != 0)
            .unzip();
        *self = More {
            all: bytes.iter().fold(0, |all, bytes| all | bytes),
            bytes,
            events,
            newest: self.newest,
            crowd: Crowd::default(),
        };
    }
}

/// Old accesses of one kind, beside which further ones tell nothing.
#[derive(Clone, Default)]
pub struct Crowd {
    bytes: u64,
    /// One that needed no row any more, and whose do not, either.
    event: Option<(Event, Whose)>,
}

impl Crowd {
    /// Whether they stand for a new access.
    #[inline(always)]
    pub fn has(&self, new: &Row, horizon: &Horizon) -> bool {
        let event = new.event;
        let is_of = |&(old, whose): &(Event, Whose)| {
            old.is_of_kind(&event) && whose.has(&old, &event, horizon)
        };
        new.bytes & !self.bytes == 0 && self.event.as_ref().is_some_and(is_of)
    }

    fn add(&mut self, new: &Row, whose: Whose, horizon: &Horizon) {
        let event = new.event;
        let is_same = |&(old, of): &(Event, Whose)| {
            of == whose && old.is_of_kind(&event) && whose.has(&old, &event, horizon)
        };
        if !self.event.as_ref().is_some_and(is_same) {
            self.bytes = 0;
            self.event = Some((event, whose));
        }
        self.bytes |= new.bytes;
    }
}

//! What is known about allocations: where they are, who made them, and who freed them.

use std::collections::{BTreeMap, VecDeque};

use findings::Note;

use crate::arena::Span;

/// Freed allocations that are remembered.
const REMEMBERED: usize = 4096;

/// An address further than this from an allocation has nothing to do with it.
const NEIGHBOURHOOD: u64 = 1 << 20;

/// One allocation.
#[derive(Clone, Debug)]
struct Allocation {
    len: u64,
    made: Option<Note>,
}

/// A freed allocation.
struct Freed {
    span: Span,
    made: Option<Note>,
    freed: Option<Note>,
}

impl Freed {
    /// Who made it, and who freed it.
    fn notes(&self) -> Vec<Note> {
        let notes = [made(&self.made), since("freed", &self.freed)];
        notes.into_iter().flatten().collect()
    }
}

/// The allocations of a device's memory, or of its heap.
#[derive(Default)]
pub struct Allocations {
    live: BTreeMap<u64, Allocation>,
    /// The last one first.
    freed: VecDeque<Freed>,
}

impl Allocations {
    /// Notes an allocation.
    pub fn add(&mut self, span: Span, made: Option<Note>) {
        let len = span.len;
        self.live.insert(span.start, Allocation { len, made });
    }

    /// Notes that the allocation at `start` was freed, and gives its range.
    pub fn remove(&mut self, start: u64, freed: Option<Note>) -> Option<Span> {
        let Allocation { len, made } = self.live.remove(&start)?;
        let span = Span { start, len };
        self.freed.truncate(REMEMBERED - 1);
        self.freed.push_front(Freed { span, made, freed });
        Some(span)
    }

    /// What was made at a place of a program and is still there: the bytes of each place.
    pub fn left(&self) -> Vec<(u64, Note)> {
        let mut places: Vec<(u64, Note)> = Vec::new();
        for allocation in self.live.values() {
            let Some(made) = allocation.made.as_ref().filter(|it| it.location.is_some()) else {
                continue;
            };
            match places.iter_mut().find(|(_, known)| known == made) {
                Some((bytes, _)) => *bytes += allocation.len,
                None => places.push((allocation.len, made.clone())),
            }
        }
        places
    }

    /// Whether an address lies in an allocation that was not made by a line of the program: the device runtime's own.
    pub fn is_runtimes(&self, address: u64) -> bool {
        let is_unplaced = |made: &Note| made.location.is_none();
        let live = self.live_at(address);
        live.is_some_and(|(_, it)| it.made.as_ref().is_none_or(is_unplaced))
    }

    /// Bytes of the allocation at `start`.
    pub fn size(&self, start: u64) -> Option<u64> {
        Some(self.live.get(&start)?.len)
    }

    /// The allocation that `address` lies in.
    pub fn around(&self, address: u64) -> Option<Span> {
        let (start, &Allocation { len, .. }) = self.live_at(address)?;
        Some(Span { start, len })
    }

    fn live_at(&self, address: u64) -> Option<(u64, &Allocation)> {
        let (&start, it) = self.live.range(..=address).next_back()?;
        (address - start < it.len).then_some((start, it))
    }

    fn freed_at(&self, address: u64) -> Option<&Freed> {
        self.freed.iter().find(|it| it.span.contains(address, 1))
    }

    /// Who made, or freed, the allocation that `address` lies in or lay in.
    pub fn origins(&self, address: u64) -> Option<Vec<Note>> {
        match self.live_at(address) {
            Some((_, it)) => Some(made(&it.made).into_iter().collect()),
            None => self.freed_at(address).map(Freed::notes),
        }
    }

    /// How `address` relates to the allocations, and who made or freed the one it has to do with.
    pub fn describe(&self, address: u64) -> Option<(String, Vec<Note>)> {
        if self.live_at(address).is_none()
            && let Some(it) = self.freed_at(address)
        {
            let offset = address - it.span.start;
            let text = format!("{offset} bytes into {} bytes that were freed", it.span.len);
            return Some((text, it.notes()));
        }
        let below = self.live.range(..=address).next_back();
        let past = below.map(|(start, it)| (address - start).saturating_sub(it.len));
        let above = self.live.range(address + 1..).next();
        let before = above.map(|(start, _)| start - address);
        let near = |distance: Option<u64>| distance.filter(|&bytes| bytes < NEIGHBOURHOOD);
        match (near(past), near(before)) {
            (Some(past), before) if before.is_none_or(|before| past <= before) => {
                let it = below?.1;
                let text = format!(
                    "{past} bytes past the end of an allocation of {} bytes",
                    it.len
                );
                Some((text, made(&it.made).into_iter().collect()))
            }
            (_, Some(before)) => {
                let it = above?.1;
                let text = format!("{before} bytes before an allocation of {} bytes", it.len);
                Some((text, made(&it.made).into_iter().collect()))
            }
            _ => None,
        }
    }
}

fn made(note: &Option<Note>) -> Option<Note> {
    since("allocated", note)
}

fn since(verb: &str, note: &Option<Note>) -> Option<Note> {
    let Note { text, location } = note.as_ref()?;
    Some(Note {
        text: format!("{verb} by {text}"),
        location: location.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(text: &str) -> Option<Note> {
        Some(Note {
            text: text.into(),
            location: None,
        })
    }

    #[test]
    fn neighbours_are_named() {
        let mut known = Allocations::default();
        let span = |start, len| Span { start, len };
        known.add(span(1000, 40), note("a"));
        known.add(span(2000, 40), note("b"));
        let text = |address| known.describe(address).unwrap().0;
        assert_eq!(
            text(1044),
            "4 bytes past the end of an allocation of 40 bytes"
        );
        assert_eq!(text(1996), "4 bytes before an allocation of 40 bytes");
        assert_eq!(known.describe(2040).unwrap().1[0].text, "allocated by b");
        assert_eq!(known.origins(2039).unwrap()[0].text, "allocated by b");
        assert_eq!(known.origins(2040), None);
        assert_eq!(known.around(2039), Some(span(2000, 40)));
        assert_eq!(known.around(2040), None);
        assert!(known.describe(1 << 40).is_none());
    }

    #[test]
    fn the_runtimes_own_have_no_place() {
        let mut known = Allocations::default();
        let span = Span {
            start: 1000,
            len: 40,
        };
        known.add(span, note("malloc"));
        assert!(known.is_runtimes(1039) && !known.is_runtimes(1040));
        assert!(known.left().is_empty());
    }

    #[test]
    fn what_was_freed_is_remembered() {
        let mut known = Allocations::default();
        let span = Span {
            start: 1000,
            len: 40,
        };
        known.add(span, note("a"));
        assert_eq!(known.remove(1000, note("z")), Some(span));
        assert_eq!(known.remove(1000, None), None);
        let (text, notes) = known.describe(1008).unwrap();
        assert_eq!(text, "8 bytes into 40 bytes that were freed");
        let notes: Vec<_> = notes.iter().map(|note| note.text.as_str()).collect();
        assert_eq!(notes, ["allocated by a", "freed by z"]);
    }
}

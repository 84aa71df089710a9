//! The last accesses to a segment of memory.
//!
//! A new access replaces an old one of the same bytes if it comes after it, and whatever races with the old one races
//! with it, too (FastTrack's argument). Of readers, and of atomic operations, that nothing orders there are some for
//! each byte: of the present block one of the new access's warp and one of another warp, and one of another block. A
//! later write that comes after these without coming after all others would need an order of single lanes.

use super::comparison::{Comparison, Kept, Verdict};
use super::horizon::Horizon;
use super::more_rows::More;
use super::probe::Probe;
use super::row::{Event, Row};

/// The last accesses to a segment, in rows. One without bytes is free. A streaming kernel's time is that of loading the
/// segments, so each takes a cache line.
#[derive(Clone)]
#[repr(align(64))]
pub struct Segment {
    few: [Row; 2],
    more: Option<Box<More>>,
}

impl Default for Segment {
    fn default() -> Segment {
        Segment {
            few: [Row::FREE; 2],
            more: None,
        }
    }
}

impl Segment {
    fn rows(&self) -> impl Iterator<Item = Row> {
        let more = self.more.iter().flat_map(|more| more.rows());
        self.few.iter().copied().chain(more)
    }

    /// Notes a new access if that is simple. Gives whether it was: old accesses stand for it, or none of them races
    /// with it or has to stay beside it.
    #[inline(always)]
    pub fn note_at_once(&mut self, new: &Row, probe: &Probe) -> bool {
        let event = new.event;
        let Segment {
            few: [one, two],
            more,
        } = self;
        let (is_one, is_two) = (one.event == event, two.event == event);
        let known = is_one && new.bytes & !one.bytes == 0 || is_two && new.bytes & !two.bytes == 0;
        if known {
            return true;
        }
        if let Some(more) = more {
            more.forget_void(&probe.horizon);
            if !more.is_empty() {
                return more.note_at_once(new, one.bytes | two.bytes, &probe.horizon);
            }
        }
        if probe.is_known_to(one, two, new) {
            return true;
        }
        let left = |old: &Row| probe.left(old, new.bytes, &event);
        let (Some(of_one), Some(of_two)) = (left(one), left(two)) else {
            return false;
        };
        let (add_one, add_two) = (is_one && of_one != 0, is_two && of_two != 0);
        if of_one != 0 && of_two != 0 && !add_one && !add_two {
            return false;
        }
        (one.bytes, two.bytes) = (of_one, of_two);
        if add_one {
            one.bytes |= new.bytes;
        } else if add_two {
            two.bytes |= new.bytes;
        } else if of_one == 0 {
            *one = *new;
        } else {
            *two = *new;
        }
        true
    }

    /// Compares a new access with the old ones.
    pub fn compare(&mut self, new: &Row, horizon: &Horizon) -> Verdict {
        for old in &self.few {
            if old.event == new.event && new.bytes & !old.bytes == 0 {
                return Verdict::KNOWN;
            }
        }
        if let Some(more) = &self.more
            && more.crowd.has(new, horizon)
        {
            return Verdict::KNOWN;
        }
        let mut found = Comparison::new(new, horizon);
        for old in &self.few {
            let both = old.bytes & new.bytes;
            if both != 0 && found.add(&{ old.event }, both) {
                return Verdict::KNOWN;
            }
        }
        if let Some(more) = &mut self.more {
            return more.compare(found);
        }
        found.verdict()
    }

    /// Old accesses that may race with a new one: for each byte writes before reads, and the bytes.
    pub fn suspects<'a>(
        &'a self,
        new: &'a Row,
        horizon: &'a Horizon,
    ) -> impl Iterator<Item = (Event, u64)> + 'a {
        let rows = [true, false].into_iter().flat_map(|writes| {
            let rows = self.rows();
            rows.filter(move |old| { old.event }.writes() == writes)
        });
        let rows = rows.map(|old| (old.event, old.bytes & new.bytes));
        rows.filter(|(old, both)| {
            let new = new.event;
            *both != 0 && old.conflicts(&new) && !horizon.orders(old, &new)
        })
    }

    /// Notes a new access.
    pub fn note(&mut self, new: &Row, horizon: &Horizon) {
        let mut kept = Kept::default();
        for old in &mut self.few {
            old.bytes &= !kept.replaced(old, new, horizon);
        }
        if let Some(more) = &mut self.more {
            more.replace(&mut kept, new, horizon);
        }
        for old in &mut self.few {
            if old.bytes != 0 && old.event == new.event {
                old.bytes |= new.bytes;
                return;
            }
        }
        for old in &mut self.few {
            if old.bytes == 0 {
                *old = *new;
                return;
            }
        }
        self.add_one_more(new);
    }

    #[cold]
    fn add_one_more(&mut self, new: &Row) {
        self.more.get_or_insert_default().add(*new);
    }

    /// Forgets the accesses to some bytes.
    pub fn forget(&mut self, bytes: u64) {
        self.few.iter_mut().for_each(|row| row.bytes &= !bytes);
        if let Some(more) = &mut self.more {
            more.forget(bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use vgpu_abi::AccessKind;

    use super::super::row::Threads;
    use super::*;

    const NOW: Horizon = Horizon {
        block: 2,
        all: 5,
        settled: 1,
        apart: (0, 0),
    };

    fn row(block: u32, time: u32, threads: Threads, kind: AccessKind) -> Row {
        Event::new((block, time), threads, 9, kind, 0).of(0xff)
    }

    #[test]
    fn what_is_noted_at_once_is_noted_as_ever() {
        let kinds = [AccessKind::READ, AccessKind::WRITE];
        let threads = [Threads::one(0), Threads::one(40), Threads::each(0, 2, 0)];
        let moments = [(1, 3), (2, 5), (2, 6)];
        let mut all = Vec::new();
        for (kind, threads, now) in kinds
            .iter()
            .flat_map(|kind| threads.iter().map(move |it| (kind, it)))
            .flat_map(|(kind, threads)| moments.iter().map(move |now| (*kind, *threads, *now)))
        {
            let event = Event::new(now, threads, 9, kind, 0);
            all.extend([event.of(0xff), event.of(0xf0)]);
        }
        let present = |row: &&Row| { row.event }.time() == 6;
        for horizon in [NOW, NOW.of_own_memory(), Horizon { settled: 2, ..NOW }] {
            for (old, older) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
                for new in all.iter().filter(present) {
                    let mut before = Segment::default();
                    before.note(older, &horizon);
                    before.note(old, &horizon);
                    let mut at_once = before.clone();
                    let probe = Probe::new(new.event, horizon);
                    if !at_once.note_at_once(new, &probe) {
                        continue;
                    }
                    let verdict = before.compare(new, &horizon);
                    assert!(!verdict.suspect, "{older:?} {old:?} {new:?}");
                    if !verdict.known {
                        before.note(new, &horizon);
                    }
                    let rows = |segment: &Segment| {
                        let rows = segment.rows().filter(|row| row.bytes != 0);
                        let mut rows: Vec<_> = rows.map(|row| format!("{row:?}")).collect();
                        rows.sort();
                        rows
                    };
                    assert_eq!(rows(&at_once), rows(&before), "{older:?} {old:?} {new:?}");
                }
            }
        }
    }

    fn noted(rows: &[Row]) -> Segment {
        let mut segment = Segment::default();
        rows.iter().for_each(|row| segment.note(row, &NOW));
        segment
    }

    #[test]
    fn a_write_replaces_all_and_its_bytes_only() {
        let read = |thread| row(2, 6, Threads::one(thread), AccessKind::READ);
        let mut segment = noted(&[read(0), read(1)]);
        segment.note(
            &row(2, 6, Threads::one(2), AccessKind::WRITE).event.of(0xf),
            &NOW,
        );
        let bytes: Vec<_> = segment.rows().map(|row| row.bytes).collect();
        assert_eq!(bytes, [0xf0, 0xf0, 0xf]);
        segment.forget(0xff);
        segment.note(&read(1), &NOW);
        assert_eq!(size_of::<Segment>(), 64);
        assert_eq!(segment.rows().filter(|row| row.bytes != 0).count(), 1);
    }

    #[test]
    fn readers_of_two_warps_and_of_another_block_are_kept() {
        let read = |block, thread| row(block, 6, Threads::one(thread), AccessKind::READ);
        let all = [(1, 0), (1, 40), (2, 0), (2, 1), (2, 40), (2, 80), (2, 2)];
        let segment = noted(&all.map(|(block, thread)| read(block, thread)));
        assert!(segment.rows().count() <= 4, "{}", segment.rows().count());
        assert!(segment.rows().any(|row| { row.event }.block() == 1));
        let present = segment.rows().filter(|row| { row.event }.block() == 2);
        let warps: std::collections::HashSet<_> =
            present.map(|row| { row.event }.threads().warp()).collect();
        assert!(warps.len() > 1);
    }

    #[test]
    fn who_has_read_twice_needs_no_third_time() {
        let each = row(2, 6, Threads::each(0, 2, 0), AccessKind::READ);
        let mut segment = noted(&[each]);
        assert!(segment.compare(&each.event.of(0xf), &NOW).known);
        assert!(!segment.compare(&each.event.of(0xf0f), &NOW).known);
        let all = row(2, 6, Threads::together(0, 31), AccessKind::READ);
        let mut segment = noted(&[all]);
        let (near, far) = (Threads::one(7), Threads::together(32, 63));
        assert!(
            segment
                .compare(&row(2, 6, near, AccessKind::READ), &NOW)
                .known
        );
        assert!(
            !segment
                .compare(&row(2, 6, far, AccessKind::READ), &NOW)
                .known
        );
        let verdict = segment.compare(&row(2, 6, near, AccessKind::WRITE), &NOW);
        assert!(verdict.suspect && !verdict.known);
    }

    #[test]
    fn in_a_crowd_nobody_is_noted_until_somebody_else_comes() {
        let update = AccessKind::READ
            .and(AccessKind::WRITE)
            .and(AccessKind::ATOMIC);
        let one = |thread, kind| row(2, 6, Threads::one(thread), kind);
        let others = [0, 1, 2].map(|thread| one(thread, AccessKind::READ).event.of(0xff00));
        let mut segment = noted(&others);
        let atomics = [0, 40].map(|thread| one(thread, update));
        atomics.iter().for_each(|row| segment.note(row, &NOW));
        let count = segment.rows().count();
        for thread in [0, 1, 40, 70, 200] {
            assert_eq!(segment.compare(&one(thread, update), &NOW), Verdict::KNOWN);
        }
        assert_eq!(segment.rows().count(), count);
        let mut alone = noted(&others);
        [0, 1]
            .into_iter()
            .for_each(|thread| alone.note(&one(thread, update), &NOW));
        for (thread, known) in [(2, true), (3, true), (40, false)] {
            assert_eq!(alone.compare(&one(thread, update), &NOW).known, known);
        }
        assert!(segment.compare(&one(70, AccessKind::READ), &NOW).suspect);
        segment.note(&one(3, AccessKind::WRITE), &NOW);
        assert!(segment.compare(&one(70, update), &NOW).suspect);
    }

    #[test]
    fn what_two_blocks_have_read_the_launch_has_read() {
        let now = Horizon {
            apart: (1, 9),
            ..NOW
        };
        let read = |block, time, thread| row(block, time, Threads::one(thread), AccessKind::READ);
        let mut segment = noted(&[read(1, 3, 0), read(2, 4, 0)]);
        assert!(segment.compare(&read(2, 6, 70), &now).known);
        assert!(!segment.compare(&read(2, 6, 70), &NOW).known);
        let mut segment = noted(&[read(0, 3, 0), read(2, 4, 0)]);
        assert!(!segment.compare(&read(2, 6, 70), &now).known);
    }

    #[test]
    fn only_the_present_time_counts_in_a_block_s_own_memory() {
        let own = NOW.of_own_memory();
        let write = |block, time| row(block, time, Threads::one(1), AccessKind::WRITE);
        let mut segment = noted(&[write(2, 5).event.of(0xf), write(1, 6).event.of(0xf0)]);
        segment.note(&row(2, 6, Threads::one(3), AccessKind::READ), &own);
        let left = segment.rows().filter(|row| row.bytes != 0);
        assert_eq!(left.count(), 1);
    }

    #[test]
    fn what_continues_a_row_is_one_row() {
        let write = row(2, 6, Threads::one(3), AccessKind::WRITE);
        let segment = noted(&[write, write.event.of(0xff00)]);
        let rows: Vec<_> = segment.rows().filter(|row| row.bytes != 0).collect();
        assert_eq!(rows, [write.event.of(0xffff)]);
    }
}

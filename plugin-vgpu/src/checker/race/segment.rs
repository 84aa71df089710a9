//! The last accesses to a segment of memory.
//!
//! A new access replaces an old one of the same bytes if it comes after it, and whatever races with the old one races
//! with it, too (FastTrack's argument). Of readers, and of atomic operations, that nothing orders there are some for
//! each byte: of the present block one of the new access's warp and one of another warp, and one of another block. A
//! later write that comes after these without coming after all others would need an order of single lanes.

use super::row::Row;

/// What all accesses of the present block come after, whoever makes them.
#[derive(Clone, Copy, Default)]
pub struct Horizon {
    /// Number of the block.
    pub block: u32,
    /// Up to this time, all its threads know each other.
    pub all: u32,
    /// Blocks with lower numbers are over.
    pub settled: u32,
}

impl Horizon {
    /// Whether `new` surely comes after `old`, byte for byte.
    #[inline]
    fn orders(&self, old: &Row, new: &Row) -> bool {
        match old.block == self.block {
            true => old.time <= self.all || old.threads == new.threads && old.threads.is_one_each(),
            false => old.block < self.settled,
        }
    }
}

/// What is to be done about a new access.
pub struct Verdict {
    /// It may race with an old one.
    pub suspect: bool,
    /// Old accesses stand for it.
    pub known: bool,
}

/// The last accesses to a segment, in rows. One without bytes is free. A streaming kernel's time is that of loading the
/// segments, so each takes a cache line.
#[derive(Clone)]
#[repr(align(64))]
pub struct Segment {
    few: [Row; 2],
    #[expect(
        clippy::box_collection,
        reason = "it is rarely there, and a pointer is small"
    )]
    more: Option<Box<Vec<Row>>>,
}

impl Default for Segment {
    fn default() -> Segment {
        Segment {
            few: [Row::free(); 2],
            more: None,
        }
    }
}

impl Segment {
    fn rows(&self) -> impl Iterator<Item = &Row> {
        let more: &[Row] = self.more.as_ref().map_or(&[], |more| more);
        self.few.iter().chain(more)
    }

    fn rows_mut(&mut self) -> impl Iterator<Item = &mut Row> {
        let more: &mut [Row] = self.more.as_mut().map_or(&mut [], |more| more);
        self.few.iter_mut().chain(more)
    }

    /// Compares a new access with the old ones.
    #[inline]
    pub fn compare(&self, new: &Row, horizon: &Horizon) -> Verdict {
        let mut suspect = false;
        let mut peers = Peers::default();
        for old in self.rows() {
            let both = old.bytes & new.bytes;
            if both == 0 {
                continue;
            }
            if old.is_with(new) && old.covers(new) {
                if old.threads == new.threads && both == new.bytes {
                    // Since then nobody has written here, and nothing has been ordered.
                    return Verdict {
                        suspect: false,
                        known: true,
                    };
                }
                if !new.is_plain_write() {
                    peers.add(old, both, new);
                }
            }
            suspect |= old.conflicts(new) && !horizon.orders(old, new);
        }
        Verdict {
            suspect,
            known: new.bytes & !peers.enough == 0,
        }
    }

    /// Old accesses that may race with a new one: for each byte writes before reads, and the bytes.
    pub fn suspects<'a>(
        &'a self,
        new: &'a Row,
        horizon: &'a Horizon,
    ) -> impl Iterator<Item = (&'a Row, u64)> {
        let rows = [true, false].into_iter().flat_map(|writes| {
            let rows = self.rows();
            rows.filter(move |old| old.writes() == writes)
        });
        rows.map(|old| (old, old.bytes & new.bytes))
            .filter(|(old, both)| *both != 0 && old.conflicts(new) && !horizon.orders(old, new))
    }

    /// Notes a new access.
    #[inline]
    pub fn note(&mut self, new: &Row, horizon: &Horizon) {
        let (mut near, mut far, mut foreign) = (0, 0, 0);
        let (mut same, mut free) = (None, None);
        for old in self.rows_mut() {
            let both = old.bytes & new.bytes;
            if both != 0 && new.outdoes(old) {
                let replaced = if new.is_plain_write() || horizon.orders(old, new) {
                    both
                } else {
                    let kept = match (old.block == new.block, old.threads.warp()) {
                        (false, _) => &mut foreign,
                        (true, warp) if warp == new.threads.warp() => &mut near,
                        (true, _) => &mut far,
                    };
                    let replaced = both & *kept;
                    *kept |= both;
                    replaced
                };
                old.bytes &= !replaced;
            }
            if old.bytes == 0 {
                free = Some(old);
            } else if old.continues(new) {
                same = Some(old);
            }
        }
        match (same, free) {
            (Some(row), _) => row.bytes |= new.bytes,
            (None, Some(row)) => *row = *new,
            (None, None) => self.more.get_or_insert_default().push(*new),
        }
    }

    /// Forgets the accesses to some bytes.
    pub fn forget(&mut self, bytes: u64) {
        self.rows_mut().for_each(|row| row.bytes &= !bytes);
    }
}

/// Accesses of other threads at the same time, of which two make a third one needless.
#[derive(Default)]
struct Peers {
    /// Bytes that one thread of the warp, or of another warp, has accessed.
    near: u64,
    far: u64,
    /// The first other warp.
    other: Option<u32>,
    /// Bytes that two threads of the warp, or of two warps, have accessed.
    enough: u64,
}

impl Peers {
    #[inline]
    fn add(&mut self, old: &Row, both: u64, new: &Row) {
        let warp = old.threads.warp();
        if warp == new.threads.warp() {
            self.enough |= both & (self.near | self.far);
            if !old.threads.is_one_each() {
                self.enough |= both;
            }
            self.near |= both;
        } else {
            self.enough |= both & self.near;
            if self.other.is_some_and(|other| other != warp) {
                self.enough |= both & self.far;
            }
            self.other.get_or_insert(warp);
            self.far |= both;
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
    };

    fn row(block: u32, time: u32, threads: Threads, kind: AccessKind) -> Row {
        Row::new((block, time), threads, 9, kind, 0).of(0xff)
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
        segment.note(&row(2, 6, Threads::one(2), AccessKind::WRITE).of(0xf), &NOW);
        let bytes: Vec<_> = segment.rows().map(|row| row.bytes).collect();
        assert_eq!(bytes, [0xf0, 0xf0, 0xf]);
        segment.forget(0xff);
        segment.note(&read(1), &NOW);
        assert_eq!(size_of::<Segment>(), 64);
        assert_eq!(segment.rows().count(), 3);
    }

    #[test]
    fn readers_of_two_warps_and_of_another_block_are_kept() {
        let read = |block, thread| row(block, 6, Threads::one(thread), AccessKind::READ);
        let all = [(1, 0), (1, 40), (2, 0), (2, 1), (2, 40), (2, 80), (2, 2)];
        let segment = noted(&all.map(|(block, thread)| read(block, thread)));
        assert!(segment.rows().count() <= 4, "{}", segment.rows().count());
        assert!(segment.rows().any(|row| row.block == 1));
        let present = segment.rows().filter(|row| row.block == 2);
        let warps: std::collections::HashSet<_> = present.map(|row| row.threads.warp()).collect();
        assert!(warps.len() > 1);
    }

    #[test]
    fn who_has_read_twice_needs_no_third_time() {
        let each = row(2, 6, Threads::each(0, 2, 0), AccessKind::READ);
        let segment = noted(&[each]);
        assert!(segment.compare(&each.of(0xf), &NOW).known);
        assert!(!segment.compare(&each.of(0xf0f), &NOW).known);
        let all = row(2, 6, Threads::together(0, 31), AccessKind::READ);
        let segment = noted(&[all]);
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
    fn what_continues_a_row_is_one_row() {
        let write = row(2, 6, Threads::one(3), AccessKind::WRITE);
        let segment = noted(&[write, write.of(0xff00)]);
        let rows: Vec<_> = segment
            .rows()
            .filter(|row| row.bytes != 0)
            .copied()
            .collect();
        assert_eq!(rows, [write.of(0xffff)]);
    }
}

//! A new access, prepared for comparisons with many rows.

use super::horizon::Horizon;
use super::row::{Event, Row};

/// An access of the present block to memory of one kind, but for who makes it to which bytes.
pub struct Probe {
    /// The access, by one of its threads.
    pub event: Event,
    /// What it comes after.
    pub horizon: Horizon,
    /// The kinds of old accesses that it outdoes, a bit each.
    outdone: u8,
    is_plain_write: bool,
}

impl Probe {
    /// Prepares for comparisons.
    pub fn new(event: Event, horizon: Horizon) -> Probe {
        Probe {
            event,
            horizon,
            outdone: event.outdone_kinds(),
            is_plain_write: event.is_plain_write(),
        }
    }

    /// Whether two warps have accessed the same bytes alike, at the same time: a third one tells nothing.
    #[inline(always)]
    pub fn is_known_to(&self, one: &Row, two: &Row, new: &Row) -> bool {
        let (event, a, b) = (&{ new.event }, &{ one.event }, &{ two.event });
        !self.is_plain_write
            && new.bytes & !(one.bytes & two.bytes) == 0
            && a.is_with(event)
            && b.is_with(event)
            && a.is_of_kind(event)
            && b.is_of_kind(event)
            && a.threads().warp() != b.threads().warp()
    }

    /// The bytes that an old row keeps beside an access by others to these bytes, if no more is to be said about the
    /// two: whatever happens now comes after it, or it is the same thread's and gives way.
    #[inline(always)]
    pub fn left(&self, old: &Row, bytes: u64, event: &Event) -> Option<u64> {
        let (all, past) = (old.bytes, &{ old.event });
        if self.horizon.is_behind(past) {
            let gone = match self.horizon.is_own_memory() {
                true => u64::MAX,
                false if self.outdone >> past.kind() & 1 != 0 => bytes,
                false => 0,
            };
            return Some(all & !gone);
        }
        if all & bytes == 0 {
            return Some(all);
        }
        let own = self.is_plain_write && self.horizon.orders(past, event);
        own.then_some(all & !bytes)
    }
}

#[cfg(test)]
mod tests {
    use vgpu_abi::AccessKind;

    use super::super::row::Threads;
    use super::*;

    #[test]
    fn what_is_left_of_an_old_row() {
        let horizon = Horizon {
            block: 2,
            all: 5,
            settled: 2,
            apart: (0, 0),
        };
        let at =
            |block, time, thread, kind| Event::new((block, time), Threads::one(thread), 9, kind, 0);
        let (read, write) = (AccessKind::READ, AccessKind::WRITE);
        let probe = |kind| Probe::new(at(2, 6, 0, kind), horizon);
        let left = |kind, old: Event| probe(kind).left(&old.of(0xff), 0xf, &at(2, 6, 0, kind));
        assert_eq!(left(read, at(1, 1, 7, read)), Some(0xf0));
        assert_eq!(left(read, at(1, 1, 7, write)), Some(0xff));
        assert_eq!(left(write, at(2, 5, 7, write)), Some(0xf0));
        assert_eq!(left(write, at(2, 6, 0, read)), Some(0xf0));
        assert_eq!(left(read, at(2, 6, 7, read)), None);
        assert_eq!(left(write, at(2, 6, 7, read)), None);
        let own = Probe::new(at(2, 6, 0, read), horizon.of_own_memory());
        let event = at(2, 6, 0, read);
        assert_eq!(own.left(&at(1, 1, 7, write).of(0xf0), 0xf, &event), Some(0));
    }
}

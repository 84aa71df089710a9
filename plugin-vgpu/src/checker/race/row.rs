//! An access of several threads to a segment of memory: who used which of its bytes, when and how.
//!
//! Threads of a warp mostly access consecutive elements, or all the same one. Such a *row* takes as much room as the
//! access of one thread, and is compared as a whole (as the compressed shadow of arrays of SlimState, Wilcox et al.,
//! ASE 2015).

use vgpu_abi::AccessKind;

/// Bytes of a segment: a bit each of a word.
pub const SEGMENT: u64 = 64;

/// The shift with which all bytes of a segment are one thread's.
const WHOLE: u32 = SEGMENT.trailing_zeros();

/// Added to the thread of byte 0, which is no thread if the first lanes are those of the segment before.
const BIAS: i32 = SEGMENT as i32;

/// Which thread accesses a byte: that of byte 0, and one more for each `1 << shift` bytes. Of those who access the same
/// bytes together, the first and the last one are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threads(u32);

impl Threads {
    /// One thread.
    pub fn one(thread: u16) -> Threads {
        Threads::new(thread.into(), WHOLE, 0, thread)
    }

    /// Several threads of a warp access the same bytes.
    pub fn together(first: u16, last: u16) -> Threads {
        Threads::new(first.into(), WHOLE, last - first, first)
    }

    /// Each thread accesses bytes of its own. `of_warp`: any of them.
    pub fn each(at_byte_0: i32, shift: u32, of_warp: u16) -> Threads {
        Threads::new(at_byte_0, shift, 0, of_warp)
    }

    /// The same bytes are accessed by further threads, too, the last of them so many behind.
    pub fn and_behind(self, last: u16) -> Threads {
        Threads(self.0 | u32::from(last) << 14)
    }

    /// Thread (11 bits), shift (3), distance of the last thread (6), warp (5).
    fn new(at_byte_0: i32, shift: u32, last: u16, of_warp: u16) -> Threads {
        let warp = u32::from(of_warp / 32);
        Threads((at_byte_0 + BIAS) as u32 | shift << 11 | u32::from(last) << 14 | warp << 20)
    }

    /// How many bytes each thread has, as a power of two.
    pub fn shift(self) -> u32 {
        self.0 >> 11 & 7
    }

    /// Those who access a byte: the first one and the last one.
    pub fn at(self, byte: u32) -> [u16; 2] {
        let first = ((self.0 & 0x7ff) + (byte >> self.shift())) as i32 - BIAS;
        [first as u16, first as u16 + self.last()]
    }

    /// Whether each byte has one thread.
    pub fn is_one_each(self) -> bool {
        self.last() == 0
    }

    fn last(self) -> u16 {
        (self.0 >> 14 & 63) as u16
    }

    /// Their warp.
    pub fn warp(self) -> u32 {
        self.0 >> 20
    }
}

const ATOMIC: u32 = 1 << 31;
const WRITES: u32 = 1 << KIND_SHIFT;
const KIND_SHIFT: u32 = 30;
const VOLATILE: u32 = 1 << 29;

/// A row. Two of them and a pointer fill a cache line. What is compared together is one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(Rust, packed(4))]
pub struct Row {
    /// The bytes of the segment.
    pub bytes: u64,
    /// When, by whom and how it was.
    pub event: Event,
}

/// What a row knows of its access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(Rust, packed(4))]
pub struct Event {
    /// The block's number, and the block's time in the low half.
    when: u64,
    /// The threads in the low half; then index into the image's sites, whether it writes, and whether it is atomic.
    who: u64,
    /// A hash of what it writes; 0 if that is not known.
    value: u32,
}

impl Row {
    /// Nobody's: a place for another one.
    pub const FREE: Row = Row {
        bytes: 0,
        event: Event {
            when: 0,
            who: 0,
            value: 0,
        },
    };
}

impl Event {
    /// An access that happens now. `value` is what it writes, if that is known.
    pub fn new(
        now: (u32, u32),
        threads: Threads,
        site: u32,
        kind: AccessKind,
        value: u64,
    ) -> Event {
        let flag = |is: AccessKind, bit| if kind.has(is) { bit } else { 0 };
        let hash = (value.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32 | 1;
        let known = kind.has(AccessKind::VALUE) && !kind.has(AccessKind::READ);
        let how = site
            | flag(AccessKind::ATOMIC, ATOMIC)
            | flag(AccessKind::WRITE, WRITES)
            | flag(AccessKind::VOLATILE, VOLATILE);
        Event {
            when: u64::from(now.0) << 32 | u64::from(now.1),
            who: u64::from(how) << 32 | u64::from(threads.0),
            value: if known { hash } else { 0 },
        }
    }

    /// The same access to these bytes of a segment.
    pub fn of(self, bytes: u64) -> Row {
        Row { bytes, event: self }
    }

    /// The same access by others.
    pub fn by(self, threads: Threads) -> Event {
        let who = self.who & !u64::from(u32::MAX) | u64::from(threads.0);
        Event { who, ..self }
    }

    /// The block's number.
    pub fn block(&self) -> u32 {
        (self.when >> 32) as u32
    }

    /// The block's time.
    pub fn time(&self) -> u32 {
        self.when as u32
    }

    /// Who.
    pub fn threads(&self) -> Threads {
        Threads(self.who as u32)
    }

    fn how(&self) -> u32 {
        (self.who >> 32) as u32
    }

    /// Index into the sites of its image.
    pub fn site(&self) -> u32 {
        self.how() & !(ATOMIC | WRITES | VOLATILE)
    }

    /// Whether it is atomic.
    pub fn is_atomic(&self) -> bool {
        self.how() & ATOMIC != 0
    }

    /// Whether it writes.
    pub fn writes(&self) -> bool {
        self.how() & WRITES != 0
    }

    /// Whether every other access without an order to it races with it.
    pub fn is_plain_write(&self) -> bool {
        self.how() & (ATOMIC | WRITES) == WRITES
    }

    /// Whether the two are at the same time of the same block.
    pub fn is_with(&self, other: &Event) -> bool {
        self.when == other.when
    }

    /// Whether the two use memory alike, and what is known of the values is the same.
    #[inline(always)]
    pub fn is_of_kind(&self, other: &Event) -> bool {
        self.kind() == other.kind() && self.value == other.value
    }

    /// Whether the two race if nothing orders them. Writes of the same value do by the letter of the memory models,
    /// but are harmless in practice; NVIDIA's racecheck does not warn of them either.
    pub fn conflicts(&self, other: &Event) -> bool {
        let both = self.how() & other.how();
        let same = self.value != 0 && self.value == other.value;
        let excused = both & ATOMIC != 0 && !self.is_exchange(other);
        (self.how() | other.how()) & WRITES != 0 && !excused && !(both & WRITES != 0 && same)
    }

    /// Whether lanes of a warp have exchanged a value through volatile memory. Without a barrier that works on GPUs
    /// whose warps run in lockstep only (CUDA C++ Programming Guide, "Independent Thread Scheduling").
    pub fn is_exchange(&self, other: &Event) -> bool {
        self.how() & other.how() & VOLATILE != 0
            && self.block() == other.block()
            && self.threads().warp() == other.threads().warp()
    }

    /// Whether whatever conflicts with an `other` access, by the kinds of both, conflicts with this one.
    pub fn outdoes(&self, other: &Event) -> bool {
        self.is_plain_write()
            || match (self.writes(), self.is_atomic()) {
                (true, _) => other.is_atomic(),
                (false, false) => !other.writes(),
                (false, true) => !other.writes() && other.is_atomic(),
            }
    }

    /// Whether it writes and whether it is atomic, as a number.
    #[inline(always)]
    pub fn kind(&self) -> u32 {
        self.how() >> KIND_SHIFT
    }

    /// The kinds of accesses that this one outdoes, a bit each.
    #[inline(always)]
    pub fn outdone_kinds(&self) -> u8 {
        [0b0101, 0b1111, 0b0100, 0b1100][self.kind() as usize]
    }

    /// The same, and what is known of the values.
    pub fn covers(&self, other: &Event) -> bool {
        let value = self.value == 0 || other.writes() && self.value == other.value;
        value && self.outdoes(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: AccessKind = AccessKind::READ;
    const WRITE: AccessKind = AccessKind::WRITE;

    fn row(kind: AccessKind, value: u64) -> Event {
        Event::new((3, 4), Threads::one(1023), 5, kind, value)
    }

    #[test]
    fn threads_of_bytes() {
        assert_eq!(Threads::one(1023).at(63), [1023, 1023]);
        assert_eq!(Threads::together(64, 127).at(17), [64, 127]);
        let each = Threads::each(-16, 2, 31);
        assert_eq!((each.at(63), each.at(64)), ([u16::MAX; 2], [0, 0]));
        assert_eq!(Threads::each(96, 2, 100).at(19), [100, 100]);
        assert_eq!(Threads::one(1023).warp(), 31);
        assert_eq!(each.and_behind(16).at(64), [0, 16]);
        assert!(each.is_one_each() && !Threads::together(1, 2).is_one_each());
    }

    #[test]
    fn conflicts_by_kind() {
        let kinds = [
            WRITE,
            READ,
            WRITE.and(AccessKind::ATOMIC),
            READ.and(AccessKind::ATOMIC),
        ];
        let rows = kinds.map(|kind| row(kind, 0));
        let table = rows.map(|a| rows.map(|b| u8::from(a.conflicts(&b))));
        assert_eq!(
            table,
            [[1, 1, 1, 1], [1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]]
        );
        for (a, b) in rows.iter().flat_map(|a| rows.iter().map(move |b| (a, b))) {
            let all = rows.iter().all(|x| !b.conflicts(x) || a.conflicts(x));
            assert_eq!(a.outdoes(b), all, "{a:?} {b:?}");
            assert_eq!(a.outdone_kinds() >> b.kind() & 1 != 0, all);
        }
        assert_eq!(size_of::<Row>(), 28);
    }

    #[test]
    fn equal_values_do_not_conflict() {
        let known = WRITE.and(AccessKind::VALUE);
        assert!(!row(known, 7).conflicts(&row(known, 7)));
        assert!(row(known, 7).conflicts(&row(known, 8)) && row(known, 7).conflicts(&row(WRITE, 7)));
        assert!(!row(known, 7).covers(&row(READ, 0)) && row(WRITE, 0).covers(&row(READ, 0)));
    }
}

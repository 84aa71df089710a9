//! What the old accesses to a segment tell of a new one, and which of them it replaces.

use super::horizon::Horizon;
use super::row::{Event, Row};

/// What is to be done about a new access.
#[derive(Debug, PartialEq, Eq)]
pub struct Verdict {
    /// It may race with an old one.
    pub suspect: bool,
    /// Old accesses stand for it.
    pub known: bool,
}

impl Verdict {
    /// Old accesses stand for it.
    pub const KNOWN: Verdict = Verdict {
        suspect: false,
        known: true,
    };
}

/// Whose further accesses tell nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The warp's, at the same time.
    Warp,
    /// The block's, at the same time: two warps have made the same access.
    Block,
    /// The launch's: two blocks have.
    Launch,
}

impl Whose {
    /// Whether a new access is, if an old one was.
    #[inline(always)]
    pub fn has(self, old: &Event, new: &Event, horizon: &Horizon) -> bool {
        match self {
            Whose::Warp => old.is_with(new) && old.threads().warp() == new.threads().warp(),
            Whose::Block => old.is_with(new),
            Whose::Launch => horizon.is_apart(old),
        }
    }
}

/// What old accesses tell of a new one.
pub struct Comparison<'a> {
    /// The new access.
    pub new: &'a Row,
    /// What it comes after.
    pub horizon: &'a Horizon,
    /// It may race with one of them.
    suspect: bool,
    /// It conflicts with one that another thread's access may race with.
    is_contended: bool,
    /// Bytes that one thread of the warp, or of another warp, has accessed at the same time.
    near: u64,
    far: u64,
    /// The first other warp.
    other: Option<u32>,
    /// Bytes that two threads of the warp, or of two warps, have accessed: a third one is needless.
    enough: u64,
    /// Bytes that two warps have accessed.
    by_two_warps: u64,
    /// Bytes that the present block, or another one of its launch, has accessed at any time.
    here: u64,
    elsewhere: u64,
    /// The first other block.
    block: Option<u32>,
    /// Bytes that two blocks of the launch have accessed. Whatever is not ordered with a third one's access is not
    /// ordered with theirs, either.
    by_two_blocks: u64,
}

impl<'a> Comparison<'a> {
    /// Before any comparison.
    #[inline(always)]
    pub fn new(new: &'a Row, horizon: &'a Horizon) -> Comparison<'a> {
        Comparison {
            new,
            horizon,
            suspect: false,
            is_contended: false,
            near: 0,
            far: 0,
            other: None,
            enough: 0,
            by_two_warps: 0,
            here: 0,
            elsewhere: 0,
            block: None,
            by_two_blocks: 0,
        }
    }

    /// Adds an old access to bytes of the new one. Gives whether it stands for the new one: since then nobody has
    /// written here, and nothing has been ordered.
    #[inline(always)]
    pub fn add(&mut self, old: &Event, both: u64) -> bool {
        let new = self.new.event;
        if old.is_with(&new) && old.covers(&new) {
            if old.threads() == new.threads() && both == self.new.bytes {
                return true;
            }
            if !new.is_plain_write() {
                self.add_peer(old, both);
            }
        }
        if self.horizon.is_apart(old) && !new.is_plain_write() && old.covers(&new) {
            self.add_block(old.block(), both);
        }
        if old.conflicts(&new) && !self.horizon.is_behind(old) {
            self.is_contended = true;
            self.suspect |= !self.horizon.orders(old, &new);
        }
        false
    }

    #[inline(always)]
    fn add_peer(&mut self, old: &Event, both: u64) {
        let warp = old.threads().warp();
        if warp == { self.new.event }.threads().warp() {
            self.enough |= both & self.near;
            self.by_two_warps |= both & self.far;
            if !old.threads().is_one_each() {
                self.enough |= both;
            }
            self.near |= both;
        } else {
            self.by_two_warps |= both & self.near;
            if self.other.is_some_and(|other| other != warp) {
                self.by_two_warps |= both & self.far;
            }
            self.other.get_or_insert(warp);
            self.far |= both;
        }
    }

    #[inline(always)]
    fn add_block(&mut self, block: u32, both: u64) {
        if block == self.horizon.block {
            self.by_two_blocks |= both & self.elsewhere;
            self.here |= both;
        } else {
            self.by_two_blocks |= both & self.here;
            if self.block.is_some_and(|other| other != block) {
                self.by_two_blocks |= both & self.elsewhere;
            }
            self.block.get_or_insert(block);
            self.elsewhere |= both;
        }
    }

    /// Whose accesses are known, if the new one is.
    pub fn whose(&self) -> Option<Whose> {
        let all_in = |bytes: u64| self.new.bytes & !bytes == 0;
        match self.is_contended {
            true => None,
            false if all_in(self.by_two_warps) => Some(Whose::Block),
            false if all_in(self.by_two_blocks) => Some(Whose::Launch),
            false if all_in(self.enough) => Some(Whose::Warp),
            false => None,
        }
    }

    /// What they tell.
    #[inline(always)]
    pub fn verdict(&self) -> Verdict {
        let enough = self.enough | self.by_two_warps | self.by_two_blocks;
        Verdict {
            suspect: self.suspect,
            known: self.new.bytes & !enough == 0,
        }
    }
}

/// Old accesses that stay beside a new one which nothing orders with them: bytes of one of the new one's warp, of one
/// of another warp, and of one of another block.
#[derive(Default)]
pub struct Kept {
    near: u64,
    far: u64,
    foreign: u64,
}

impl Kept {
    /// The bytes of an old access in whose place the new one stands.
    #[inline(always)]
    pub fn replaced(&mut self, old: &Row, new: &Row, horizon: &Horizon) -> u64 {
        let both = old.bytes & new.bytes;
        let (event, new) = (&{ old.event }, &{ new.event });
        if horizon.is_void(event) {
            return old.bytes;
        }
        if both == 0 || !new.outdoes(event) {
            return 0;
        }
        if new.is_plain_write() || horizon.orders(event, new) {
            return both;
        }
        let kept = match (event.block() == new.block(), event.threads().warp()) {
            (false, _) => &mut self.foreign,
            (true, warp) if warp == new.threads().warp() => &mut self.near,
            (true, _) => &mut self.far,
        };
        let replaced = both & *kept;
        *kept |= both;
        replaced
    }
}

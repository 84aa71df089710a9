//! Sets of units of the device window that signal handlers may ask: a bit for each unit.

use std::sync::atomic::{AtomicU64, Ordering};

use vgpu_abi::WINDOW_SHIFT;

use crate::arena::Span;

/// The bytes of a unit.
pub const UNIT: u64 = 1 << UNIT_SHIFT;
const UNIT_SHIFT: u32 = 20;

/// Words of a set.
const WORDS: usize = (1 << (WINDOW_SHIFT - UNIT_SHIFT)) / 64;

/// Units of the window.
pub struct UnitSet([AtomicU64; WORDS]);

impl UnitSet {
    /// No unit.
    pub const fn new() -> UnitSet {
        UnitSet([const { AtomicU64::new(0) }; WORDS])
    }

    /// Adds the units of a range, which begins with one.
    pub fn add(&self, span: Span) {
        for (word, bit) in self.places(span) {
            word.fetch_or(bit, Ordering::SeqCst);
        }
    }

    /// Removes them.
    pub fn remove(&self, span: Span) {
        for (word, bit) in self.places(span) {
            word.fetch_and(!bit, Ordering::SeqCst);
        }
    }

    /// Whether it has the unit of an address of the window.
    pub fn has(&self, address: u64) -> bool {
        let (word, bit) = self.place(address);
        word.load(Ordering::SeqCst) & bit != 0
    }

    fn places(&self, span: Span) -> impl Iterator<Item = (&AtomicU64, u64)> {
        let all = (span.start..span.end()).step_by(UNIT as usize);
        all.map(|address| self.place(address))
    }

    fn place(&self, address: u64) -> (&AtomicU64, u64) {
        let unit = (address % (1 << WINDOW_SHIFT) / UNIT) as usize;
        (&self.0[unit / 64], 1 << (unit % 64))
    }
}

//! Memory in units, and a word that says which of them are in use.
//!
//! Any thread takes as many units in a row as it needs, and gives them back with one atomic operation. Nothing is
//! reserved for threads that need none.

use core::ptr::null_mut;

use crate::arch;
use crate::arch::atomic::{self, AtomicU64, Ordering::Relaxed};

/// A piece of memory and the bitmap of its units.
#[derive(Clone, Copy, Debug)]
pub struct Pool {
    /// First byte.
    pub base: *mut u8,
    /// Logarithm of the bytes of a unit.
    pub unit: u32,
    /// Number of units, at most 64.
    pub units: u32,
    /// Bit `i`: unit `i` is in use.
    pub used: *mut u64,
}

impl Pool {
    /// Makes all units free. No other thread uses the pool yet.
    #[inline(always)]
    pub fn clear(&self) {
        // SAFETY: as the caller promises, this thread is alone.
        unsafe { atomic::begin_u64(self.used, 0) };
    }

    /// As many units in a row as `bytes` need; null if there are none.
    #[inline(always)]
    pub fn take(&self, bytes: usize) -> *mut u8 {
        take(self.base, self.unit, self.units, self.used, bytes)
    }

    /// Whether memory is the pool's.
    #[inline(always)]
    pub fn owns(&self, pointer: *mut u8) -> bool {
        (pointer as usize).wrapping_sub(self.base as usize) < (self.units as usize) << self.unit
    }

    /// Gives back what [`Pool::take`] gave for that many bytes.
    #[inline(always)]
    pub fn give_back(&self, pointer: *mut u8, bytes: usize) {
        give_back(self.base, self.unit, self.used, pointer, bytes);
    }
}

fn bitmap<'a>(used: *mut u64) -> &'a AtomicU64 {
    // SAFETY: whoever made the pool says where its bitmap is; threads use it through this function only.
    unsafe { AtomicU64::from_ptr(used) }
}

/// How many units hold that many bytes.
fn count(bytes: usize, unit: u32) -> usize {
    ((bytes.max(1) - 1) >> unit) + 1
}

fn mask(count: u32) -> u64 {
    if count >= u64::BITS {
        u64::MAX
    } else {
        (1 << count) - 1
    }
}

/// [`Pool::take`], out of line: kernels that need one pool need the other, too. (It does not take a `Pool`, which would
/// be passed in memory.)
#[inline(never)]
fn take(base: *mut u8, unit: u32, units: u32, used: *mut u64, bytes: usize) -> *mut u8 {
    let count = count(bytes, unit);
    if count > units as usize {
        return null_mut();
    }
    let count = count as u32;
    let bitmap = bitmap(used);
    let mut used = bitmap.load(Relaxed);
    loop {
        // Bit `i` stays where units `i` to `i + count - 1` are free.
        let mut free = !used & mask(units);
        for _ in 1..count {
            free &= free >> 1;
        }
        if free == 0 {
            return null_mut();
        }
        let first = free.trailing_zeros();
        let taken = used | mask(count) << first;
        match bitmap.compare_exchange(used, taken, Relaxed, Relaxed) {
            Ok(_) => {
                // What the last owner did with the units comes before what this one does.
                arch::fence_block();
                return base.wrapping_add((first as usize) << unit);
            }
            Err(now) => used = now,
        }
    }
}

/// [`Pool::give_back`], out of line for the same reason.
#[inline(never)]
fn give_back(base: *mut u8, unit: u32, used: *mut u64, pointer: *mut u8, bytes: usize) {
    let first = (pointer as usize - base as usize) as u32 >> unit;
    let units = mask(count(bytes, unit) as u32) << first;
    arch::fence_block();
    let before = bitmap(used).fetch_and(!units, Relaxed);
    arch::debug_check(
        before & units == units,
        c"a shared local was freed twice or with another size",
    );
}

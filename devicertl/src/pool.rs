//! Memory handed out by need: a few units, and a word that says which are in use.
//!
//! Any thread takes as many units in a row as it needs and gives them back with one atomic operation; nothing is set
//! aside for threads that need none.

use crate::arch::atomic::{self, AtomicU64, Ordering::Relaxed};

/// A piece of memory and its book.
#[derive(Clone, Copy, Debug)]
pub struct Pool {
    /// First byte.
    pub base: *mut u8,
    /// Bytes of a unit.
    pub unit: usize,
    /// Number of units, at most 64.
    pub units: u32,
    /// Bit `i`: unit `i` is in use.
    pub used: *mut u64,
}

impl Pool {
    fn book(&self) -> &AtomicU64 {
        // SAFETY: whoever made the pool says where its book is; threads use it through this function only.
        unsafe { AtomicU64::from_ptr(self.used) }
    }

    /// Makes all units free. No other thread uses the pool yet.
    #[inline(always)]
    pub fn clear(&self) {
        // SAFETY: as the caller promises, this thread is alone.
        unsafe { atomic::begin_u64(self.used, 0) };
    }

    fn mask(count: u32) -> u64 {
        if count >= u64::BITS {
            u64::MAX
        } else {
            (1 << count) - 1
        }
    }

    /// As many units in a row as `bytes` need; `None` if there are none.
    pub fn take(&self, bytes: usize) -> Option<*mut u8> {
        let count = bytes.max(1).div_ceil(self.unit);
        if count > self.units as usize {
            return None;
        }
        let count = count as u32;
        let mut used = self.book().load(Relaxed);
        loop {
            // Bit `i` stays where units `i` to `i + count - 1` are free.
            let mut free = !used & Self::mask(self.units);
            for _ in 1..count {
                free &= free >> 1;
            }
            let first = free.trailing_zeros();
            if first == u64::BITS {
                return None;
            }
            let taken = used | Self::mask(count) << first;
            match self.book().compare_exchange(used, taken, Relaxed, Relaxed) {
                // SAFETY: the units lie within the pool.
                Ok(_) => return Some(unsafe { self.base.add(first as usize * self.unit) }),
                Err(now) => used = now,
            }
        }
    }

    /// Whether memory is the pool's.
    pub fn owns(&self, pointer: *mut u8) -> bool {
        (pointer as usize).wrapping_sub(self.base as usize) < self.unit * self.units as usize
    }

    /// Gives back what [`Pool::take`] gave for that many bytes.
    pub fn give_back(&self, pointer: *mut u8, bytes: usize) {
        let first = ((pointer as usize - self.base as usize) / self.unit) as u32;
        let units = Self::mask(bytes.max(1).div_ceil(self.unit) as u32) << first;
        let before = self.book().fetch_and(!units, Relaxed);
        crate::arch::debug_check(
            before & units == units,
            c"a shared local was freed twice or with another size",
        );
    }
}

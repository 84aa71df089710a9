//! Shadow memory: bitmaps with a bit for each byte of the device window.
//!
//! They lie at fixed addresses, take memory only where bits are set, and are never unmapped. A bit of memory that
//! nobody manages (stacks) means nothing: see [`super::Checker`].

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use plugin_api::{Error, Result};
use rustix::io::Errno;
use rustix::mm::{self, Advice, MapFlags, ProtFlags};
use vgpu_abi::{ACCESSIBLE_SHADOW, WINDOW_SHIFT, WINDOWS, WRITTEN_SHADOW};

use crate::window::{self, PAGE};

/// Bytes that a word of a bitmap stands for.
const BYTES_PER_WORD: u64 = 64;

/// Bytes of a bitmap.
const SIZE: u64 = (1 << WINDOW_SHIFT) / 8;

/// A bitmap. Several multiprocessors may change it at once.
#[derive(Clone, Copy)]
pub struct Bitmap {
    base: u64,
}

/// Which bytes may be accessed, and which have been written.
#[derive(Clone, Copy)]
pub struct Shadow {
    /// Bytes inside of variables and allocations.
    pub accessible: Bitmap,
    /// Bytes that were written.
    pub written: Bitmap,
}

impl Shadow {
    /// The shadow of the process. It is reserved once.
    pub fn get() -> Result<Shadow> {
        static RESERVED: OnceLock<std::result::Result<(), (String, Errno)>> = OnceLock::new();
        if window::index()? != WINDOWS[0] {
            return Err(unavailable(
                "device memory is not at its usual place",
                Errno::EXIST,
            ));
        }
        let reserved = RESERVED.get_or_init(reserve);
        match reserved {
            Ok(()) => Ok(Shadow {
                accessible: Bitmap {
                    base: ACCESSIBLE_SHADOW,
                },
                written: Bitmap {
                    base: WRITTEN_SHADOW,
                },
            }),
            Err((why, errno)) => Err(unavailable(why, *errno)),
        }
    }
}

fn unavailable(why: &str, errno: Errno) -> Error {
    Error::System {
        what: format!("OMPTARGET_CHECK: the checker cannot reserve its shadow memory ({why})"),
        source: errno.into(),
    }
}

fn reserve() -> std::result::Result<(), (String, Errno)> {
    let wanted = ACCESSIBLE_SHADOW as *mut _;
    let len = 2 * SIZE as usize;
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE | MapFlags::FIXED_NOREPLACE;
    // SAFETY: with MAP_FIXED_NOREPLACE no existing mapping is replaced.
    let mapped =
        unsafe { mm::mmap_anonymous(wanted, len, ProtFlags::READ | ProtFlags::WRITE, flags) };
    match mapped {
        Ok(got) if got == wanted => Ok(()),
        Ok(_) => Err(("something else is mapped there".into(), Errno::EXIST)),
        Err(errno) => Err(("the system refused; is `ulimit -v` set?".into(), errno)),
    }
}

impl Bitmap {
    /// Sets the bits of `len` bytes.
    pub fn set(self, start: u64, len: u64) {
        words(start, len).for_each(|(word, mask)| match mask {
            u64::MAX => self.word(word).store(mask, Ordering::Relaxed),
            _ => _ = self.word(word).fetch_or(mask, Ordering::Relaxed),
        });
    }

    /// Clears the bits of `len` bytes. Large ranges give their memory back.
    pub fn clear(self, start: u64, len: u64) {
        let page = PAGE * 8;
        let (first, end) = (start.next_multiple_of(page), (start + len) / page * page);
        if first >= end {
            return self.clear_bits(start, len);
        }
        self.clear_bits(start, first - start);
        self.clear_bits(end, start + len - end);
        let at = self.word(first).as_ptr().cast();
        // If the system keeps the pages, their bits are cleared one by one.
        // SAFETY: whole pages of this bitmap.
        if unsafe { mm::madvise(at, ((end - first) / 8) as usize, Advice::LinuxDontNeed) }.is_err()
        {
            self.clear_bits(first, end - first);
        }
    }

    fn clear_bits(self, start: u64, len: u64) {
        words(start, len).for_each(|(word, mask)| match mask {
            u64::MAX => self.word(word).store(0, Ordering::Relaxed),
            _ => _ = self.word(word).fetch_and(!mask, Ordering::Relaxed),
        });
    }

    /// Whether the bits of all of `len` bytes are set.
    #[inline(always)]
    pub fn has_all(self, start: u64, len: u64) -> bool {
        if let Some(bits) = self.within_a_word(start, len) {
            return bits.count_ones() == len as u32;
        }
        let last = start + len - 1;
        let clear = |address: u64| !self.word(address).load(Ordering::Relaxed);
        let mut missing = clear(start) & u64::MAX << (start % BYTES_PER_WORD);
        let mut word = (start / BYTES_PER_WORD + 1) * BYTES_PER_WORD;
        while word <= last - last % BYTES_PER_WORD {
            let unused = match word / BYTES_PER_WORD == last / BYTES_PER_WORD {
                true => BYTES_PER_WORD - 1 - last % BYTES_PER_WORD,
                false => 0,
            };
            missing |= clear(word) << unused;
            word += BYTES_PER_WORD;
        }
        missing == 0
    }

    /// Whether the bit of any of `len` bytes is set.
    #[inline]
    pub fn has_any(self, start: u64, len: u64) -> bool {
        if let Some(bits) = self.within_a_word(start, len) {
            return bits != 0;
        }
        words(start, len).any(|(word, mask)| self.word(word).load(Ordering::Relaxed) & mask != 0)
    }

    /// The first of `len` bytes whose bit is not set.
    pub fn first_clear(self, start: u64, len: u64) -> Option<u64> {
        (start..start + len).find(|&byte| !self.has_all(byte, 1))
    }

    /// Copies the bits of `len` bytes at `from` to those at `to`. The ranges may overlap.
    pub fn copy(self, to: u64, from: u64, len: u64) {
        let byte = |offset: u64| match self.has_all(from + offset, 1) {
            true => self.set(to + offset, 1),
            false => self.clear_bits(to + offset, 1),
        };
        if self.has_all(from, len) {
            self.set(to, len);
        } else if to <= from {
            (0..len).for_each(byte);
        } else {
            (0..len).rev().for_each(byte);
        }
    }

    /// The bits of a range, if they lie in one word.
    #[inline]
    fn within_a_word(self, start: u64, len: u64) -> Option<u64> {
        let first = start % BYTES_PER_WORD;
        (len < BYTES_PER_WORD - first).then(|| {
            let word = self.word(start).load(Ordering::Relaxed);
            word >> first & ((1 << len) - 1)
        })
    }

    /// The word for the 64 bytes around an address in the window.
    #[inline]
    fn word(self, address: u64) -> &'static AtomicU64 {
        let offset = address % (1 << WINDOW_SHIFT) / BYTES_PER_WORD;
        // SAFETY: the bitmap is mapped for the whole window, and never unmapped.
        unsafe { &*(self.base as *const AtomicU64).add(offset as usize) }
    }
}

/// The words of a bitmap for `len` bytes: an address in each, and the bits.
#[inline]
fn words(start: u64, len: u64) -> impl Iterator<Item = (u64, u64)> {
    let end = start + len;
    let first = start / BYTES_PER_WORD;
    let last = end.div_ceil(BYTES_PER_WORD);
    (first..last).map(move |word| {
        let begin = word * BYTES_PER_WORD;
        let low = start.max(begin) - begin;
        let high = end.min(begin + BYTES_PER_WORD) - begin;
        let mask = match high - low {
            64 => u64::MAX,
            count => ((1 << count) - 1) << low,
        };
        (begin, mask)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::arena::Span;
    use crate::window::Region;

    /// Addresses of the test's own, so that the bits are nobody else's.
    fn own(bytes: u64) -> Span {
        let region = Box::leak(Box::new(Region::reserve(bytes, PAGE).unwrap()));
        region.span()
    }

    proptest! {
        #[test]
        fn bits_are_those_that_were_set(
            ops in prop::collection::vec((any::<bool>(), 0u64..900, 0u64..200), 1..40)
        ) {
            let start = own(PAGE).start;
            let bitmap = Shadow::get().unwrap().accessible;
            let mut model = vec![false; 1100];
            for (set, offset, len) in ops {
                match set {
                    true => bitmap.set(start + offset, len),
                    false => bitmap.clear(start + offset, len),
                }
                model[offset as usize..(offset + len) as usize].fill(set);
            }
            for (offset, &bit) in model.iter().enumerate() {
                prop_assert_eq!(bitmap.has_all(start + offset as u64, 1), bit);
            }
            let clear = model.iter().position(|&bit| !bit).map(|at| start + at as u64);
            prop_assert_eq!(bitmap.first_clear(start, 1100), clear);
            prop_assert_eq!(bitmap.has_any(start, 1100), model.contains(&true));
        }
    }

    #[test]
    fn large_ranges_are_cleared_at_once() {
        let Span { start, .. } = own(1 << 20);
        let written = Shadow::get().unwrap().written;
        written.set(start, 1 << 20);
        written.clear(start + 5, (1 << 20) - 10);
        assert!(written.has_all(start, 5) && written.has_all(start + (1 << 20) - 5, 5));
        assert!(!written.has_any(start + 5, (1 << 20) - 10));
    }

    #[test]
    fn copies_take_bits_along() {
        let start = own(PAGE).start;
        let written = Shadow::get().unwrap().written;
        written.set(start + 3, 10);
        written.copy(start + 5, start + 3, 12);
        assert!(written.has_all(start + 3, 12) && !written.has_any(start + 15, 20));
    }
}

//! Device memory of a host device: the C allocator's, with a book of what is allocated, so that a
//! double free is an error and not a corrupted heap.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use plugin_api::{DevicePtr, Error, Result};

/// What [`plugin_api::Device::alloc`] promises.
const ALIGNMENT: usize = 256;

/// From this size on an allocation is held against the memory the machine has left: asking takes
/// longer than a small allocation does.
const WORTH_ASKING: u64 = 64 << 20;

/// The allocations of one device.
#[derive(Default)]
pub struct Memory {
    live: Mutex<HashSet<u64>>,
}

impl Memory {
    /// Allocates `size` bytes; none still gives an address of its own.
    pub fn alloc(&self, size: u64, total: u64) -> Result<DevicePtr> {
        let exhausted = || Error::OutOfMemory {
            requested: size,
            available: available_memory(),
            total,
        };
        // The system promises more memory than there is and ends the process that uses it.
        if size >= WORTH_ASKING && size > available_memory() {
            return Err(exhausted());
        }
        let mut address = std::ptr::null_mut();
        // SAFETY: `address` is writable; the alignment is a power of two and a multiple of a pointer's size.
        let code =
            unsafe { libc::posix_memalign(&raw mut address, ALIGNMENT, (size as usize).max(1)) };
        if code != 0 {
            return Err(exhausted());
        }
        self.book().insert(address as u64);
        Ok(DevicePtr(address as u64))
    }

    /// Frees what `alloc` gave.
    pub fn free(&self, pointer: DevicePtr) -> Result<()> {
        if !self.book().remove(&pointer.0) {
            return Err(Error::InvalidFree(pointer));
        }
        // SAFETY: the book says that `posix_memalign` returned it and nobody freed it since.
        unsafe { libc::free(pointer.0 as *mut libc::c_void) };
        Ok(())
    }

    fn book(&self) -> std::sync::MutexGuard<'_, HashSet<u64>> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Physical memory of the machine, bytes.
pub fn total_memory() -> u64 {
    system_pages(libc::_SC_PHYS_PAGES)
}

fn available_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    // Without /proc: what is free, which is less.
    kilobytes.map_or_else(
        || system_pages(libc::_SC_AVPHYS_PAGES),
        |kilobytes| kilobytes * 1024,
    )
}

fn system_pages(name: libc::c_int) -> u64 {
    // SAFETY: sysconf has no preconditions.
    let (pages, size) = unsafe { (libc::sysconf(name), libc::sysconf(libc::_SC_PAGESIZE)) };
    u64::try_from(pages).unwrap_or(0) * u64::try_from(size).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_aligned_distinct_and_freed_once() {
        let memory = Memory::default();
        let (one, two) = (memory.alloc(0, 0).unwrap(), memory.alloc(5000, 0).unwrap());
        assert_ne!(one, two);
        assert_eq!((one.0 | two.0) % ALIGNMENT as u64, 0);
        memory.free(two).unwrap();
        assert!(matches!(memory.free(two), Err(Error::InvalidFree(_))));
        memory.free(one).unwrap();
        assert!(matches!(
            memory.free(DevicePtr(64)),
            Err(Error::InvalidFree(_))
        ));
    }

    #[test]
    fn more_than_the_machine_has_is_refused() {
        let refused = Memory::default().alloc(1 << 60, total_memory());
        assert!(matches!(
            refused,
            Err(Error::OutOfMemory { requested, total, .. }) if requested == 1 << 60 && total > 0
        ));
    }
}

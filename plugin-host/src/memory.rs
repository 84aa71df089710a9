//! Device memory of a host device: the C allocator's, with a record of what is allocated, so that a
//! double free is an error and not a corrupted heap. Small allocations that were freed are kept for the next mapping: constructs
//! map and unmap the same variables again and again.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use parking_lot::{Mutex, MutexGuard};
use plugin_api::{DevicePtr, Error, Result};

/// What [`plugin_api::Device::alloc`] promises.
const ALIGNMENT: usize = 256;

/// From this size on an allocation is held against the memory the machine has left: asking takes
/// longer than a small allocation does.
const WORTH_ASKING: u64 = 64 << 20;

/// Sizes of allocations that are kept go up in steps of this many bytes.
const STEP: u64 = 64;
/// So many sizes; larger allocations are not kept. An index among them fits into an address's zero bits.
const KEPT_SIZES: u8 = 64;
/// What the allocator needs of a step for itself.
const HEADER: u64 = 16;
/// Pieces kept of each size.
const KEPT: usize = 64;

/// The allocations of one device.
#[derive(Default)]
pub struct Memory {
    allocations: Mutex<Allocations>,
}

struct Allocations {
    live: HashSet<Allocation, BuildHasherDefault<AddressHasher>>,
    kept: [Vec<u64>; KEPT_SIZES as usize],
}

impl Default for Allocations {
    fn default() -> Self {
        Allocations {
            live: HashSet::default(),
            kept: [const { Vec::new() }; KEPT_SIZES as usize],
        }
    }
}

/// An allocation: its address, and in the low bits its index among the kept sizes. Equal to any other of its address.
#[derive(Clone, Copy)]
struct Allocation(u64);

impl Allocation {
    fn new(address: u64, size: u8) -> Allocation {
        Allocation(address | u64::from(size))
    }

    fn address(self) -> u64 {
        self.0 & !(ALIGNMENT as u64 - 1)
    }

    fn size(self) -> u8 {
        self.0 as u8
    }
}

impl PartialEq for Allocation {
    fn eq(&self, other: &Allocation) -> bool {
        self.address() == other.address()
    }
}

impl Eq for Allocation {}

impl Hash for Allocation {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.address());
    }
}

/// Spreads addresses, whose low bits are all zero, over a table. They are the allocator's: nobody chooses them to collide.
#[derive(Default)]
struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes
            .iter()
            .for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, address: u64) {
        // Fibonacci hashing: the golden ratio's multiples lie apart. The table uses the high bits and the low ones.
        let spread = (self.0 ^ address).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = spread ^ (spread >> 32);
    }
}

impl Allocations {
    /// An allocation kept of this size.
    fn take(&mut self, size: u8) -> Option<u64> {
        let address = self.kept.get_mut(usize::from(size))?.pop()?;
        self.live.insert(Allocation::new(address, size));
        Some(address)
    }

    /// Keeps an allocation, unless there are enough or it is too large.
    fn keep(&mut self, allocation: Allocation) -> bool {
        if allocation.size() == KEPT_SIZES {
            return false;
        }
        let allocations = &mut self.kept[usize::from(allocation.size())];
        let wanted = allocations.len() < KEPT;
        if wanted {
            allocations.push(allocation.address());
        }
        wanted
    }
}

/// Which of the kept sizes an allocation has; [`KEPT_SIZES`]: none.
fn size_index(size: u64) -> u8 {
    let steps = size.saturating_add(HEADER).max(1).div_ceil(STEP);
    steps.min(u64::from(KEPT_SIZES) + 1) as u8 - 1
}

/// What is allocated for `size` bytes.
fn capacity(index: u8, size: u64) -> usize {
    match index {
        KEPT_SIZES => size as usize,
        index => ((u64::from(index) + 1) * STEP - HEADER) as usize,
    }
}

impl Memory {
    /// Allocates `size` bytes; none still gives an address of its own.
    pub fn alloc(&self, size: u64, total: u64) -> Result<DevicePtr> {
        let exhausted = || Error::OutOfMemory {
            requested: size,
            available: available_memory(),
            total,
        };
        let index = size_index(size);
        if let Some(address) = self.allocations().take(index) {
            return Ok(DevicePtr(address));
        }
        // The system promises more memory than there is and ends the process that uses it.
        if size >= WORTH_ASKING && size > available_memory() {
            return Err(exhausted());
        }
        let (mut address, capacity) = (std::ptr::null_mut(), capacity(index, size));
        // SAFETY: `address` is writable; the alignment is a power of two and a multiple of a pointer's size.
        let code = unsafe { libc::posix_memalign(&raw mut address, ALIGNMENT, capacity) };
        if code != 0 {
            return Err(exhausted());
        }
        let address = address as u64;
        self.allocations()
            .live
            .insert(Allocation::new(address, index));
        Ok(DevicePtr(address))
    }

    /// Frees what `alloc` gave.
    pub fn free(&self, pointer: DevicePtr) -> Result<()> {
        let mut allocations = self.allocations();
        // An address that is not a multiple of the alignment would find the allocation it lies in the first step of.
        let known = Allocation(pointer.0).address() == pointer.0;
        let allocation = known
            .then(|| allocations.live.take(&Allocation(pointer.0)))
            .flatten();
        let allocation = allocation.ok_or(Error::InvalidFree(pointer))?;
        if allocations.keep(allocation) {
            return Ok(());
        }
        drop(allocations);
        // SAFETY: the table says that `posix_memalign` returned it and nobody freed it since.
        unsafe { libc::free(pointer.0 as *mut libc::c_void) };
        Ok(())
    }

    fn allocations(&self) -> MutexGuard<'_, Allocations> {
        self.allocations.lock()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        for address in self.allocations().kept.iter().flatten() {
            // SAFETY: as in `free`.
            unsafe { libc::free(*address as *mut libc::c_void) };
        }
    }
}

/// Physical memory of the machine, bytes.
pub fn total_memory() -> u64 {
    let system = rustix::system::sysinfo();
    system.totalram as u64 * u64::from(system.mem_unit)
}

fn available_memory() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map_or_else(free_memory, |kilobytes| kilobytes * 1024)
}

/// Memory that is free, which is less than what is available. For systems without `/proc`.
fn free_memory() -> u64 {
    let system = rustix::system::sysinfo();
    system.freeram as u64 * u64::from(system.mem_unit)
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
    fn allocations_are_used_again_for_their_size() {
        let memory = Memory::default();
        let allocations: Vec<_> = (0..KEPT + 20)
            .map(|_| memory.alloc(100, 0).unwrap())
            .collect();
        assert!(memory.free(allocations[0].offset(1)).is_err());
        allocations
            .iter()
            .for_each(|allocation| memory.free(*allocation).unwrap());
        assert_eq!(memory.allocations().kept[1].len(), KEPT);
        assert!(memory.free(allocations[0]).is_err());
        let again = memory.alloc(112, 0).unwrap();
        assert!(allocations.contains(&again));
        let other = memory.alloc(113, 0).unwrap();
        // SAFETY: both are allocated, and large enough.
        unsafe {
            (again.0 as *mut u8).write_bytes(1, 112);
            (other.0 as *mut u8).write_bytes(2, 113);
        }
        memory.free(again).unwrap();
        memory.free(other).unwrap();
        assert!(memory.allocations().live.is_empty());
    }

    #[test]
    fn sizes_fit() {
        for (size, index) in [
            (0, 0),
            (48, 0),
            (49, 1),
            (4080, 63),
            (4081, 64),
            (u64::MAX, 64),
        ] {
            assert_eq!(size_index(size), index, "{size}");
            assert!(capacity(index, size) as u64 >= size);
        }
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

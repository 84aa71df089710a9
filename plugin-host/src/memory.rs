//! Device memory of a host device. It comes from the C allocator. A table of live allocations turns a double free
//! into an error instead of a corrupted heap. Small allocations are cached when they are freed, because
//! constructs map and unmap the same variables again and again.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use parking_lot::{Mutex, MutexGuard};
use plugin_api::{DevicePtr, Error, Result};

/// The alignment that [`plugin_api::Device::alloc`] promises.
const ALIGNMENT: usize = 256;

/// From this size on, an allocation is checked against the machine's available memory. The check takes longer
/// than a small allocation.
const WORTH_ASKING: u64 = 64 << 20;

/// From this size on, an allocation asks for large pages, and begins at one. Copies to memory that was never used
/// otherwise spend most of their time on entering the kernel for each small page.
const LARGE: usize = 4 << 20;
const LARGE_PAGE: usize = 2 << 20;

/// Cached sizes are multiples of this many bytes.
const STEP: u64 = 64;
/// Number of cached sizes. Larger allocations are not cached. A size index fits into an address's zero bits.
const KEPT_SIZES: u8 = 64;
/// Bytes of each step that the C allocator needs for its header.
const HEADER: u64 = 16;
/// Cached allocations per size.
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

/// An allocation: its address, with its size index in the low bits. It equals any other allocation at the same
/// address.
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

/// Hashes addresses, whose low bits are all zero. They come from the allocator, so nobody can choose them to
/// collide.
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
        // Fibonacci hashing: multiples of the golden ratio are spread out. The hash table uses the high bits and
        // the low bits.
        let spread = (self.0 ^ address).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = spread ^ (spread >> 32);
    }
}

impl Allocations {
    /// Takes a cached allocation of this size.
    fn take(&mut self, size: u8) -> Option<u64> {
        let address = self.kept.get_mut(usize::from(size))?.pop()?;
        self.live.insert(Allocation::new(address, size));
        Some(address)
    }

    /// Caches an allocation, unless it is too large or the cache is full.
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

/// The index of the cached size for `size` bytes. [`KEPT_SIZES`]: none.
fn size_index(size: u64) -> u8 {
    let steps = size.saturating_add(HEADER).max(1).div_ceil(STEP);
    steps.min(u64::from(KEPT_SIZES) + 1) as u8 - 1
}

/// The bytes to allocate for `size` bytes.
fn capacity(index: u8, size: u64) -> usize {
    match index {
        KEPT_SIZES => size as usize,
        index => ((u64::from(index) + 1) * STEP - HEADER) as usize,
    }
}

impl Memory {
    /// Allocates `size` bytes. Zero bytes also get an address of their own.
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
        // Linux overcommits memory and ends a process that uses too much.
        if size >= WORTH_ASKING && size > available_memory() {
            return Err(exhausted());
        }
        let (mut address, capacity) = (std::ptr::null_mut(), capacity(index, size));
        let alignment = if capacity < LARGE {
            ALIGNMENT
        } else {
            LARGE_PAGE
        };
        // SAFETY: `address` is writable. The alignment is a power of two and a multiple of a pointer's size.
        let code = unsafe { libc::posix_memalign(&raw mut address, alignment, capacity) };
        if code != 0 {
            return Err(exhausted());
        }
        if capacity >= LARGE {
            // A system without large pages, or without free ones, leaves small pages.
            // SAFETY: the range is the new allocation, which begins at a page.
            let _small_pages = unsafe { libc::madvise(address, capacity, libc::MADV_HUGEPAGE) };
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
        // An address inside the first step of an allocation would otherwise match that allocation.
        let known = Allocation(pointer.0).address() == pointer.0;
        let allocation = known
            .then(|| allocations.live.take(&Allocation(pointer.0)))
            .flatten();
        let allocation = allocation.ok_or(Error::InvalidFree(pointer))?;
        if allocations.keep(allocation) {
            return Ok(());
        }
        drop(allocations);
        // SAFETY: according to the table, `posix_memalign` returned the address and it has not been freed since.
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

/// Free memory, which is less than available memory. For systems without `/proc`.
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
    fn large_allocations_begin_at_a_large_page() {
        let memory = Memory::default();
        let large = memory.alloc(LARGE as u64, total_memory()).unwrap();
        assert_eq!(large.0 % LARGE_PAGE as u64, 0);
        // SAFETY: as many bytes are allocated.
        unsafe { (large.0 as *mut u8).write_bytes(1, LARGE) };
        memory.free(large).unwrap();
        assert!(memory.free(large).is_err());
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

//! Allocations. Freed memory of the device is kept for the next one ([`KeptBlocks`]).

use std::collections::BTreeMap;
use std::ffi::c_void;

use parking_lot::Mutex;
use plugin_api::{DevicePtr, Error, MemoryKind, Result};
use vendor_driver::KeptBlocks;

use crate::driver::{ACCESS_NEVER, Failure, HsaAgent, HsaAgentInfo, HsaPool, HsaStatus, Outcome};
use crate::gpu::Gpu;
use crate::locked_memory::known_memory;
use crate::query;

/// The runtime allocates whole pages.
const PAGE: usize = 4096;

/// An allocation that nobody uses.
struct Block {
    address: u64,
    /// The other devices that may use it.
    shared_with: Vec<HsaAgent>,
}

/// The size of the block for an allocation of so many bytes.
fn block_size(bytes: usize) -> usize {
    bytes.checked_next_multiple_of(PAGE).unwrap_or(bytes)
}

/// The memory of one device that is in use.
#[derive(Default)]
pub struct Memory {
    live: Mutex<Live>,
}

#[derive(Default)]
struct Live {
    /// The allocations by address.
    allocations: BTreeMap<u64, Allocation>,
    /// Sizes of the device globals that somebody knows, by address.
    globals: BTreeMap<u64, u64>,
    /// Freed memory of the device.
    kept: KeptBlocks<Block>,
}

struct Allocation {
    size: u64,
    /// Bytes of the block that it has to itself.
    block: u64,
    pool: HsaPool,
    /// The other devices that may use it.
    shared_with: Vec<HsaAgent>,
}

impl Memory {
    /// Allocates.
    pub fn alloc(&self, gpu: &Gpu, size: u64, kind: MemoryKind) -> Result<DevicePtr> {
        gpu.opened()?;
        let pool = match kind {
            MemoryKind::Device => gpu.properties.pools.coarse,
            MemoryKind::Host | MemoryKind::Shared => gpu.runtime.pools.fine,
        };
        // The runtime refuses 0 bytes.
        let bytes = usize::try_from(size.max(1)).unwrap_or(usize::MAX);
        let block = block_size(bytes);
        let taken = match pool == gpu.properties.pools.coarse {
            true => self.live.lock().kept.take(block as u64),
            false => None,
        };
        let taken = match taken {
            Some(kept) => kept,
            None => self.new_block(gpu, pool, block, size)?,
        };
        let allocation = Allocation {
            size: bytes as u64,
            block: block as u64,
            pool,
            shared_with: taken.shared_with,
        };
        let mut live = self.live.lock();
        live.allocations.insert(taken.address, allocation);
        Ok(DevicePtr(taken.address))
    }

    /// A block from the runtime, for `size` bytes. If there is no memory, what is kept goes first.
    fn new_block(&self, gpu: &Gpu, pool: HsaPool, block: usize, size: u64) -> Result<Block> {
        let made = match gpu.allocate(pool, block) {
            Err(failure) if is_no_memory(failure) && self.release_kept(gpu) => {
                gpu.allocate(pool, block)
            }
            made => made,
        };
        let memory = made.map_err(|failure| self.no_memory(gpu, failure, size))?;
        Ok(Block {
            address: memory.expose_provenance() as u64,
            shared_with: Vec::new(),
        })
    }

    /// Frees what is kept. Tells whether there was anything.
    pub fn release_kept(&self, gpu: &Gpu) -> bool {
        let all = self.live.lock().kept.take_all();
        for block in &all {
            if let Err(failure) = free_block(gpu, block.address) {
                log::debug!("{} failed: {:#x}", failure.call, failure.result.0);
            }
        }
        !all.is_empty()
    }

    /// Frees what [`Memory::alloc`] gave.
    pub fn free(&self, gpu: &Gpu, pointer: DevicePtr) -> Result<()> {
        let known = self.live.lock().allocations.remove(&pointer.0);
        let known = known.ok_or(Error::InvalidFree(pointer))?;
        gpu.alive()?;
        let block = Block {
            address: pointer.0,
            shared_with: known.shared_with,
        };
        let freed = match known.pool == gpu.properties.pools.coarse {
            true => {
                let most = gpu.settings.kept_of(gpu.properties.info.total_memory);
                self.live.lock().kept.keep(known.block, block, most)
            }
            false => Some(block),
        };
        freed.map_or(Ok(()), |block| gpu.check(free_block(gpu, block.address)))
    }

    /// Notes a device global, which copies may use as long as its module is loaded.
    pub fn add_global(&self, address: u64, size: u64) {
        self.live.lock().globals.insert(address, size);
    }

    /// Forgets globals of a module that is unloaded.
    pub fn remove_globals(&self, addresses: &[u64]) {
        let mut live = self.live.lock();
        for address in addresses {
            live.globals.remove(address);
        }
    }

    /// Checks that a range lies in the device's memory. The runtime does not: a copy beyond it would fault.
    pub fn check(
        &self,
        gpu: &Gpu,
        what: &'static str,
        address: DevicePtr,
        len: usize,
    ) -> Result<()> {
        let len = len as u64;
        let rest = {
            let live = self.live.lock();
            let allocation = holding(&live.allocations, address.0, |each| each.size);
            let found = allocation.or_else(|| holding(&live.globals, address.0, |size| *size));
            found.map(|(_, rest)| rest)
        };
        let rest = match rest {
            Some(rest) => rest,
            // Memory of HIP code in the process, or of another device.
            None => known_memory(gpu, address.0)?.map_or(0, |known| known.rest),
        };
        match len <= rest {
            true => Ok(()),
            false => Err(Error::InvalidAccess { what, address, len }),
        }
    }

    /// Lets the device `other` use the allocation of `gpu` that the range lies in. `false`: it cannot, or the range is
    /// in no allocation.
    pub fn share(&self, gpu: &Gpu, other: &Gpu, address: DevicePtr, len: usize) -> Result<bool> {
        let mut live = self.live.lock();
        let found = holding(&live.allocations, address.0, |each| each.size);
        let Some((base, _)) = found.filter(|(_, rest)| len as u64 <= *rest) else {
            return Ok(false);
        };
        let Some(allocation) = live.allocations.get_mut(&base) else {
            return Ok(false);
        };
        if allocation.shared_with.contains(&other.agent) {
            return Ok(true);
        }
        let access = gpu.access(other.agent, allocation.pool);
        if access.map_err(|failure| gpu.error(failure))? == ACCESS_NEVER {
            return Ok(false);
        }
        // The call replaces the list of those who may.
        let mut agents = allocation.shared_with.clone();
        agents.extend([gpu.agent, other.agent]);
        let start = std::ptr::with_exposed_provenance::<c_void>(base as usize);
        // SAFETY: an allocation that is not freed before the lock is.
        gpu.check(unsafe {
            let count = agents.len() as u32;
            let driver = gpu.runtime.driver;
            driver.agents_allow_access(count, agents.as_ptr(), std::ptr::null(), start)
        })?;
        allocation.shared_with.push(other.agent);
        Ok(true)
    }

    fn no_memory(&self, gpu: &Gpu, failure: Failure, requested: u64) -> Error {
        if !is_no_memory(failure) {
            return gpu.error(failure);
        }
        let total = gpu.properties.info.total_memory;
        let used: u64 = self
            .live
            .lock()
            .allocations
            .values()
            .map(|each| each.size)
            .sum();
        let driver = gpu.runtime.driver;
        let asked = match driver.is_recent() {
            true => query::agent(driver, gpu.agent, HsaAgentInfo::MEMORY_AVAIL).ok(),
            false => None,
        };
        let available = asked.unwrap_or(total.saturating_sub(used));
        Error::OutOfMemory {
            requested,
            available,
            total,
        }
    }
}

/// Whether an allocation failed because there is not enough memory.
fn is_no_memory(failure: Failure) -> bool {
    let result = failure.result;
    result == HsaStatus::OUT_OF_RESOURCES || result == HsaStatus::INVALID_ALLOCATION
}

fn free_block(gpu: &Gpu, address: u64) -> Outcome {
    let address = std::ptr::with_exposed_provenance_mut::<c_void>(address as usize);
    // SAFETY: a block that nobody knows any more.
    unsafe { gpu.runtime.driver.pool_free(address) }
}

/// The base of the range that `address` lies in, and the bytes from there to its end.
fn holding<T>(
    ranges: &BTreeMap<u64, T>,
    address: u64,
    size: impl Fn(&T) -> u64,
) -> Option<(u64, u64)> {
    let (base, range) = ranges.range(..=address).next_back()?;
    let rest = (base + size(range)).checked_sub(address)?;
    (rest > 0).then_some((*base, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        let ranges = BTreeMap::from([(0x1000, 0x100), (0x2000, 8)]);
        let rest = |address| holding(&ranges, address, |size| *size).map(|(_, rest)| rest);
        assert_eq!((rest(0x1000), rest(0x10ff)), (Some(0x100), Some(1)));
        assert_eq!(
            (rest(0xfff), rest(0x1100), rest(0x2004)),
            (None, None, Some(4))
        );
    }
}

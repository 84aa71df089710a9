//! Allocations.
//!
//! Device memory comes from the driver's pool where the device has one (`cuMemAllocAsync`). The pool reuses a
//! freed block without asking the device. Freeing does not wait for everything that runs, unlike `cuMemFree`. Small
//! blocks do not even go back to the pool: two calls and a wait take as long as the copy of a scalar.

use std::collections::BTreeMap;
use std::ffi::c_void;

use parking_lot::Mutex;
use plugin_api::{DevicePtr, Error, MemoryKind, Result};
use vendor_driver::KeptBlocks;

use crate::driver::{CuHostAllocFlags, CuMemAttachFlags, CuResult, Failure, Outcome};
use crate::gpu::{Entered, Gpu};

/// Blocks up to this size are kept for the next allocation, bytes.
const SMALL: usize = 64 << 10;
/// Their sizes are multiples of this, bytes, as the pool's are.
const GRAIN: usize = 512;
/// Most bytes of small blocks that are kept.
const KEPT: u64 = 1 << 20;

/// How an allocation must be freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Pool,
    /// The pool, a block of [`SMALL`] bytes at most.
    Small,
    /// `cuMemAlloc`, `cuMemAllocManaged`
    Driver,
    Host,
    /// The program's own memory, which the driver has pinned.
    Program,
}

/// The allocations of one device.
#[derive(Default)]
pub struct Memory {
    /// By address: bytes and origin.
    live: Mutex<BTreeMap<u64, (u64, Origin)>>,
    /// The addresses of small blocks that nobody uses.
    small: Mutex<KeptBlocks<u64>>,
}

impl Memory {
    /// Allocates.
    pub fn alloc(&self, gpu: &Gpu, size: u64, kind: MemoryKind) -> Result<DevicePtr> {
        let entered = gpu.enter()?;
        // The driver refuses 0 bytes.
        let bytes = usize::try_from(size.max(1)).unwrap_or(usize::MAX);
        let kind = match kind {
            // Pinned host memory is shared as well, but slower to reach.
            MemoryKind::Shared if !gpu.properties.managed_memory => MemoryKind::Host,
            kind => kind,
        };
        let made = match self.take(gpu, &entered, bytes, kind) {
            Err(failure) if failure.result == CuResult::OUT_OF_MEMORY => {
                self.trim(gpu, &entered);
                self.take(gpu, &entered, bytes, kind)
            }
            made => made,
        };
        let (address, origin) = made.map_err(|failure| no_memory(gpu, failure, size))?;
        let mut live = self.live.lock();
        live.insert(address, (size, origin));
        Ok(DevicePtr(address))
    }

    /// Whether a range lies in an allocation.
    pub fn holds(&self, address: DevicePtr, len: u64) -> bool {
        let live = self.live.lock();
        let before = live.range(..=address.0).next_back();
        before.is_some_and(|(base, (size, _))| {
            let offset = address.0 - base;
            offset <= *size && len <= *size - offset
        })
    }

    /// Pins memory of the program's. `false`: kernels cannot use it under the host's address.
    pub fn register(&self, gpu: &Gpu, address: u64, size: usize) -> Result<bool> {
        let _entered = gpu.enter()?;
        let flags = CuHostAllocFlags::PORTABLE | CuHostAllocFlags::DEVICE_MAP;
        let host = address as *mut c_void;
        // SAFETY: the driver only notes the range, or refuses it.
        gpu.check(unsafe { gpu.driver.mem_host_register(host, size, flags) })?;
        let is_reached = gpu.properties.registered_pointers;
        let size = if is_reached { size as u64 } else { 0 };
        self.live.lock().insert(address, (size, Origin::Program));
        Ok(is_reached)
    }

    /// Ends [`Memory::register`].
    pub fn unregister(&self, gpu: &Gpu, address: u64) -> Result<()> {
        let pointer = DevicePtr(address);
        {
            let mut live = self.live.lock();
            let found = live.get(&address);
            if found.is_none_or(|(_, origin)| *origin != Origin::Program) {
                return Err(Error::InvalidFree(pointer));
            }
            live.remove(&address);
        }
        let _entered = gpu.enter()?;
        // SAFETY: registered, and no kernel uses the memory any more (caller).
        gpu.check(unsafe { gpu.driver.mem_host_unregister(address as *mut c_void) })
    }

    /// Frees what [`Memory::alloc`] gave.
    pub fn free(&self, gpu: &Gpu, pointer: DevicePtr) -> Result<()> {
        let origin = {
            let mut live = self.live.lock();
            let is_ours = |(_, origin): &(u64, Origin)| *origin != Origin::Program;
            let found = live.get(&pointer.0).is_some_and(is_ours);
            found.then(|| live.remove(&pointer.0)).flatten()
        };
        let (size, origin) = origin.ok_or(Error::InvalidFree(pointer))?;
        let entered = gpu.enter()?;
        let driver = gpu.driver;
        // SAFETY: an allocation of this origin in the current context that has not been freed.
        let outcome = unsafe {
            match origin {
                Origin::Small => {
                    let most = gpu.settings.release_threshold.min(KEPT);
                    let block = block_size(size as usize) as u64;
                    let kept = self.small.lock().keep(block, pointer.0, most);
                    kept.map_or(Ok(()), |address| {
                        driver.mem_free_async(address, entered.memory)
                    })
                }
                Origin::Pool => driver.mem_free_async(pointer.0, entered.memory),
                Origin::Driver => driver.mem_free(pointer.0),
                Origin::Host => driver.mem_free_host(pointer.0 as *mut c_void),
                // Left out above.
                Origin::Program => Ok(()),
            }
        };
        gpu.check(outcome)
    }

    /// A block of the memory of that kind.
    fn take(
        &self,
        gpu: &Gpu,
        entered: &Entered<'_>,
        bytes: usize,
        kind: MemoryKind,
    ) -> std::result::Result<(u64, Origin), Failure> {
        if kind != MemoryKind::Device || entered.pool.is_none() {
            return take_unpooled(gpu, bytes, kind);
        }
        let (origin, bytes) = match bytes <= SMALL {
            true => (Origin::Small, block_size(bytes)),
            false => (Origin::Pool, bytes),
        };
        if origin == Origin::Small
            && let Some(address) = self.small.lock().take(bytes as u64)
        {
            return Ok((address, origin));
        }
        let mut address = 0;
        // SAFETY: `address` is writable, the context is current.
        unsafe {
            gpu.driver
                .mem_alloc_async(&mut address, bytes, entered.memory)?;
            // Other streams may use the memory once the allocation is complete.
            gpu.driver.stream_synchronize(entered.memory)?;
        }
        Ok((address, origin))
    }

    /// Returns memory that nobody uses to the device.
    fn trim(&self, gpu: &Gpu, entered: &Entered<'_>) {
        let Some(pool) = entered.pool else { return };
        // The pool gets freed memory when the stream has passed the free.
        // SAFETY: nobody knows the blocks any more; pool and stream are the device's.
        let trimmed: Outcome = unsafe {
            self.small
                .lock()
                .take_all()
                .into_iter()
                .try_for_each(|address| gpu.driver.mem_free_async(address, entered.memory))
                .and_then(|()| gpu.driver.stream_synchronize(entered.memory))
                .and_then(|()| gpu.driver.mem_pool_trim_to(pool, 0))
        };
        if let Err(failure) = trimmed {
            // The next attempt to allocate will fail too, and is reported.
            log::debug!("{} failed: {}", failure.call, failure.result.0);
        }
    }
}

/// The size of the block for an allocation of so many bytes, [`SMALL`] at most.
fn block_size(bytes: usize) -> usize {
    bytes.max(1).next_multiple_of(GRAIN)
}

/// Memory that is not from the pool.
fn take_unpooled(
    gpu: &Gpu,
    bytes: usize,
    kind: MemoryKind,
) -> std::result::Result<(u64, Origin), Failure> {
    let driver = gpu.driver;
    let mut address = 0;
    // SAFETY: `address` and `host` are writable, the context is current.
    unsafe {
        match kind {
            MemoryKind::Device => {
                driver.mem_alloc(&mut address, bytes)?;
                Ok((address, Origin::Driver))
            }
            MemoryKind::Shared => {
                driver.mem_alloc_managed(&mut address, bytes, CuMemAttachFlags::GLOBAL)?;
                Ok((address, Origin::Driver))
            }
            MemoryKind::Host => {
                let mut host: *mut c_void = std::ptr::null_mut();
                let flags = CuHostAllocFlags::PORTABLE | CuHostAllocFlags::DEVICE_MAP;
                driver.mem_host_alloc(&mut host, bytes, flags)?;
                // With unified addressing, which every 64-bit system has, kernels use the same address.
                Ok((host as u64, Origin::Host))
            }
        }
    }
}

fn no_memory(gpu: &Gpu, failure: Failure, requested: u64) -> Error {
    if failure.result != CuResult::OUT_OF_MEMORY {
        return gpu.error(failure);
    }
    let (mut free, mut total) = (0, 0);
    // SAFETY: both variables are writable, the context is current.
    match unsafe { gpu.driver.mem_get_info(&mut free, &mut total) } {
        Ok(()) => Error::OutOfMemory {
            requested,
            available: free as u64,
            total: total as u64,
        },
        Err(failure) => gpu.error(failure),
    }
}

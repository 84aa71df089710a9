//! Pools of memory, and allocation in a stream's order.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use plugin_api::MemoryKind;

use crate::abi::{Access, Location, PoolProperties};
use crate::cuda_device::CudaDevice;
use crate::entry::memory::{allocate_on, graph_memory};
use crate::entry::place;
use crate::error::{Code, Result, answer, report};
use crate::graph::node::{Action, NodeKind};
use crate::pools::Pool;
use crate::runtime::runtime;

/// `cudaMemLocationTypeDevice`.
const ON_DEVICE: i32 = 1;
/// `cudaMemAllocationTypePinned`.
const PINNED: i32 = 1;
/// `cudaMemAccessFlagsProtReadWrite`.
const READ_WRITE: i32 = 3;

fn pool(handle: *mut c_void) -> Result<Arc<Pool>> {
    let pool = runtime().pools.get(handle as usize);
    pool.ok_or(Code::INVALID_VALUE)
}

/// The handles of a device's own pool and of the one that it uses.
fn pools_of(device: &CudaDevice) -> (usize, usize) {
    let mut pools = device.pools.lock();
    if pools.0 == 0 {
        let own = runtime().pools.add(Pool::new(device.number, true));
        *pools = (own, own);
    }
    *pools
}

/// The device's own pool.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaDeviceGetDefaultMemPool(pool: *mut *mut c_void, device: c_int) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(pool) };
    answer(place.and_then(|place| {
        *place = pools_of(runtime().device_numbered(device)?).0 as *mut c_void;
        Ok(())
    }))
}

/// The pool that `cudaMallocAsync` uses.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaDeviceGetMemPool(pool: *mut *mut c_void, device: c_int) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(pool) };
    answer(place.and_then(|place| {
        *place = pools_of(runtime().device_numbered(device)?).1 as *mut c_void;
        Ok(())
    }))
}

/// Chooses the pool that `cudaMallocAsync` uses.
pub extern "C" fn cudaDeviceSetMemPool(device: c_int, pool: *mut c_void) -> i32 {
    let set = || {
        let device = runtime().device_numbered(device)?;
        pools_of(device);
        match self::pool(pool)?.device == device.number {
            true => device.pools.lock().1 = pool as usize,
            false => return Err(Code::INVALID_VALUE),
        }
        Ok(())
    };
    answer(set())
}

/// Makes a pool.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe extern "C" fn cudaMemPoolCreate(
    pool: *mut *mut c_void,
    properties: *const PoolProperties,
) -> i32 {
    let make = || {
        // SAFETY: caller.
        let (place, properties) = unsafe { (place(pool)?, properties.as_ref()) };
        let properties = properties.ok_or(Code::INVALID_VALUE)?;
        if properties.kind != PINNED || properties.location.kind != ON_DEVICE {
            return Err(Code::INVALID_VALUE);
        }
        if properties.handles != 0 {
            return Err(not_shared());
        }
        let device = runtime().device_numbered(properties.location.number)?;
        *place = runtime().pools.add(Pool::new(device.number, false)) as *mut c_void;
        Ok(())
    };
    answer(make())
}

/// Destroys a pool. Memory that came from it stays until it is freed.
pub extern "C" fn cudaMemPoolDestroy(pool: *mut c_void) -> i32 {
    let destroy = || {
        let found = self::pool(pool)?;
        if found.is_default {
            return Err(Code::INVALID_VALUE);
        }
        runtime().pools.remove(pool as usize);
        let device = &runtime().devices()[found.device];
        let mut pools = device.pools.lock();
        if pools.1 == pool as usize {
            pools.1 = pools.0;
        }
        Ok(())
    };
    answer(destroy())
}

/// Gives back what a pool keeps: it keeps nothing.
pub extern "C" fn cudaMemPoolTrimTo(pool: *mut c_void, _keep: usize) -> i32 {
    answer(self::pool(pool).map(drop))
}

/// Sets an attribute of a pool.
///
/// # Safety
/// The address is null or valid for the attribute's type.
pub unsafe extern "C" fn cudaMemPoolSetAttribute(
    pool: *mut c_void,
    attribute: c_int,
    value: *mut c_void,
) -> i32 {
    let set = || {
        let pool = self::pool(pool)?;
        if value.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: the attribute says which type it has (caller).
        let value = unsafe {
            match Pool::is_flag(attribute) {
                true => value.cast::<u32>().read().into(),
                false => value.cast::<u64>().read(),
            }
        };
        pool.set_attribute(attribute, value)
    };
    answer(set())
}

/// An attribute of a pool.
///
/// # Safety
/// The address is null or valid for the attribute's type.
pub unsafe extern "C" fn cudaMemPoolGetAttribute(
    pool: *mut c_void,
    attribute: c_int,
    value: *mut c_void,
) -> i32 {
    let ask = || {
        let found = self::pool(pool)?.attribute(attribute)?;
        if value.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: the attribute says which type it has (caller).
        unsafe {
            match Pool::is_flag(attribute) {
                true => value.cast::<u32>().write(found as u32),
                false => value.cast::<u64>().write(found),
            }
        }
        Ok(())
    };
    answer(ask())
}

/// Which devices reach the pool's memory. Its own does; others do not.
///
/// # Safety
/// The list has so many entries.
pub unsafe extern "C" fn cudaMemPoolSetAccess(
    pool: *mut c_void,
    list: *const Access,
    count: usize,
) -> i32 {
    let set = || {
        let pool = self::pool(pool)?;
        if list.is_null() || count == 0 {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        for access in unsafe { std::slice::from_raw_parts(list, count) } {
            let number = runtime().device_numbered(access.location.number)?.number;
            if number == pool.device && access.flags != READ_WRITE {
                return Err(Code::INVALID_VALUE);
            }
            if number != pool.device && access.flags != 0 {
                return Err(Code::INVALID_DEVICE);
            }
        }
        Ok(())
    };
    answer(set())
}

/// Whether a device reaches the pool's memory.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe extern "C" fn cudaMemPoolGetAccess(
    flags: *mut c_int,
    pool: *mut c_void,
    location: *const Location,
) -> i32 {
    let ask = || {
        // SAFETY: caller.
        let (place, location) = unsafe { (place(flags)?, location.as_ref()) };
        let location = location.ok_or(Code::INVALID_VALUE)?;
        let number = runtime().device_numbered(location.number)?.number;
        let reaches = self::pool(pool)?.device == number;
        *place = if reaches { READ_WRITE } else { 0 };
        Ok(())
    };
    answer(ask())
}

/// Why memory of a pool stays in its process.
fn not_shared() -> Code {
    report(
        "not supported",
        &"memory of a pool cannot be shared with other processes",
    );
    Code::NOT_SUPPORTED
}

/// A handle of a pool for other processes: there are none.
pub extern "C" fn cudaMemPoolExportToShareableHandle(
    _handle: *mut c_void,
    _pool: *mut c_void,
    _kind: c_int,
    _flags: u32,
) -> i32 {
    answer(Err(not_shared()))
}

/// The pool of another process: there are none.
pub extern "C" fn cudaMemPoolImportFromShareableHandle(
    _pool: *mut *mut c_void,
    _handle: *mut c_void,
    _kind: c_int,
    _flags: u32,
) -> i32 {
    answer(Err(not_shared()))
}

/// An address for other processes: there are none.
pub extern "C" fn cudaMemPoolExportPointer(_data: *mut c_void, _memory: *mut c_void) -> i32 {
    answer(Err(not_shared()))
}

/// An address of another process: there are none.
pub extern "C" fn cudaMemPoolImportPointer(
    _memory: *mut *mut c_void,
    _pool: *mut c_void,
    _data: *mut c_void,
) -> i32 {
    answer(Err(not_shared()))
}

/// Allocates device memory in a stream's order: at once, which is earlier.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaMallocAsync(
    memory: *mut *mut c_void,
    bytes: usize,
    stream: *mut c_void,
) -> i32 {
    let allocate = || {
        // SAFETY: caller.
        let place = unsafe { place(memory)? };
        let own = runtime().stream(stream as usize)?;
        let pool = self::pool(pools_of(&own.device).1 as *mut c_void)?;
        *place = from_pool(pool, bytes, stream)?;
        Ok(())
    };
    answer(allocate())
}

/// The same from a pool.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaMallocFromPoolAsync(
    memory: *mut *mut c_void,
    bytes: usize,
    pool: *mut c_void,
    stream: *mut c_void,
) -> i32 {
    let allocate = || {
        // SAFETY: caller.
        let place = unsafe { place(memory)? };
        *place = from_pool(self::pool(pool)?, bytes, stream)?;
        Ok(())
    };
    answer(allocate())
}

/// Allocates from a pool. On a captured stream, the memory belongs to the graph.
fn from_pool(pool: Arc<Pool>, bytes: usize, stream: *mut c_void) -> Result<*mut c_void> {
    let runtime = runtime();
    let own = runtime.stream(stream as usize)?;
    let device = &runtime.devices()[pool.device];
    device.check()?;
    if bytes == 0 {
        return Ok(std::ptr::null_mut());
    }
    if let Some(part) = &mut *own.stream.capture.lock() {
        let (address, memory) = graph_memory(bytes)?;
        part.add(NodeKind::Allocation, Action::Memory(memory))?;
        return Ok(address);
    }
    let address = allocate_on(device, bytes as u64, MemoryKind::Device)?;
    runtime.pooled.add(address as u64, pool, bytes as u64);
    Ok(address)
}

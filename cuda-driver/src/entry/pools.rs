//! Pools of memory, and advice on managed memory.

use std::ffi::{c_int, c_void};

use cudart::abi::Location;
use cudart::abi::{Access, PoolProperties};

use crate::entry::{forward, in_context, per_thread, started};

forward! {
    started;
    /// Makes a pool.
    cuMemPoolCreate = pools::cudaMemPoolCreate(pool: *mut *mut c_void, properties: *const PoolProperties);
    /// Destroys it.
    cuMemPoolDestroy = pools::cudaMemPoolDestroy(pool: *mut c_void);
    /// Gives memory back that the pool keeps: it keeps none.
    cuMemPoolTrimTo = pools::cudaMemPoolTrimTo(pool: *mut c_void, keep: usize);
    /// Changes an attribute.
    cuMemPoolSetAttribute = pools::cudaMemPoolSetAttribute(
        pool: *mut c_void, attribute: c_int, value: *mut c_void
    );
    /// An attribute.
    cuMemPoolGetAttribute = pools::cudaMemPoolGetAttribute(
        pool: *mut c_void, attribute: c_int, value: *mut c_void
    );
    /// Which devices reach its memory.
    cuMemPoolSetAccess = pools::cudaMemPoolSetAccess(pool: *mut c_void, list: *const Access, count: usize);
    /// Whether a device reaches its memory.
    cuMemPoolGetAccess = pools::cudaMemPoolGetAccess(
        flags: *mut c_int, pool: *mut c_void, location: *const Location
    );
}

forward! {
    in_context;
    /// Allocates in a stream's order.
    cuMemAllocAsync = pools::cudaMallocAsync(memory: *mut *mut c_void, bytes: usize, stream: *mut c_void);
    /// The same from a pool.
    cuMemAllocFromPoolAsync = pools::cudaMallocFromPoolAsync(
        memory: *mut *mut c_void, bytes: usize, pool: *mut c_void, stream: *mut c_void
    );
    /// Frees in a stream's order.
    cuMemFreeAsync = memory::cudaFreeAsync(memory: *mut c_void, stream: *mut c_void);
    /// Advice on where managed memory should be.
    cuMemPrefetchAsync = managed::cudaMemPrefetchAsync(
        memory: *const c_void, bytes: usize, device: c_int, stream: *mut c_void
    );
    /// The same.
    cuMemPrefetchAsync_v2 = managed::cudaMemPrefetchAsync_v2(
        memory: *const c_void, bytes: usize, location: Location, flags: u32, stream: *mut c_void
    );
    /// Advice on who uses managed memory.
    cuMemAdvise = managed::cudaMemAdvise(memory: *const c_void, bytes: usize, advice: c_int, device: c_int);
    /// The same.
    cuMemAdvise_v2 = managed::cudaMemAdvise_v2(
        memory: *const c_void, bytes: usize, advice: c_int, location: Location
    );
    /// The advice that holds.
    cuMemRangeGetAttribute = managed::cudaMemRangeGetAttribute(
        data: *mut c_void, size: usize, attribute: c_int, memory: *const c_void, bytes: usize
    );
    /// Several of them.
    cuMemRangeGetAttributes = managed::cudaMemRangeGetAttributes(
        data: *mut *mut c_void, sizes: *const usize, attributes: *const c_int, count: usize,
        memory: *const c_void, bytes: usize
    );
    /// Which stream uses managed memory.
    cuStreamAttachMemAsync = managed::cudaStreamAttachMemAsync(
        stream: *mut c_void, memory: *mut c_void, bytes: usize, flags: u32
    );
}

per_thread! {
    cuMemAllocAsync_ptsz = cuMemAllocAsync(memory: *mut *mut c_void, bytes: usize; stream);
    cuMemAllocFromPoolAsync_ptsz = cuMemAllocFromPoolAsync(
        memory: *mut *mut c_void, bytes: usize, pool: *mut c_void; stream
    );
    cuMemFreeAsync_ptsz = cuMemFreeAsync(memory: *mut c_void; stream);
    cuMemPrefetchAsync_ptsz = cuMemPrefetchAsync(memory: *const c_void, bytes: usize, device: c_int; stream);
    cuMemPrefetchAsync_v2_ptsz = cuMemPrefetchAsync_v2(
        memory: *const c_void, bytes: usize, location: Location, flags: u32; stream
    );
    cuStreamAttachMemAsync_ptsz = cuStreamAttachMemAsync(
        ; stream, memory: *mut c_void, bytes: usize, flags: u32
    );
}

//! Allocation.

use std::ffi::{c_int, c_uint, c_void};

use bitflags::bitflags;

use crate::context::current;
use crate::device::Pool;
use crate::memory::Kind;
use crate::result::Failure;
use crate::stream_calls::stream;
use fake_driver::handle::{self, Handle};
use fake_driver::pointer::{store, store_if_wanted};

bitflags! {
    /// `CU_MEMHOSTALLOC_*`. With unified addressing all pinned memory is mapped for kernels.
    struct HostAllocFlags: c_uint {
        /// `CU_MEMHOSTALLOC_PORTABLE`
        const PORTABLE = 1;
        /// `CU_MEMHOSTALLOC_DEVICEMAP`
        const DEVICE_MAP = 2;
        /// `CU_MEMHOSTALLOC_WRITECOMBINED`
        const WRITE_COMBINED = 4;
    }
}

/// `CU_MEM_ATTACH_GLOBAL`, `CU_MEM_ATTACH_HOST`
const ATTACH: [c_uint; 2] = [1, 2];
/// `CU_MEMPOOL_ATTR_RELEASE_THRESHOLD`
const RELEASE_THRESHOLD: c_int = 4;

fake_driver::functions! {
    /// Free and total memory.
    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) in with_context {
        let (used, all) = current()?.memory().usage();
        store_if_wanted(free, (all - used) as usize);
        store_if_wanted(total, all as usize);
        Ok(())
    }

    /// Device memory.
    fn cuMemAlloc_v2(address: *mut u64, size: usize) in with_context {
        store(address, current()?.memory().allocate(size, Kind::Device)?)
    }

    /// Frees that, managed memory and memory from the pool, after all work of the context.
    fn cuMemFree_v2(address: u64) in with_context {
        let context = current()?;
        context.synchronize()?;
        context.memory().free(address, &[Kind::Device, Kind::Managed, Kind::Pool])
    }

    /// Device memory from the pool. It is allocated at once, and is to be used in stream order.
    fn cuMemAllocAsync(address: *mut u64, size: usize, on: Handle) in with_context {
        stream(on)?;
        store(address, current()?.memory().allocate(size, Kind::Pool)?)
    }

    /// Frees it in stream order.
    fn cuMemFreeAsync(address: u64, on: Handle) in with_context {
        let stream = stream(on)?;
        let context = current()?;
        let starts = context.memory().find(address, 1).is_some_and(|(start, ..)| start == address);
        if !starts {
            return Err(Failure::INVALID_VALUE);
        }
        stream.enqueue(move || context.memory().free(address, &[Kind::Pool, Kind::Device]))
    }

    /// Checks the attribute. It has no effect, as the pool keeps nothing.
    fn cuMemPoolSetAttribute(pool: Handle, attribute: c_int, value: *mut c_void) in initialised {
        handle::get::<Pool>(pool)?;
        match attribute == RELEASE_THRESHOLD && !value.is_null() {
            true => Ok(()),
            false => Err(Failure::INVALID_VALUE),
        }
    }

    /// The pool keeps nothing.
    fn cuMemPoolTrimTo(pool: Handle, _keep: usize) in initialised {
        handle::get::<Pool>(pool)?;
        Ok(())
    }

    /// Pinned memory.
    fn cuMemHostAlloc(address: *mut *mut c_void, size: usize, flags: c_uint) in with_context {
        HostAllocFlags::from_bits(flags).ok_or(Failure::INVALID_VALUE)?;
        store(address, current()?.memory().allocate(size, Kind::Host)? as *mut c_void)
    }

    /// Frees it.
    fn cuMemFreeHost(address: *mut c_void) in with_context {
        let context = current()?;
        context.synchronize()?;
        context.memory().free(address as u64, &[Kind::Host])
    }

    /// Pins memory of the program's.
    fn cuMemHostRegister_v2(address: *mut c_void, size: usize, flags: c_uint) in with_context {
        HostAllocFlags::from_bits(flags).ok_or(Failure::INVALID_VALUE)?;
        current()?.memory().pin(address as u64, size)
    }

    /// Ends that, after all work of the context.
    fn cuMemHostUnregister(address: *mut c_void) in with_context {
        let context = current()?;
        context.synchronize()?;
        context.memory().unpin(address as u64)
    }

    /// The address that kernels use: the same one (unified addressing). "flags provides for future releases. For
    /// now, it must be set to 0."
    fn cuMemHostGetDevicePointer_v2(device: *mut u64, host: *mut c_void, flags: c_uint) in with_context {
        let found = current()?.memory().find(host as u64, 1);
        let pinned = found.is_some_and(|(.., kind)| kind == Kind::Host);
        if flags != 0 || !pinned {
            return Err(Failure::INVALID_VALUE);
        }
        store(device, host as u64)
    }

    /// Managed memory.
    fn cuMemAllocManaged(address: *mut u64, size: usize, flags: c_uint) in with_context {
        if !ATTACH.contains(&flags) {
            return Err(Failure::INVALID_VALUE);
        }
        store(address, current()?.memory().allocate(size, Kind::Managed)?)
    }

    /// The allocation that an address lies in.
    fn cuMemGetAddressRange_v2(base: *mut u64, size: *mut usize, address: u64) in with_context {
        let (start, length, _) = current()?.memory().find(address, 1).ok_or(Failure::NOT_FOUND)?;
        store_if_wanted(base, start);
        store_if_wanted(size, length as usize);
        Ok(())
    }
}

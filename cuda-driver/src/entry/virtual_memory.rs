//! Virtual memory management.

use std::ffi::{c_int, c_void};
use std::os::fd::{BorrowedFd, IntoRawFd};
use std::sync::Arc;

use cudart::cuda_device::CudaDevice;
use cudart::error::{Code, Result};
use cudart::runtime::runtime;
use plugin_api::{Access, GRANULARITY};

use crate::contexts;
use crate::entry::place;
use crate::status::answer;
use crate::virtual_memory::{self, Memory, memories};

/// `CUmemLocation`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Location {
    kind: c_int,
    number: c_int,
}

/// `CU_MEM_LOCATION_TYPE_DEVICE`.
const DEVICE: c_int = 1;
/// `CU_MEM_ALLOCATION_TYPE_PINNED`.
const PINNED: c_int = 1;
/// `CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR`.
const DESCRIPTOR: c_int = 1;

/// `CUmemAllocationProp`.
#[repr(C)]
pub struct Properties {
    kind: c_int,
    handles: c_int,
    location: Location,
    meta_data: *mut c_void,
    compression: u8,
    rdma: u8,
    usage: u16,
    reserved: [u8; 4],
}

const _: () = assert!(size_of::<Properties>() == 32);

/// `CUmemAccessDesc`.
#[repr(C)]
pub struct AccessOf {
    location: Location,
    access: c_int,
}

impl Location {
    fn device(self) -> Result<&'static Arc<CudaDevice>> {
        match self.kind {
            DEVICE => runtime().device_numbered(self.number),
            // Memory of the host has functions of its own.
            _ => Err(Code::NOT_SUPPORTED),
        }
    }
}

impl Properties {
    /// Whose memory it is, and whether other processes may have it.
    fn read(&self) -> Result<(&'static Arc<CudaDevice>, bool)> {
        if self.kind != PINNED || !matches!(self.handles, 0 | DESCRIPTOR) {
            return Err(Code::INVALID_VALUE);
        }
        Ok((self.location.device()?, self.handles == DESCRIPTOR))
    }
}

/// Reserves addresses. Where, the device decides.
///
/// # Safety
/// The address for the result is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAddressReserve(
    found: *mut u64,
    size: usize,
    align: usize,
    _wanted: u64,
    flags: u64,
) -> i32 {
    let reserve = || {
        let device = contexts::current()?;
        // SAFETY: caller.
        let place = unsafe { place(found)? };
        match flags {
            0 => *place = virtual_memory::reserve(&device, size as u64, align as u64)?,
            _ => return Err(Code::INVALID_VALUE),
        }
        Ok(())
    };
    answer(reserve())
}

/// Ends a reservation.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemAddressFree(at: u64, size: usize) -> i32 {
    answer(contexts::started().and_then(|()| virtual_memory::release(at, size as u64)))
}

/// Makes memory.
///
/// # Safety
/// The addresses are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemCreate(
    handle: *mut u64,
    size: usize,
    properties: *const Properties,
    flags: u64,
) -> i32 {
    let make = || {
        contexts::started()?;
        // SAFETY: caller.
        let (place, properties) = unsafe { (place(handle)?, properties.as_ref()) };
        let (device, shareable) = properties.ok_or(Code::INVALID_VALUE)?.read()?;
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        *place = memories().add(Arc::new(Memory::make(size as u64, device, shareable)?));
        Ok(())
    };
    answer(make())
}

/// Gives a handle of memory back. What is mapped stays until it is unmapped.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemRelease(handle: u64) -> i32 {
    answer(contexts::started().and_then(|()| memories().remove(handle)))
}

/// Maps memory at reserved addresses.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemMap(at: u64, size: usize, offset: usize, handle: u64, flags: u64) -> i32 {
    let map = || {
        contexts::started()?;
        let memory = memories().get(handle)?;
        match flags {
            0 => virtual_memory::map(at, size as u64, memory, offset as u64),
            _ => Err(Code::INVALID_VALUE),
        }
    };
    answer(map())
}

/// Takes it away.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemUnmap(at: u64, size: usize) -> i32 {
    answer(contexts::started().and_then(|()| virtual_memory::unmap(at, size as u64)))
}

/// Says what may be done with memory that is mapped. Virtual GPUs reach each other's memory: what one may do, all may.
///
/// # Safety
/// The list is null or has so many entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemSetAccess(
    at: u64,
    size: usize,
    list: *const AccessOf,
    count: usize,
) -> i32 {
    let set = || {
        contexts::started()?;
        if list.is_null() || count == 0 {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        for one in unsafe { std::slice::from_raw_parts(list, count) } {
            one.location.device()?;
            let access = match one.access {
                0 => Access::None,
                1 => Access::Read,
                3 => Access::ReadWrite,
                _ => return Err(Code::INVALID_VALUE),
            };
            virtual_memory::protect(at, size as u64, access)?;
        }
        Ok(())
    };
    answer(set())
}

/// What may be done with memory that is mapped.
///
/// # Safety
/// The addresses are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetAccess(
    flags: *mut u64,
    location: *const Location,
    at: u64,
) -> i32 {
    let ask = || {
        contexts::started()?;
        // SAFETY: caller.
        let (place, location) = unsafe { (place(flags)?, location.as_ref()) };
        location.ok_or(Code::INVALID_VALUE)?.device()?;
        *place = match virtual_memory::at(at)?.1 {
            Access::None => 0,
            Access::Read => 1,
            Access::ReadWrite => 3,
        };
        Ok(())
    };
    answer(ask())
}

/// The units of sizes and addresses.
///
/// # Safety
/// The addresses are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetAllocationGranularity(
    granularity: *mut usize,
    properties: *const Properties,
    option: c_int,
) -> i32 {
    let ask = || {
        contexts::started()?;
        // SAFETY: caller.
        let (place, properties) = unsafe { (place(granularity)?, properties.as_ref()) };
        properties.ok_or(Code::INVALID_VALUE)?.read()?;
        match option {
            0 | 1 => *place = GRANULARITY as usize,
            _ => return Err(Code::INVALID_VALUE),
        }
        Ok(())
    };
    answer(ask())
}

/// What memory was made with.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetAllocationPropertiesFromHandle(
    properties: *mut Properties,
    handle: u64,
) -> i32 {
    let ask = || {
        contexts::started()?;
        // SAFETY: caller.
        let place = unsafe { place(properties)? };
        let memory = memories().get(handle)?;
        *place = Properties {
            kind: PINNED,
            handles: c_int::from(memory.shareable),
            location: Location {
                kind: DEVICE,
                number: memory.device as c_int,
            },
            meta_data: std::ptr::null_mut(),
            compression: 0,
            rdma: 0,
            usage: 0,
            reserved: [0; 4],
        };
        Ok(())
    };
    answer(ask())
}

/// A new handle of the memory that is mapped at an address.
///
/// # Safety
/// The address for the result is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemRetainAllocationHandle(handle: *mut u64, at: *mut c_void) -> i32 {
    let ask = || {
        contexts::started()?;
        // SAFETY: caller.
        let place = unsafe { place(handle)? };
        *place = memories().add(virtual_memory::at(at as u64)?.0);
        Ok(())
    };
    answer(ask())
}

/// A descriptor of memory, which the program sends to another process and closes.
///
/// # Safety
/// The address for the result is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemExportToShareableHandle(
    descriptor: *mut c_void,
    handle: u64,
    kind: c_int,
    flags: u64,
) -> i32 {
    let export = || {
        contexts::started()?;
        // SAFETY: caller.
        let place = unsafe { place(descriptor.cast::<c_int>())? };
        let memory = memories().get(handle)?;
        if kind != DESCRIPTOR || flags != 0 || !memory.shareable {
            return Err(Code::INVALID_VALUE);
        }
        let copy = memory
            .file
            .try_clone()
            .map_err(|_| Code::OPERATING_SYSTEM)?;
        *place = copy.into_raw_fd();
        Ok(())
    };
    answer(export())
}

/// The memory of a descriptor, which stays the program's. It counts for the current context's device.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemImportFromShareableHandle(
    handle: *mut u64,
    descriptor: *mut c_void,
    kind: c_int,
) -> i32 {
    let import = || {
        let device = contexts::current()?;
        // SAFETY: caller.
        let place = unsafe { place(handle)? };
        // The descriptor itself stands in the pointer.
        let number = c_int::try_from(descriptor as usize).map_err(|_| Code::INVALID_VALUE)?;
        if kind != DESCRIPTOR {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: the program has the descriptor open, or the system says that it has not.
        let own = unsafe { BorrowedFd::borrow_raw(number) };
        let copy = own.try_clone_to_owned().map_err(|_| Code::INVALID_VALUE)?;
        *place = memories().add(Arc::new(Memory::received(copy, &device)?));
        Ok(())
    };
    answer(import())
}

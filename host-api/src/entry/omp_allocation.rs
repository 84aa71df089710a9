//! `omp_target_alloc` and related routines (OpenMP 5.2, 18.8.1 and 18.8.2).

use std::ffi::c_void;

use plugin_api::{DevicePtr, MemoryKind};

use crate::check::routine_memory;
use crate::device::omp_device::Target;
use crate::entry::routine::{fail, target_or_fail};
use crate::ompt::{self, Side};
use crate::report::error::Error;

/// Allocation alignment OpenMP promises on the host.
const HOST_ALIGNMENT: usize = 64;

fn alloc(routine: &'static str, size: usize, number: i32, kind: MemoryKind) -> *mut c_void {
    if size == 0 {
        return std::ptr::null_mut();
    }
    match target_or_fail(routine, number) {
        Target::Host => {
            let mut pointer = std::ptr::null_mut();
            // SAFETY: `pointer` is writable; the alignment is a power of two.
            let status = unsafe { libc::posix_memalign(&mut pointer, HOST_ALIGNMENT, size) };
            if status == 0 {
                pointer
            } else {
                std::ptr::null_mut()
            }
        }
        Target::Device(device) => {
            let _origin = findings::set_origin(|| findings::caller(routine));
            let event = ompt::allocation(device.number, Side::host(0), size as u64);
            // With `requires unified_shared_memory` a device pointer is good on the host (OpenMP 5.2, 8.2).
            let kind = match kind {
                MemoryKind::Device if device.unified_shared_memory() => MemoryKind::Shared,
                kind => kind,
            };
            match device.device.alloc(size as u64, kind) {
                Ok(address) => {
                    event.at(address.0);
                    routine_memory::allocated(address.0, size as u64);
                    address.0 as *mut c_void
                }
                // OpenMP 5.2, 18.8.1: null if there is not enough memory.
                Err(plugin_api::Error::OutOfMemory { .. }) => std::ptr::null_mut(),
                Err(source) => fail(
                    routine,
                    number,
                    &Error::Device {
                        what: format!("allocating {size} bytes"),
                        source,
                    },
                ),
            }
        }
    }
}

fn free(routine: &'static str, pointer: *mut c_void, number: i32) {
    if pointer.is_null() {
        return;
    }
    match target_or_fail(routine, number) {
        // SAFETY: the program passes a pointer from `alloc`.
        Target::Host => unsafe { libc::free(pointer) },
        Target::Device(device) => {
            let _origin = findings::set_origin(|| findings::caller(routine));
            let _event = ompt::deletion(device.number, pointer as u64);
            routine_memory::freed(pointer as u64);
            if let Err(source) = device.device.free(DevicePtr(pointer as u64)) {
                fail(
                    routine,
                    number,
                    &Error::Device {
                        what: format!("freeing {pointer:?}"),
                        source,
                    },
                );
            }
        }
    }
}

/// Allocates device memory.
pub extern "C" fn omp_target_alloc(size: usize, device: i32) -> *mut c_void {
    alloc("omp_target_alloc", size, device, MemoryKind::Device)
}

/// Frees memory of `omp_target_alloc`.
pub extern "C" fn omp_target_free(pointer: *mut c_void, device: i32) {
    free("omp_target_free", pointer, device);
}

/// Allocates memory that only the device can access.
pub extern "C" fn llvm_omp_target_alloc_device(size: usize, device: i32) -> *mut c_void {
    alloc(
        "llvm_omp_target_alloc_device",
        size,
        device,
        MemoryKind::Device,
    )
}

/// Allocates host memory that the device can access.
pub extern "C" fn llvm_omp_target_alloc_host(size: usize, device: i32) -> *mut c_void {
    alloc("llvm_omp_target_alloc_host", size, device, MemoryKind::Host)
}

/// Allocates memory that host and device can access.
pub extern "C" fn llvm_omp_target_alloc_shared(size: usize, device: i32) -> *mut c_void {
    alloc(
        "llvm_omp_target_alloc_shared",
        size,
        device,
        MemoryKind::Shared,
    )
}

/// Frees memory of `llvm_omp_target_alloc_device`.
pub extern "C" fn llvm_omp_target_free_device(pointer: *mut c_void, device: i32) {
    free("llvm_omp_target_free_device", pointer, device);
}

/// Frees memory of `llvm_omp_target_alloc_host`.
pub extern "C" fn llvm_omp_target_free_host(pointer: *mut c_void, device: i32) {
    free("llvm_omp_target_free_host", pointer, device);
}

/// Frees memory of `llvm_omp_target_alloc_shared`.
pub extern "C" fn llvm_omp_target_free_shared(pointer: *mut c_void, device: i32) {
    free("llvm_omp_target_free_shared", pointer, device);
}

/// The team's dynamic shared memory: there is none on the host.
pub extern "C" fn llvm_omp_target_dynamic_shared_alloc() -> *mut c_void {
    std::ptr::null_mut()
}

/// Pins host memory for faster copies. No device needs that, so the address is returned as it is.
pub extern "C" fn llvm_omp_target_lock_mem(
    pointer: *mut c_void,
    size: usize,
    device: i32,
) -> *mut c_void {
    match target_or_fail("llvm_omp_target_lock_mem", device) {
        Target::Device(_) if size > 0 => pointer,
        _ => std::ptr::null_mut(),
    }
}

/// Undoes `llvm_omp_target_lock_mem`.
pub extern "C" fn llvm_omp_target_unlock_mem(_pointer: *mut c_void, device: i32) {
    target_or_fail("llvm_omp_target_unlock_mem", device);
}

//! Memory, where HIP's functions have other flags or structures.

use std::ffi::{c_int, c_void};

use cudart::abi::PointerAttributes;
use cudart::entry::host_memory::cudaHostAlloc;
use cudart::entry::memory::{cudaMalloc, cudaPointerGetAttributes};
use cudart::runtime::runtime;

use crate::entry::{INVALID_VALUE, SUCCESS};

/// `hipHostMallocNumaUser`, `…Coherent`, `…NonCoherent`: host memory is always coherent.
const COHERENCE: u32 = 0xe000_0000;

/// Allocates host memory that kernels reach.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn hipHostMalloc(memory: *mut *mut c_void, bytes: usize, flags: u32) -> i32 {
    // SAFETY: caller.
    unsafe { cudaHostAlloc(memory, bytes, flags & !COHERENCE) }
}

/// Allocates device memory; the flags are of caches (`hipDeviceMalloc…`).
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn hipExtMallocWithFlags(
    memory: *mut *mut c_void,
    bytes: usize,
    flags: u32,
) -> i32 {
    match flags {
        // SAFETY: caller.
        0 | 1 | 3 | 4 => unsafe { cudaMalloc(memory, bytes) },
        _ => INVALID_VALUE,
    }
}

/// `hipPointerAttribute_t`.
#[repr(C)]
pub struct HipPointerAttributes {
    /// `hipMemoryType`, whose values for this are CUDA's.
    pub kind: c_int,
    /// The device's number.
    pub device: c_int,
    /// Its address for kernels.
    pub device_pointer: *mut c_void,
    /// Its address for the host.
    pub host_pointer: *mut c_void,
    /// Whether it is managed memory.
    pub is_managed: c_int,
    /// The flags of the allocation, which are not kept.
    pub flags: u32,
}

/// `cudaMemoryTypeManaged`.
const MANAGED: c_int = 3;

/// What is known about an address.
///
/// # Safety
/// The address for the result is null or valid.
pub unsafe extern "C" fn hipPointerGetAttributes(
    attributes: *mut HipPointerAttributes,
    pointer: *const c_void,
) -> i32 {
    let null = std::ptr::null_mut();
    let mut known = PointerAttributes {
        kind: 0,
        device: 0,
        device_pointer: null,
        host_pointer: null,
    };
    // SAFETY: the place is valid.
    let code = unsafe { cudaPointerGetAttributes(&mut known, pointer) };
    // SAFETY: caller.
    let Some(place) = (unsafe { attributes.as_mut() }) else {
        return INVALID_VALUE;
    };
    *place = HipPointerAttributes {
        kind: known.kind,
        device: known.device,
        device_pointer: known.device_pointer,
        host_pointer: known.host_pointer,
        is_managed: (known.kind == MANAGED).into(),
        flags: 0,
    };
    code
}

/// The allocation that an address is in.
///
/// # Safety
/// The addresses for the results are null or valid.
pub unsafe extern "C" fn hipMemGetAddressRange(
    begin: *mut *mut c_void,
    size: *mut usize,
    pointer: *mut c_void,
) -> i32 {
    /// `hipErrorNotFound`.
    const NOT_FOUND: i32 = 500;
    let Some(found) = runtime().find(pointer as u64) else {
        return NOT_FOUND;
    };
    // SAFETY: caller.
    unsafe {
        if let Some(begin) = begin.as_mut() {
            *begin = found.begin as *mut c_void;
        }
        if let Some(size) = size.as_mut() {
            *size = found.size as usize;
        }
    }
    SUCCESS
}

/// How large the allocation is that begins at an address.
///
/// # Safety
/// The address for the result is null or valid.
pub unsafe extern "C" fn hipMemPtrGetInfo(pointer: *mut c_void, size: *mut usize) -> i32 {
    if size.is_null() {
        return INVALID_VALUE;
    }
    // SAFETY: caller.
    match unsafe { hipMemGetAddressRange(std::ptr::null_mut(), size, pointer) } {
        SUCCESS => SUCCESS,
        _ => INVALID_VALUE,
    }
}

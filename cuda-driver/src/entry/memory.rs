//! Memory.

use std::ffi::c_void;

use cudart::entry::memory::{allocate, cudaMallocPitch, free};
use cudart::error::{Code, Result, without_trace};
use cudart::runtime::runtime;
use plugin_api::MemoryKind;

use crate::contexts;
use crate::entry::{forward, in_context, outcome, place};
use crate::status::answer;

/// # Safety
/// The address is null or valid.
unsafe fn give(memory: *mut u64, bytes: usize, kind: MemoryKind) -> Result<()> {
    contexts::current()?;
    // SAFETY: caller.
    let place = unsafe { place(memory)? };
    if bytes == 0 {
        return Err(Code::INVALID_VALUE);
    }
    *place = allocate(bytes, kind)? as u64;
    Ok(())
}

/// Allocates device memory.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAlloc_v2(memory: *mut u64, bytes: usize) -> i32 {
    // SAFETY: caller.
    answer(unsafe { give(memory, bytes, MemoryKind::Device) })
}

/// Allocates memory that host and kernels use.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocManaged(memory: *mut u64, bytes: usize, flags: u32) -> i32 {
    /// `CU_MEM_ATTACH_GLOBAL`, `…_HOST` and `…_SINGLE`.
    const ATTACH: [u32; 3] = [1, 2, 4];
    answer(match ATTACH.contains(&flags) {
        // SAFETY: caller.
        true => unsafe { give(memory, bytes, MemoryKind::Shared) },
        false => Err(Code::INVALID_VALUE),
    })
}

/// Allocates rows of device memory.
///
/// # Safety
/// The addresses are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocPitch_v2(
    memory: *mut u64,
    pitch: *mut usize,
    width: usize,
    height: usize,
    element: u32,
) -> i32 {
    let allocate = || {
        contexts::current()?;
        if width == 0 || height == 0 || ![4, 8, 16].contains(&element) {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        outcome(without_trace(|| unsafe {
            cudaMallocPitch(memory.cast(), pitch, width, height)
        }))
    };
    answer(allocate())
}

/// Frees device memory or managed memory, when nothing uses it any more.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemFree_v2(memory: u64) -> i32 {
    answer(contexts::current().and_then(|context| {
        context.synchronize_all()?;
        free(memory as *mut c_void, false)
    }))
}

/// Frees host memory.
#[unsafe(no_mangle)]
pub extern "C" fn cuMemFreeHost(memory: *mut c_void) -> i32 {
    answer(contexts::current().and_then(|context| {
        context.synchronize_all()?;
        free(memory, true)
    }))
}

/// Allocates host memory that kernels reach.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocHost_v2(memory: *mut *mut c_void, bytes: usize) -> i32 {
    // SAFETY: caller.
    unsafe { cuMemHostAlloc(memory, bytes, 0) }
}

/// The allocation in which an address is.
///
/// # Safety
/// The addresses are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemGetAddressRange_v2(
    begin: *mut u64,
    bytes: *mut usize,
    address: u64,
) -> i32 {
    let ask = || {
        contexts::current()?;
        let found = runtime().find(address).ok_or(Code::SYMBOL_NOT_FOUND)?;
        // SAFETY: caller. A program may ask for one of the two.
        if let Some(begin) = unsafe { begin.as_mut() } {
            *begin = found.begin;
        }
        // SAFETY: caller.
        if let Some(bytes) = unsafe { bytes.as_mut() } {
            *bytes = found.size as usize;
        }
        Ok(())
    };
    answer(ask())
}

forward! {
    in_context;
    /// The memory of the current context's device.
    cuMemGetInfo_v2 = memory::cudaMemGetInfo(available: *mut usize, total: *mut usize);
    /// Allocates host memory that kernels reach.
    cuMemHostAlloc = host_memory::cudaHostAlloc(memory: *mut *mut c_void, bytes: usize, flags: u32);
    /// The address that kernels use for it.
    cuMemHostGetDevicePointer_v2 = host_memory::cudaHostGetDevicePointer(
        device: *mut *mut c_void, host: *mut c_void, flags: u32
    );
    /// Its flags.
    cuMemHostGetFlags = host_memory::cudaHostGetFlags(flags: *mut u32, host: *mut c_void);
    /// The program promises that its memory stays.
    cuMemHostRegister_v2 = host_memory::cudaHostRegister(memory: *mut c_void, bytes: usize, flags: u32);
    /// Ends this promise.
    cuMemHostUnregister = host_memory::cudaHostUnregister(memory: *mut c_void);
}

//! Kernels as functions: what they need, what they may use.

use std::ffi::{c_char, c_int, c_void};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::abi::FunctionAttributes;
use crate::cuda_device::{CudaDevice, LoadedKernel};
use crate::entry::place;
use crate::error::{Code, Result, answer};
use crate::runtime::runtime;

/// `cudaFuncAttributeMaxDynamicSharedMemorySize` and `…PreferredSharedMemoryCarveout`.
const MAX_DYNAMIC_SHARED: c_int = 8;
const CARVEOUT: c_int = 9;
/// Threads that a multiprocessor holds at a time, where the device does not say how many blocks it holds.
const RESIDENT_THREADS: u32 = 2048;
const RESIDENT_BLOCKS: u32 = 32;

/// A kernel on the current device.
fn kernel(stub: *const c_void) -> Result<(Arc<CudaDevice>, Arc<LoadedKernel>)> {
    let runtime = runtime();
    let device = runtime.device()?;
    device.check()?;
    let symbol = runtime.registry.kernel(stub as usize);
    let symbol = symbol.ok_or(Code::INVALID_FUNCTION)?;
    let kernel = device.kernel(&runtime.registry, &symbol)?;
    Ok((device, kernel))
}

/// What is known about a kernel.
///
/// # Safety
/// The address for the result is null or valid.
pub unsafe extern "C" fn cudaFuncGetAttributes(
    attributes: *mut FunctionAttributes,
    stub: *const c_void,
) -> i32 {
    let ask = || {
        // SAFETY: caller.
        let place = unsafe { place(attributes)? };
        let (device, kernel) = kernel(stub)?;
        let info = kernel.raw.info();
        let number = |(major, minor): (i32, i32)| major * 10 + minor;
        let limit = device.raw.info().max_threads_per_block;
        *place = FunctionAttributes {
            shared_bytes: info.static_shared as usize,
            max_threads: info.max_threads.min(limit) as i32,
            ptx_version: number(kernel.compiled_for),
            binary_version: number(device.capability()),
            max_dynamic_shared: kernel.max_dynamic() as i32,
            carveout: -1,
            ..FunctionAttributes::default()
        };
        Ok(())
    };
    answer(ask())
}

/// Allows a kernel more dynamic shared memory. The preferred division of a GPU's memory is only a hint.
pub extern "C" fn cudaFuncSetAttribute(stub: *const c_void, attribute: c_int, value: c_int) -> i32 {
    let set = || {
        let (device, kernel) = kernel(stub)?;
        match attribute {
            MAX_DYNAMIC_SHARED => {
                let bytes = u32::try_from(value).map_err(|_| Code::INVALID_VALUE)?;
                let most = device.raw.info().max_shared_memory;
                if bytes > most.saturating_sub(kernel.raw.info().static_shared) {
                    return Err(Code::INVALID_VALUE);
                }
                kernel.max_dynamic.store(bytes, Ordering::Relaxed);
                Ok(())
            }
            CARVEOUT if (-1..=100).contains(&value) => Ok(()),
            _ => Err(Code::INVALID_VALUE),
        }
    };
    answer(set())
}

/// Advice on how a GPU divides its memory between cache and shared memory.
pub extern "C" fn cudaFuncSetCacheConfig(stub: *const c_void, preference: c_int) -> i32 {
    let advise = || {
        kernel(stub)?;
        match preference {
            0..=3 => Ok(()),
            _ => Err(Code::INVALID_VALUE),
        }
    };
    answer(advise())
}

/// Advice on the banks of shared memory.
pub extern "C" fn cudaFuncSetSharedMemConfig(stub: *const c_void, width: c_int) -> i32 {
    let advise = || {
        kernel(stub)?;
        match width {
            0..=2 => Ok(()),
            _ => Err(Code::INVALID_VALUE),
        }
    };
    answer(advise())
}

/// The kernel as the driver's interface knows it, which is its host function here.
///
/// # Safety
/// The address for the result is null or valid.
pub unsafe extern "C" fn cudaGetFuncBySymbol(
    function: *mut *const c_void,
    stub: *const c_void,
) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(function) };
    answer(place.and_then(|place| {
        kernel(stub)?;
        *place = stub;
        Ok(())
    }))
}

/// The kernel as libraries of kernels know it, which is its host function here.
///
/// # Safety
/// The address for the result is null or valid.
pub unsafe extern "C" fn cudaGetKernel(found: *mut *const c_void, stub: *const c_void) -> i32 {
    // SAFETY: caller.
    unsafe { cudaGetFuncBySymbol(found, stub) }
}

/// Where a parameter is among those of a kernel, and its size.
///
/// # Safety
/// The addresses are null or valid.
pub unsafe extern "C" fn cudaFuncGetParamInfo(
    stub: *const c_void,
    index: usize,
    offset: *mut usize,
    bytes: *mut usize,
) -> i32 {
    let ask = || {
        // SAFETY: caller.
        let place = unsafe { place(offset)? };
        let (_, kernel) = kernel(stub)?;
        let parameter = kernel.raw.info().parameters.get(index);
        let parameter = parameter.ok_or(Code::INVALID_VALUE)?;
        *place = parameter.offset as usize;
        // SAFETY: caller. A program may ask for the offset alone.
        if let Some(bytes) = unsafe { bytes.as_mut() } {
            *bytes = parameter.size as usize;
        }
        Ok(())
    };
    answer(ask())
}

/// The name of a kernel, as C++ mangles it.
///
/// # Safety
/// The address for the result is null or valid.
pub unsafe extern "C" fn cudaFuncGetName(name: *mut *const c_char, stub: *const c_void) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(name) };
    answer(place.and_then(|place| {
        let symbol = runtime().registry.kernel(stub as usize);
        let symbol = symbol.ok_or(Code::INVALID_FUNCTION)?;
        *place = symbol.c_name.as_ptr();
        Ok(())
    }))
}

/// How many blocks of a kernel a multiprocessor holds at a time.
fn resident(kernel: &LoadedKernel, threads: c_int, shared: usize) -> Result<u32> {
    let threads = u32::try_from(threads).map_err(|_| Code::INVALID_VALUE)?;
    if threads == 0 {
        return Err(Code::INVALID_VALUE);
    }
    let dynamic = u32::try_from(shared).map_err(|_| Code::INVALID_VALUE)?;
    // No block of that sort runs.
    if threads > kernel.raw.info().max_threads || dynamic > kernel.max_dynamic() {
        return Ok(0);
    }
    let by_threads = (RESIDENT_THREADS / threads).clamp(1, RESIDENT_BLOCKS);
    let blocks = kernel.raw.resident_blocks(threads, dynamic);
    Ok(blocks.unwrap_or(by_threads))
}

/// How many blocks of a kernel a multiprocessor holds at a time.
///
/// # Safety
/// The address for the result is null or valid.
pub unsafe extern "C" fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(
    blocks: *mut c_int,
    stub: *const c_void,
    threads: c_int,
    shared: usize,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, stub, threads, shared, 0)
    }
}

/// The same. The flag `cudaOccupancyDisableCachingOverride` is of GPUs whose caches limit it.
///
/// # Safety
/// The address for the result is null or valid.
pub unsafe extern "C" fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    blocks: *mut c_int,
    stub: *const c_void,
    threads: c_int,
    shared: usize,
    flags: u32,
) -> i32 {
    let ask = || {
        // SAFETY: caller.
        let place = unsafe { place(blocks)? };
        let (_, kernel) = kernel(stub)?;
        if flags > 1 {
            return Err(Code::INVALID_VALUE);
        }
        *place = resident(&kernel, threads, shared)? as c_int;
        Ok(())
    };
    answer(ask())
}

/// How much dynamic shared memory each block may have, if a multiprocessor is to hold so many.
///
/// # Safety
/// The address for the result is null or valid.
pub unsafe extern "C" fn cudaOccupancyAvailableDynamicSMemPerBlock(
    bytes: *mut usize,
    stub: *const c_void,
    blocks: c_int,
    threads: c_int,
) -> i32 {
    let ask = || {
        // SAFETY: caller.
        let place = unsafe { place(bytes)? };
        let (device, kernel) = kernel(stub)?;
        let blocks = u32::try_from(blocks).map_err(|_| Code::INVALID_VALUE)?;
        if blocks == 0 || resident(&kernel, threads, 0)? < blocks {
            return Err(Code::INVALID_VALUE);
        }
        let share = device.raw.info().max_shared_memory / blocks;
        let free = share.saturating_sub(kernel.raw.info().static_shared);
        *place = free.min(kernel.max_dynamic()) as usize;
        Ok(())
    };
    answer(ask())
}

//! Kernels as functions: what they need, what they may use. A library's kernel and a module's function are one thing.

use std::ffi::{c_char, c_int, c_void};
use std::mem::zeroed;

use cudart::abi::FunctionAttributes;
use cudart::cuda_device::CudaDevice;
use cudart::entry::functions as runtime_functions;
use cudart::error::{Code, Result, without_trace};
use cudart::runtime::runtime;

use crate::entry::{outcome, place};
use crate::status::answer;
use crate::{contexts, modules};

/// The attributes whose values are of the GPU's kind (`CU_FUNC_ATTRIBUTE_CACHE_MODE_CA`, clusters).
const CACHE_MODE: c_int = 7;
const CLUSTERS: std::ops::RangeInclusive<c_int> = 10..=15;

fn attribute(function: *mut c_void, attribute: c_int) -> Result<c_int> {
    modules::kernel(function as usize)?;
    // SAFETY: zeros are numbers.
    let mut known: FunctionAttributes = unsafe { zeroed() };
    // SAFETY: the address is valid.
    let ask = || unsafe { runtime_functions::cudaFuncGetAttributes(&mut known, function) };
    outcome(without_trace(ask))?;
    let bytes = |bytes: usize| c_int::try_from(bytes).unwrap_or(c_int::MAX);
    Ok(match attribute {
        0 => known.max_threads,
        1 => bytes(known.shared_bytes),
        2 => bytes(known.constant_bytes),
        3 => bytes(known.local_bytes),
        4 => known.registers,
        5 => known.ptx_version,
        6 => known.binary_version,
        8 => known.max_dynamic_shared,
        9 => known.carveout,
        CACHE_MODE => 0,
        _ if CLUSTERS.contains(&attribute) => 0,
        _ => return Err(Code::INVALID_VALUE),
    })
}

fn set_attribute(function: *mut c_void, attribute: c_int, value: c_int) -> Result<()> {
    modules::kernel(function as usize)?;
    outcome(without_trace(|| {
        runtime_functions::cudaFuncSetAttribute(function, attribute, value)
    }))
}

/// Does something in the primary context of a device.
fn on<R>(device: c_int, work: impl FnOnce() -> Result<R>) -> Result<R> {
    contexts::started()?;
    let device = runtime().device_numbered(device)?;
    let is_there = |context: &std::sync::Arc<CudaDevice>| context.number == device.number;
    if contexts::current().is_ok_and(|context| is_there(&context)) {
        return work();
    }
    contexts::push(device.clone());
    let result = work();
    contexts::pop()?;
    result
}

/// One attribute of a function.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetAttribute(
    value: *mut c_int,
    which: c_int,
    function: *mut c_void,
) -> i32 {
    let ask = || {
        contexts::current()?;
        // SAFETY: caller.
        *unsafe { place(value)? } = attribute(function, which)?;
        Ok(())
    };
    answer(ask())
}

/// Changes one: how much dynamic shared memory a launch may ask for.
#[unsafe(no_mangle)]
pub extern "C" fn cuFuncSetAttribute(function: *mut c_void, which: c_int, value: c_int) -> i32 {
    answer(contexts::current().and_then(|_| set_attribute(function, which, value)))
}

/// One attribute of a kernel on a device.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuKernelGetAttribute(
    value: *mut c_int,
    which: c_int,
    kernel: *mut c_void,
    device: c_int,
) -> i32 {
    let ask = || {
        // SAFETY: caller.
        *unsafe { place(value)? } = on(device, || attribute(kernel, which))?;
        Ok(())
    };
    answer(ask())
}

/// Changes one.
#[unsafe(no_mangle)]
pub extern "C" fn cuKernelSetAttribute(
    which: c_int,
    value: c_int,
    kernel: *mut c_void,
    device: c_int,
) -> i32 {
    answer(on(device, || set_attribute(kernel, which, value)))
}

/// Advice on how a GPU divides its memory.
#[unsafe(no_mangle)]
pub extern "C" fn cuFuncSetCacheConfig(function: *mut c_void, preference: c_int) -> i32 {
    let advise = || {
        contexts::current()?;
        modules::kernel(function as usize)?;
        outcome(without_trace(|| {
            runtime_functions::cudaFuncSetCacheConfig(function, preference)
        }))
    };
    answer(advise())
}

/// The same for a kernel on a device.
#[unsafe(no_mangle)]
pub extern "C" fn cuKernelSetCacheConfig(
    kernel: *mut c_void,
    preference: c_int,
    device: c_int,
) -> i32 {
    answer(on(device, || {
        outcome(cuFuncSetCacheConfig(kernel, preference))
    }))
}

/// Advice on banks of shared memory.
#[unsafe(no_mangle)]
pub extern "C" fn cuFuncSetSharedMemConfig(function: *mut c_void, width: c_int) -> i32 {
    let advise = || {
        contexts::current()?;
        modules::kernel(function as usize)?;
        outcome(without_trace(|| {
            runtime_functions::cudaFuncSetSharedMemConfig(function, width)
        }))
    };
    answer(advise())
}

/// The name of a function, as C++ mangles it.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetName(text: *mut *const c_char, function: *mut c_void) -> i32 {
    let ask = || {
        contexts::started()?;
        let symbol = modules::kernel(function as usize)?;
        // SAFETY: caller. The registry keeps the text as long as the module.
        *unsafe { place(text)? } = symbol.c_name.as_ptr();
        Ok(())
    };
    answer(ask())
}

/// The same of a library's kernel.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuKernelGetName(text: *mut *const c_char, kernel: *mut c_void) -> i32 {
    // SAFETY: caller.
    unsafe { cuFuncGetName(text, kernel) }
}

/// Where a parameter is among those of a function, and its size.
///
/// # Safety
/// The addresses are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetParamInfo(
    function: *mut c_void,
    index: usize,
    offset: *mut usize,
    bytes: *mut usize,
) -> i32 {
    let ask = || {
        contexts::current()?;
        modules::kernel(function as usize)?;
        // SAFETY: caller.
        outcome(without_trace(|| unsafe {
            runtime_functions::cudaFuncGetParamInfo(function, index, offset, bytes)
        }))
    };
    answer(ask())
}

/// The same of a library's kernel.
///
/// # Safety
/// The addresses are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuKernelGetParamInfo(
    kernel: *mut c_void,
    index: usize,
    offset: *mut usize,
    bytes: *mut usize,
) -> i32 {
    // SAFETY: caller.
    let ask = || outcome(unsafe { cuFuncGetParamInfo(kernel, index, offset, bytes) });
    // The first device's has as many parameters as any.
    answer(on(0, ask))
}

/// The module of a function.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetModule(module: *mut *mut c_void, function: *mut c_void) -> i32 {
    let find = || {
        contexts::started()?;
        let binary = modules::kernel(function as usize)?.binary;
        let found = modules::modules().find(|module| module.binary == binary);
        // SAFETY: caller.
        *unsafe { place(module)? } = found.ok_or(Code::INVALID_HANDLE)? as *mut c_void;
        Ok(())
    };
    answer(find())
}

/// Whether a function is loaded: it is.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncIsLoaded(state: *mut c_int, function: *mut c_void) -> i32 {
    let ask = || {
        modules::kernel(function as usize)?;
        // SAFETY: caller.
        *unsafe { place(state)? } = 1;
        Ok(())
    };
    answer(ask())
}

/// Loads a function, which is loaded.
#[unsafe(no_mangle)]
pub extern "C" fn cuFuncLoad(function: *mut c_void) -> i32 {
    answer(modules::kernel(function as usize).map(drop))
}

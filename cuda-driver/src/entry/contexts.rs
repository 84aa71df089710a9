//! Contexts.

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use cudart::cuda_device::CudaDevice;
use cudart::error::{Code, Result};
use cudart::events::Event;
use cudart::own_stream::OwnStream;
use cudart::runtime::runtime;
use cudart::streams::Role;

use crate::contexts;
use crate::entry::{forward, in_context, place};
use crate::status::answer;

/// `CU_CTX_FLAGS_MASK`.
const FLAGS: u32 = 0xff;

/// Refuses unknown flags, and two ways of waiting at once.
pub fn check_flags(flags: u32) -> Result<()> {
    let ways = flags & 7;
    match flags & !FLAGS == 0 && ways.count_ones() <= 1 {
        true => Ok(()),
        false => Err(Code::INVALID_VALUE),
    }
}

/// A new context, which becomes current.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxCreate_v2(
    context: *mut *mut c_void,
    flags: u32,
    device: c_int,
) -> i32 {
    let create = || {
        contexts::started()?;
        // SAFETY: caller.
        let place = unsafe { place(context)? };
        check_flags(flags)?;
        *place = contexts::create(device, flags)? as *mut c_void;
        Ok(())
    };
    answer(create())
}

/// The same on a part of the multiprocessors, which no device has.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxCreate_v3(
    context: *mut *mut c_void,
    _affinities: *mut c_void,
    count: c_int,
    flags: u32,
    device: c_int,
) -> i32 {
    match count {
        // SAFETY: caller.
        0 => unsafe { cuCtxCreate_v2(context, flags, device) },
        _ => answer(Err(Code::UNSUPPORTED_EXEC_AFFINITY)),
    }
}

/// `CUctxCreateParams`.
#[repr(C)]
pub struct CreateParameters {
    affinities: *mut c_void,
    count: c_int,
    graphics: *mut c_void,
}

/// The same with a structure.
///
/// # Safety
/// The addresses are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxCreate_v4(
    context: *mut *mut c_void,
    parameters: *const CreateParameters,
    flags: u32,
    device: c_int,
) -> i32 {
    // SAFETY: caller.
    match unsafe { parameters.as_ref() } {
        Some(parameters) if !parameters.graphics.is_null() => answer(Err(Code::NOT_SUPPORTED)),
        // SAFETY: caller.
        Some(parameters) => unsafe {
            cuCtxCreate_v3(
                context,
                parameters.affinities,
                parameters.count,
                flags,
                device,
            )
        },
        // SAFETY: caller.
        None => unsafe { cuCtxCreate_v2(context, flags, device) },
    }
}

/// Destroys a context, with all that belongs to it.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxDestroy_v2(context: *mut c_void) -> i32 {
    answer(contexts::started().and_then(|()| contexts::destroy(context as usize)))
}

/// Counts a user more of the current context.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxAttach(context: *mut *mut c_void, flags: u32) -> i32 {
    let attach = || {
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        let handle = contexts::handle(&contexts::current()?);
        contexts::change(handle, |context| context.users += 1)?;
        // SAFETY: caller.
        *unsafe { place(context)? } = handle as *mut c_void;
        Ok(())
    };
    answer(attach())
}

/// Counts one less. The last one destroys the context.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxDetach(context: *mut c_void) -> i32 {
    let detach = || {
        let handle = contexts::handle(&contexts::current()?);
        if handle != context as usize {
            return Err(Code::DEVICE_UNINITIALIZED);
        }
        let left = contexts::change(handle, |context| {
            context.users = context.users.saturating_sub(1);
            context.users
        })?;
        match left {
            0 if !contexts::context(handle)?.is_primary => contexts::destroy(handle),
            _ => Ok(()),
        }
    };
    answer(detach())
}

/// Has an event happen when all work that a context has now is done.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxRecordEvent(context: *mut c_void, event: *mut c_void) -> i32 {
    answer(contexts::context(context as usize).and_then(|found| record_all(&found.device, event)))
}

/// Has all later work of a context wait for an event.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxWaitEvent(context: *mut c_void, event: *mut c_void) -> i32 {
    answer(contexts::context(context as usize).and_then(|found| wait_all(&found.device, event)))
}

/// Every stream of a context, its default one among them.
fn own_streams(device: &Arc<CudaDevice>) -> Result<Vec<OwnStream>> {
    device.default_stream()?;
    let own = |stream| OwnStream {
        device: device.clone(),
        stream,
    };
    let streams: Vec<_> = device.streams().into_iter().map(own).collect();
    match streams.iter().any(|own| own.stream.is_captured()) {
        true => Err(Code::CAPTURE_UNSUPPORTED),
        false => Ok(streams),
    }
}

/// Records an event behind all streams of a context: on a stream that waits for them.
pub fn record_all(device: &Arc<CudaDevice>, event: *mut c_void) -> Result<()> {
    let event = runtime().event(event as usize)?;
    let streams = own_streams(device)?;
    let behind = OwnStream {
        device: device.clone(),
        stream: device.stream(Role::Independent)?,
    };
    for own in streams {
        let passed = Event::new(false);
        own.record(&passed)?;
        behind.wait_for(&passed)?;
    }
    behind.record(&event)?;
    device.destroy(behind.stream);
    Ok(())
}

/// Has all streams of a context wait for an event.
pub fn wait_all(device: &Arc<CudaDevice>, event: *mut c_void) -> Result<()> {
    let event = runtime().event(event as usize)?;
    let streams = own_streams(device)?;
    streams.iter().try_for_each(|own| own.wait_for(&event))
}

/// Makes a context current above the one that is.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxPushCurrent_v2(context: *mut c_void) -> i32 {
    let push = || {
        contexts::started()?;
        contexts::push(contexts::context(context as usize)?.device);
        Ok(())
    };
    answer(push())
}

/// Makes the context below the current one current, and gives the latter.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxPopCurrent_v2(context: *mut *mut c_void) -> i32 {
    let pop = || {
        contexts::started()?;
        let popped = contexts::pop()?;
        // SAFETY: caller. A program may not care.
        if let Some(place) = unsafe { context.as_mut() } {
            *place = contexts::handle(&popped) as *mut c_void;
        }
        Ok(())
    };
    answer(pop())
}

/// Replaces the current context.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSetCurrent(context: *mut c_void) -> i32 {
    answer(contexts::started().and_then(|()| contexts::set(context as usize)))
}

/// The current context, or null.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetCurrent(context: *mut *mut c_void) -> i32 {
    let ask = || {
        contexts::started()?;
        // SAFETY: caller.
        let place = unsafe { place(context)? };
        let current = runtime().context();
        let handle = current.map_or(0, |current| contexts::handle(&current));
        *place = handle as *mut c_void;
        Ok(())
    };
    answer(ask())
}

/// The device of the current context.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetDevice(device: *mut c_int) -> i32 {
    let ask = || {
        let number = contexts::current()?.number;
        // SAFETY: caller.
        *unsafe { place(device)? } = number as c_int;
        Ok(())
    };
    answer(ask())
}

/// The handle of a context; null means the current one.
fn named(context: *mut c_void) -> Result<usize> {
    match context.is_null() {
        true => Ok(contexts::handle(&contexts::current()?)),
        false => {
            contexts::started()?;
            contexts::context(context as usize)?;
            Ok(context as usize)
        }
    }
}

/// The flags of the current context.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetFlags(flags: *mut u32) -> i32 {
    let ask = || {
        let handle = named(std::ptr::null_mut())?;
        // SAFETY: caller.
        *unsafe { place(flags)? } = contexts::context(handle)?.flags;
        Ok(())
    };
    answer(ask())
}

/// Changes them.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSetFlags(flags: u32) -> i32 {
    let set = || {
        let handle = named(std::ptr::null_mut())?;
        check_flags(flags)?;
        contexts::change(handle, |context| context.flags = flags)
    };
    answer(set())
}

/// A number that no other context has.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetId(context: *mut c_void, id: *mut u64) -> i32 {
    let ask = || {
        let context = contexts::context(named(context)?)?;
        // SAFETY: caller.
        *unsafe { place(id)? } = context.device.id;
        Ok(())
    };
    answer(ask())
}

/// The version of the interface that made a context.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetApiVersion(context: *mut c_void, version: *mut u32) -> i32 {
    /// That of `cuCtxCreate_v2`.
    const VERSION: u32 = 3020;
    let ask = || {
        named(context)?;
        // SAFETY: caller.
        *unsafe { place(version)? } = VERSION;
        Ok(())
    };
    answer(ask())
}

/// Waits for everything in a context.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSynchronize() -> i32 {
    answer(contexts::current().and_then(|context| context.synchronize_all()))
}

forward! {
    in_context;
    /// Remembers a limit.
    cuCtxSetLimit = settings::cudaDeviceSetLimit(limit: c_int, value: usize);
    /// A limit.
    cuCtxGetLimit = settings::cudaDeviceGetLimit(value: *mut usize, limit: c_int);
    /// Advice on how a GPU divides its memory.
    cuCtxSetCacheConfig = settings::cudaDeviceSetCacheConfig(preference: c_int);
    /// This advice.
    cuCtxGetCacheConfig = settings::cudaDeviceGetCacheConfig(preference: *mut c_int);
    /// Advice on banks of shared memory.
    cuCtxSetSharedMemConfig = settings::cudaDeviceSetSharedMemConfig(width: c_int);
    /// This advice.
    cuCtxGetSharedMemConfig = settings::cudaDeviceGetSharedMemConfig(width: *mut c_int);
    /// Lets go of lines that a cache was to keep.
    cuCtxResetPersistingL2Cache = settings::cudaCtxResetPersistingL2Cache();
    /// The priorities of streams.
    cuCtxGetStreamPriorityRange = devices::cudaDeviceGetStreamPriorityRange(
        least: *mut c_int, greatest: *mut c_int
    );
}

//! Streams.

use std::ffi::{c_int, c_void};

use crate::abi::AttributeValue;
use crate::entry::place;
use crate::error::{Code, answer};
use crate::own_stream::OwnStream;
use crate::runtime::runtime;
use crate::streams::Role;

/// `cudaStreamNonBlocking`.
const NON_BLOCKING: u32 = 1;

/// Makes a stream of the current device.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaStreamCreate(stream: *mut *mut c_void) -> i32 {
    // SAFETY: caller.
    unsafe { cudaStreamCreateWithFlags(stream, 0) }
}

/// The same with flags.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaStreamCreateWithFlags(stream: *mut *mut c_void, flags: u32) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(stream) };
    answer(place.and_then(|place| {
        let role = match flags {
            0 => Role::Ordered,
            NON_BLOCKING => Role::Independent,
            _ => return Err(Code::INVALID_VALUE),
        };
        let runtime = runtime();
        let device = runtime.device()?.clone();
        let stream = device.stream(role)?;
        *place = runtime.streams.add(OwnStream { device, stream }) as *mut c_void;
        Ok(())
    }))
}

/// The same with a priority. Devices have one: `cudaDeviceGetStreamPriorityRange` says so, and others count as it.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaStreamCreateWithPriority(
    stream: *mut *mut c_void,
    flags: u32,
    _priority: c_int,
) -> i32 {
    // SAFETY: caller.
    unsafe { cudaStreamCreateWithFlags(stream, flags) }
}

/// The flags of a stream.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaStreamGetFlags(stream: *mut c_void, flags: *mut u32) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(flags) };
    answer(place.and_then(|place| {
        *place = match runtime().stream(stream as usize)?.stream.role {
            Role::Default | Role::Ordered => 0,
            Role::Independent => NON_BLOCKING,
        };
        Ok(())
    }))
}

/// The priority of a stream: all have the same.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaStreamGetPriority(stream: *mut c_void, priority: *mut c_int) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(priority) };
    answer(place.and_then(|place| {
        runtime().stream(stream as usize)?;
        *place = 0;
        Ok(())
    }))
}

/// A number that no other stream of the process has.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaStreamGetId(stream: *mut c_void, id: *mut u64) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(id) };
    answer(place.and_then(|place| {
        // The default streams of devices and threads have one handle, but are different streams.
        let own = runtime().stream(stream as usize)?;
        *place = std::sync::Arc::as_ptr(&own.stream) as u64;
        Ok(())
    }))
}

/// The device of a stream.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaStreamGetDevice(stream: *mut c_void, device: *mut c_int) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(device) };
    answer(place.and_then(|place| {
        *place = runtime().stream(stream as usize)?.device.number as c_int;
        Ok(())
    }))
}

/// Advice for the work of a stream: on caches, waiting and the like (`cudaLaunchAttributeID`).
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaStreamSetAttribute(
    stream: *mut c_void,
    attribute: c_int,
    value: *const AttributeValue,
) -> i32 {
    let set = || {
        runtime().stream(stream as usize)?;
        match ADVICE.contains(&attribute) && !value.is_null() {
            true => Ok(()),
            false => Err(Code::INVALID_VALUE),
        }
    };
    answer(set())
}

/// `cudaLaunchAttributeAccessPolicyWindow`, `…SynchronizationPolicy`, `…Priority`, `…MemSyncDomainMap`,
/// `…MemSyncDomain`.
const ADVICE: [c_int; 5] = [1, 3, 8, 9, 10];

/// The advice that holds: none does.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaStreamGetAttribute(
    stream: *mut c_void,
    attribute: c_int,
    value: *mut AttributeValue,
) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(value) };
    answer(place.and_then(|place| {
        runtime().stream(stream as usize)?;
        match ADVICE.contains(&attribute) {
            true => *place = [0; size_of::<AttributeValue>()],
            false => return Err(Code::INVALID_VALUE),
        }
        Ok(())
    }))
}

/// Gives a stream the advice of another one.
pub extern "C" fn cudaStreamCopyAttributes(to: *mut c_void, from: *mut c_void) -> i32 {
    let own = runtime().stream(to as usize);
    answer(own.and_then(|_| runtime().stream(from as usize)).map(drop))
}

/// Destroys a stream. Its work goes on.
pub extern "C" fn cudaStreamDestroy(stream: *mut c_void) -> i32 {
    let own = runtime().streams.remove(stream as usize);
    let destroyed = own.map(|own| own.device.destroy(own.stream));
    answer(destroyed.ok_or(Code::INVALID_HANDLE))
}

/// Waits for a stream.
pub extern "C" fn cudaStreamSynchronize(stream: *mut c_void) -> i32 {
    let own = runtime().stream(stream as usize);
    answer(own.and_then(|own| own.device.synchronize(&own.stream)))
}

/// Whether a stream has nothing left to do.
pub extern "C" fn cudaStreamQuery(stream: *mut c_void) -> i32 {
    let own = runtime().stream(stream as usize);
    answer(own.and_then(|own| own.device.query(&own.stream)))
}

/// Has a stream wait for an event.
pub extern "C" fn cudaStreamWaitEvent(stream: *mut c_void, event: *mut c_void, _flags: u32) -> i32 {
    let wait = || {
        let own = runtime().stream(stream as usize)?;
        own.wait_for(&*runtime().event(event as usize)?)
    };
    answer(wait())
}

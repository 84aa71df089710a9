//! Streams.

use std::ffi::{c_int, c_void};

use crate::entry::place;
use crate::error::{Code, answer};
use crate::runtime::{OwnStream, runtime};
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
        // An event that was never recorded delays nothing.
        let Some(point) = runtime().event(event as usize)?.point() else {
            return Ok(());
        };
        match &point.raw {
            Some(raw) if point.device == own.device.number => {
                own.device.enqueue(&own.stream, |stream| stream.wait(raw))
            }
            // Devices do not know each other's events: the host waits.
            _ => point.synchronize().map_err(own.device.failed()),
        }
    };
    answer(wait())
}

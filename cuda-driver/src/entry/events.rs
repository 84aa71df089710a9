//! Events.

use std::ffi::c_void;

use cudart::entry::events;

use crate::entry::{forward, in_context, on_stream, per_thread, started};

forward! {
    in_context;
    /// Makes an event.
    cuEventCreate = events::cudaEventCreateWithFlags(event: *mut *mut c_void, flags: u32);
}

/// Puts an event behind what a stream has.
///
/// # Safety
/// Nothing is asked of the caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventRecord(event: *mut c_void, stream: *mut c_void) -> i32 {
    on_stream(stream, || events::cudaEventRecord(event, stream))
}

/// The same with flags.
///
/// # Safety
/// Nothing is asked of the caller.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventRecordWithFlags(
    event: *mut c_void,
    stream: *mut c_void,
    flags: u32,
) -> i32 {
    on_stream(stream, || {
        events::cudaEventRecordWithFlags(event, stream, flags)
    })
}

forward! {
    started;
    /// Waits for an event.
    cuEventSynchronize = events::cudaEventSynchronize(event: *mut c_void);
    /// Whether it has happened.
    cuEventQuery = events::cudaEventQuery(event: *mut c_void);
    /// The time between two.
    cuEventElapsedTime = events::cudaEventElapsedTime(
        milliseconds: *mut f32, start: *mut c_void, end: *mut c_void
    );
    /// The same.
    cuEventElapsedTime_v2 = events::cudaEventElapsedTime(
        milliseconds: *mut f32, start: *mut c_void, end: *mut c_void
    );
    /// Destroys an event.
    cuEventDestroy_v2 = events::cudaEventDestroy(event: *mut c_void);
}

per_thread! {
    cuEventRecord_ptsz = cuEventRecord(event: *mut c_void; stream);
    cuEventRecordWithFlags_ptsz = cuEventRecordWithFlags(event: *mut c_void; stream, flags: u32);
}

//! Events.

use std::ffi::c_void;

use crate::entry::{forward, in_context, per_thread, started};

forward! {
    in_context;
    /// Makes an event.
    cuEventCreate = events::cudaEventCreateWithFlags(event: *mut *mut c_void, flags: u32);
    /// Puts an event behind what a stream has.
    cuEventRecord = events::cudaEventRecord(event: *mut c_void, stream: *mut c_void);
    /// The same with flags.
    cuEventRecordWithFlags = events::cudaEventRecordWithFlags(
        event: *mut c_void, stream: *mut c_void, flags: u32
    );
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

//! Events.

use std::ffi::c_void;
use std::sync::Arc;

use crate::entry::place;
use crate::error::{Code, Result, answer};
use crate::events::{Event, Point};
use crate::graph::node::{Action, NodeKind};
use crate::processes::event::SharedEvent;
use crate::runtime::runtime;

/// `cudaEventBlockingSync` and `cudaEventDisableTiming`.
const FLAGS: u32 = 3;
const DISABLE_TIMING: u32 = 2;
/// `cudaEventInterprocess`.
const INTERPROCESS: u32 = 4;

/// Makes an event.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaEventCreate(event: *mut *mut c_void) -> i32 {
    // SAFETY: caller.
    unsafe { cudaEventCreateWithFlags(event, 0) }
}

/// The same with flags.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaEventCreateWithFlags(event: *mut *mut c_void, flags: u32) -> i32 {
    // SAFETY: caller.
    let place = unsafe { place(event) };
    answer(place.and_then(|place| {
        let (has_time, is_shared) = (flags & DISABLE_TIMING == 0, flags & INTERPROCESS != 0);
        if flags & !(FLAGS | INTERPROCESS) != 0 || has_time && is_shared {
            return Err(Code::INVALID_VALUE);
        }
        let runtime = runtime();
        let device = runtime.device()?;
        device.check()?;
        let event = match is_shared {
            false => Event::new(has_time),
            true if device.raw.address_space().is_some() => Event::shared(SharedEvent::new()?),
            true => return Err(Code::NOT_SUPPORTED),
        };
        *place = runtime.events.add(event) as *mut c_void;
        Ok(())
    }))
}

/// Puts an event behind what a stream has.
pub extern "C" fn cudaEventRecord(event: *mut c_void, stream: *mut c_void) -> i32 {
    cudaEventRecordWithFlags(event, stream, 0)
}

/// The same. On a captured stream, `cudaEventRecordExternal` makes it a node of the graph.
pub extern "C" fn cudaEventRecordWithFlags(
    event: *mut c_void,
    stream: *mut c_void,
    flags: u32,
) -> i32 {
    /// `cudaEventRecordExternal`.
    const EXTERNAL: u32 = 1;
    let record = || -> Result<()> {
        let runtime = runtime();
        let event = runtime.event(event as usize)?;
        let own = runtime.stream(stream as usize)?;
        if flags & !EXTERNAL != 0 {
            return Err(Code::INVALID_VALUE);
        }
        match &mut *own.stream.capture.lock() {
            Some(part) if flags == EXTERNAL => {
                return part.add(NodeKind::EventRecord, Action::Record(event));
            }
            _ => {}
        }
        own.record(&event)
    };
    answer(record())
}

/// An event's point, if it was recorded. The failure of its device comes first.
fn point(event: *mut c_void) -> Result<Option<Point>> {
    let runtime = runtime();
    let point = runtime.event(event as usize)?.point()?;
    if let Some(point) = &point {
        runtime.devices()[point.device].check()?;
    }
    Ok(point)
}

/// What other processes see of an event, if it was not this one that recorded it last. The failure of its device comes
/// first.
fn shared(event: *mut c_void) -> Result<Option<Arc<SharedEvent>>> {
    point(event)?;
    Ok(runtime().event(event as usize)?.of_others())
}

/// Waits for an event.
pub extern "C" fn cudaEventSynchronize(event: *mut c_void) -> i32 {
    let wait = || {
        if let Some(shared) = shared(event)? {
            shared.wait(shared.latest());
            return Ok(());
        }
        let Some(point) = point(event)? else {
            return Ok(());
        };
        let device = &runtime().devices()[point.device];
        point.synchronize().map_err(device.failed())?;
        device.check()
    };
    answer(wait())
}

/// Whether an event has happened.
pub extern "C" fn cudaEventQuery(event: *mut c_void) -> i32 {
    let ask = || {
        if let Some(shared) = shared(event)? {
            return match shared.has_passed(shared.latest()) {
                true => Ok(()),
                false => Err(Code::NOT_READY),
            };
        }
        let Some(point) = point(event)? else {
            return Ok(());
        };
        let device = &runtime().devices()[point.device];
        match point.has_happened().map_err(device.failed())? {
            true => Ok(()),
            false => Err(Code::NOT_READY),
        }
    };
    answer(ask())
}

/// The time between two events.
///
/// # Safety
/// The address for the result is null or valid.
pub unsafe extern "C" fn cudaEventElapsedTime(
    milliseconds: *mut f32,
    start: *mut c_void,
    end: *mut c_void,
) -> i32 {
    let ask = || {
        // SAFETY: caller.
        let place = unsafe { place(milliseconds)? };
        let runtime = runtime();
        let time = |event: *mut c_void| {
            point(event)?;
            runtime.event(event as usize)?.time()
        };
        let (start, end) = (time(start)?, time(end)?);
        let seconds = match end.checked_duration_since(start) {
            Some(duration) => duration.as_secs_f64(),
            None => -(start - end).as_secs_f64(),
        };
        *place = (seconds * 1e3) as f32;
        Ok(())
    };
    answer(ask())
}

/// Destroys an event.
pub extern "C" fn cudaEventDestroy(event: *mut c_void) -> i32 {
    let removed = runtime().events.remove(event as usize);
    answer(removed.map(drop).ok_or(Code::INVALID_HANDLE))
}

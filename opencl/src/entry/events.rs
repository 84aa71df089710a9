//! Events, markers, barriers.

use std::ffi::c_void;

use findings::known_to_host;

use crate::codes::{Code, Result};
use crate::completion::{COMPLETE, Completion, RUNNING, SUBMITTED};
use crate::context::Context;
use crate::entry::{answer, created, enqueued, wait_list};
use crate::handle::{Raw, create, get, get_all, release, retain};
use crate::query::Answer;
use crate::queue::{Event, Properties, Queue, Rank, enqueue};
use crate::scheduler::announce;

/// `CL_COMMAND_MARKER`.
const MARKER: u32 = 0x11fe;
/// `CL_COMMAND_USER`.
const USER: u32 = 0x1204;
/// `CL_COMMAND_BARRIER`.
const BARRIER: u32 = 0x1205;

/// An event that the program ends.
///
/// # Safety
/// `code` is writable or null.
pub unsafe extern "C" fn clCreateUserEvent(context: Raw, code: *mut i32) -> Raw {
    let made = get::<Context>(context).map(|context| {
        create(Event {
            context,
            queue: None,
            command: USER,
            completion: Completion::new(SUBMITTED),
        })
    });
    // SAFETY: caller.
    unsafe { created(made, code) }
}

/// Ends a user's event.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clSetUserEventStatus(raw: Raw, status: i32) -> i32 {
    let set = || {
        let event = get::<Event>(raw)?;
        if event.queue.is_some() {
            return Err(Code::INVALID_EVENT);
        }
        if status > COMPLETE {
            return Err(Code::INVALID_VALUE);
        }
        if event.completion.has_ended() {
            return Err(Code::INVALID_OPERATION);
        }
        event.completion.keep(known_to_host());
        event.completion.reach(status);
        announce();
        Ok(())
    };
    answer(set())
}

/// One reference more.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clRetainEvent(raw: Raw) -> i32 {
    answer(retain::<Event>(raw))
}

/// One reference less.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clReleaseEvent(raw: Raw) -> i32 {
    answer(release::<Event>(raw))
}

/// Waits for events.
///
/// # Safety
/// `list` has `count` handles or is null.
pub unsafe extern "C" fn clWaitForEvents(count: u32, list: *const Raw) -> i32 {
    let wait = || {
        if count == 0 || list.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        let events = unsafe { get_all::<Event>(count, list) }?;
        let first = &events[0].context;
        let of_first =
            |event: &crate::handle::Ref<Event>| std::sync::Arc::ptr_eq(&event.context, first);
        if !events.iter().all(of_first) {
            return Err(Code::INVALID_CONTEXT);
        }
        let waits = events.iter().map(|event| {
            let queue = event.queue.as_ref().map(|queue| queue.raw() as usize);
            event.completion.wait(queue)
        });
        // All have ended before the answer.
        match waits.filter(Result::is_err).count() {
            0 => Ok(()),
            _ => Err(Code::EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
        }
    };
    answer(wait())
}

/// Says what an event is.
///
/// # Safety
/// `value` is writable for `size` bytes or null, `needed` is writable or null.
pub unsafe extern "C" fn clGetEventInfo(
    raw: Raw,
    name: u32,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> i32 {
    let asked = || {
        let event = get::<Event>(raw)?;
        let queue = event.queue.as_ref().map(|queue| queue.raw());
        Ok(match name {
            0x11d0 => Answer::raw(queue.unwrap_or(std::ptr::null_mut())),
            0x11d1 => Answer::of(event.command),
            0x11d2 => Answer::of(event.references()),
            0x11d3 => {
                announce();
                Answer::of(event.completion.status())
            }
            0x11d4 => Answer::raw(event.context.raw()),
            _ => return Err(Code::INVALID_VALUE),
        })
    };
    // SAFETY: caller.
    answer(asked().and_then(|answer: Answer| unsafe { answer.give(size, value, needed) }))
}

/// Says when a command was queued, submitted, started and ended.
///
/// # Safety
/// `value` is writable for `size` bytes or null, `needed` is writable or null.
pub unsafe extern "C" fn clGetEventProfilingInfo(
    raw: Raw,
    name: u32,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> i32 {
    let asked = || {
        let event = get::<Event>(raw)?;
        let profiles =
            |queue: &crate::handle::Ref<Queue>| queue.properties.contains(Properties::PROFILING);
        announce();
        let is_complete = event.completion.status() == COMPLETE;
        if !is_complete || !event.queue.as_ref().is_some_and(profiles) {
            return Err(Code::PROFILING_INFO_NOT_AVAILABLE);
        }
        let times = event.completion.times();
        Ok(match name {
            0x1280..=0x1283 => Answer::of(times[(name - 0x1280) as usize]),
            // CL_PROFILING_COMMAND_COMPLETE: commands have no children.
            0x1284 => Answer::of(times[3]),
            _ => return Err(Code::INVALID_VALUE),
        })
    };
    // SAFETY: caller.
    answer(asked().and_then(|answer: Answer| unsafe { answer.give(size, value, needed) }))
}

/// Has a function called when a status is reached.
///
/// # Safety
/// The function may be called with the handle, a status and its argument, on any thread.
pub unsafe extern "C" fn clSetEventCallback(
    raw: Raw,
    status: i32,
    notify: Option<unsafe extern "C" fn(Raw, i32, *mut c_void)>,
    argument: *mut c_void,
) -> i32 {
    let set = || {
        let event = get::<Event>(raw)?;
        let notify = notify.ok_or(Code::INVALID_VALUE)?;
        if ![COMPLETE, RUNNING, SUBMITTED].contains(&status) {
            return Err(Code::INVALID_VALUE);
        }
        let (kept, argument) = (event.clone(), argument as usize);
        let call = Box::new(move |reached| {
            // SAFETY: caller.
            unsafe { notify(kept.raw(), reached, argument as *mut c_void) };
        });
        event.completion.on(status, call);
        announce();
        Ok(())
    };
    answer(set())
}

/// Enqueues a command that does nothing.
///
/// # Safety
/// `list` has `count` handles or is null, `event` is writable or null.
unsafe fn point(
    queue: Raw,
    rank: Rank,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> Result<()> {
    let queue = get::<Queue>(queue)?;
    // SAFETY: caller.
    let list = unsafe { wait_list(&queue.context, count, list) }?;
    let command = match rank {
        Rank::Barrier => BARRIER,
        _ => MARKER,
    };
    let point = enqueue(&queue, command, rank, &list, Box::new(|| Ok(())));
    // SAFETY: caller.
    unsafe { enqueued(point, event, false) }
}

/// A marker.
///
/// # Safety
/// `list` has `count` handles or is null, `event` is writable or null.
pub unsafe extern "C" fn clEnqueueMarkerWithWaitList(
    queue: Raw,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    // SAFETY: caller.
    answer(unsafe { point(queue, Rank::Marker, count, list, event) })
}

/// A barrier.
///
/// # Safety
/// `list` has `count` handles or is null, `event` is writable or null.
pub unsafe extern "C" fn clEnqueueBarrierWithWaitList(
    queue: Raw,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    // SAFETY: caller.
    answer(unsafe { point(queue, Rank::Barrier, count, list, event) })
}

/// A marker, of old.
///
/// # Safety
/// `event` is writable or null.
pub unsafe extern "C" fn clEnqueueMarker(queue: Raw, event: *mut Raw) -> i32 {
    if event.is_null() {
        return Code::INVALID_VALUE.0;
    }
    // SAFETY: caller.
    answer(unsafe { point(queue, Rank::Marker, 0, std::ptr::null(), event) })
}

/// A barrier, of old.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clEnqueueBarrier(queue: Raw) -> i32 {
    // SAFETY: nothing is read or written.
    answer(unsafe {
        point(
            queue,
            Rank::Barrier,
            0,
            std::ptr::null(),
            std::ptr::null_mut(),
        )
    })
}

/// A barrier for events, of old.
///
/// # Safety
/// `list` has `count` handles or is null.
pub unsafe extern "C" fn clEnqueueWaitForEvents(queue: Raw, count: u32, list: *const Raw) -> i32 {
    if count == 0 || list.is_null() {
        return Code::INVALID_VALUE.0;
    }
    // SAFETY: caller.
    let result = unsafe { point(queue, Rank::Barrier, count, list, std::ptr::null_mut()) };
    answer(result.map_err(|code| match code {
        Code::INVALID_EVENT_WAIT_LIST => Code::INVALID_EVENT,
        code => code,
    }))
}

//! Command buffers: making, ending and enqueuing them (`cl_khr_command_buffer`, OpenCL Extension Specification).

use std::ffi::c_void;
use std::sync::Arc;

use crate::codes::{Code, Result};
use crate::command_buffer::CommandBuffer;
use crate::entry::{answer, created, properties, same_context, submit};
use crate::handle::{Raw, Ref, create, get, release, retain};
use crate::query::Answer;
use crate::queue::Queue;

/// `CL_COMMAND_COMMAND_BUFFER_KHR`.
const COMMAND_BUFFER: u32 = 0x12a8;
/// `CL_COMMAND_BUFFER_FLAGS_KHR`.
const FLAGS: u64 = 0x1293;
/// The flags that there are: use at several times at once, commands that change, synchronisation by devices. All of
/// them are of other extensions.
const KNOWN_FLAGS: u64 = 7;

/// The properties of a command buffer, checked.
///
/// # Safety
/// `list` ends with a zero or is null.
unsafe fn checked(list: *const u64) -> Result<Vec<u64>> {
    // SAFETY: caller.
    let list = unsafe { properties(list) };
    let pairs = || list.chunks_exact(2);
    let is_valid = |pair: &[u64]| pair[0] == FLAGS && pair[1] & !KNOWN_FLAGS == 0;
    if !pairs().all(is_valid) || pairs().count() > 1 {
        return Err(Code::INVALID_VALUE);
    }
    match pairs().all(|pair| pair[1] == 0) {
        true => Ok(list),
        false => Err(Code::INVALID_PROPERTY),
    }
}

/// A command buffer for one queue.
///
/// # Safety
/// `queues` has `count` handles or is null, `list` ends with a zero or is null, `code` is writable or null.
pub unsafe extern "C" fn clCreateCommandBufferKHR(
    count: u32,
    queues: *const Raw,
    list: *const u64,
    code: *mut i32,
) -> Raw {
    let made = || {
        if count != 1 || queues.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        let queue = get::<Queue>(unsafe { *queues })?;
        // SAFETY: caller.
        let list = unsafe { checked(list) }?;
        Ok(create(CommandBuffer::new(queue, list)))
    };
    // SAFETY: caller.
    unsafe { created(made(), code) }
}

/// Ends the recording.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clFinalizeCommandBufferKHR(raw: Raw) -> i32 {
    answer(get::<CommandBuffer>(raw).and_then(|buffer| buffer.finish()))
}

/// One reference more.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clRetainCommandBufferKHR(raw: Raw) -> i32 {
    answer(retain::<CommandBuffer>(raw))
}

/// One reference less. What is enqueued runs nevertheless.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clReleaseCommandBufferKHR(raw: Raw) -> i32 {
    answer(release::<CommandBuffer>(raw))
}

/// The queue that a command buffer runs on: its own, or another one of its device.
fn chosen(buffer: &CommandBuffer, other: Option<Raw>) -> Result<Ref<Queue>> {
    let own = &buffer.queue;
    let Some(other) = other else {
        return Ok(own.clone());
    };
    let queue = get::<Queue>(other)?;
    same_context(&queue, &own.context)?;
    match Arc::ptr_eq(&queue.device, &own.device) {
        true => Ok(queue),
        false => Err(Code::INCOMPATIBLE_COMMAND_QUEUE_KHR),
    }
}

/// Enqueues the commands of a command buffer as one.
///
/// # Safety
/// `queues` has `queue_count` handles or is null; lists as their counts say, `event` is writable or null.
pub unsafe extern "C" fn clEnqueueCommandBufferKHR(
    queue_count: u32,
    queues: *const Raw,
    raw: Raw,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    let run = || {
        let buffer = get::<CommandBuffer>(raw)?;
        if !buffer.is_finished() {
            return Err(Code::INVALID_OPERATION);
        }
        if (queue_count == 0) != queues.is_null() || queue_count > 1 {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        let other = (queue_count == 1).then(|| unsafe { *queues });
        let queue = chosen(&buffer, other)?;
        let work = Box::new(move || buffer.run());
        // SAFETY: caller.
        unsafe { submit(&queue, COMMAND_BUFFER, false, (count, list), event, work) }
    };
    answer(run())
}

/// Says what a command buffer is.
///
/// # Safety
/// `value` is writable for `size` bytes or null, `needed` is writable or null.
pub unsafe extern "C" fn clGetCommandBufferInfoKHR(
    raw: Raw,
    name: u32,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> i32 {
    let asked = || {
        let buffer = get::<CommandBuffer>(raw)?;
        Ok(match name {
            // CL_COMMAND_BUFFER_QUEUES_KHR and _NUM_QUEUES_KHR.
            0x1294 => Answer::raw(buffer.queue.raw()),
            0x1295 => Answer::of(1u32),
            // CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR.
            0x1296 => Answer::of(buffer.references()),
            // CL_COMMAND_BUFFER_STATE_KHR: recording or executable.
            0x1297 => Answer::of(u32::from(buffer.is_finished())),
            // CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR.
            0x1298 => Answer::list(&buffer.list),
            // CL_COMMAND_BUFFER_CONTEXT_KHR.
            0x1299 => Answer::raw(buffer.queue.context.raw()),
            _ => return Err(Code::INVALID_VALUE),
        })
    };
    // SAFETY: caller.
    answer(asked().and_then(|answer: Answer| unsafe { answer.give(size, value, needed) }))
}

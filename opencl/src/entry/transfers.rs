//! Copies between host and buffers, and between buffers.

use std::ffi::c_void;

use crate::codes::{Code, Result};
use crate::entry::prepared::{Prepared, Repeatable};
use crate::entry::{answer, queue_and_buffer, submit};
use crate::handle::{Raw, Ref, get};
use crate::memory::{Flags, Memory};
use crate::queue::Queue;

/// `CL_COMMAND_READ_BUFFER`.
const READ: u32 = 0x11f3;
/// `CL_COMMAND_WRITE_BUFFER`.
const WRITE: u32 = 0x11f4;
/// `CL_COMMAND_COPY_BUFFER`.
const COPY: u32 = 0x11f5;

/// A failed copy's code; the user is told.
pub fn failed(queue: &Ref<Queue>) -> impl Fn(plugin_api::Error) -> Code + use<> {
    let context = queue.context.clone();
    move |error| context.failed("a command failed", &error)
}

/// A queue and a buffer, a part of which the host reads or writes.
fn checked(
    queue: Raw,
    buffer: Raw,
    offset: usize,
    size: usize,
    host: *const c_void,
    forbidden: Flags,
) -> Result<(Ref<Queue>, Ref<Memory>)> {
    let (queue, buffer) = queue_and_buffer(queue, buffer)?;
    if host.is_null() || size == 0 {
        return Err(Code::INVALID_VALUE);
    }
    buffer.check(offset, size)?;
    buffer.allows(forbidden | Flags::HOST_NO_ACCESS)?;
    Ok((queue, buffer))
}

/// Reads a buffer.
///
/// # Safety
/// `host` is writable for `size` bytes until the command has ended; lists as their counts say.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clEnqueueReadBuffer(
    queue: Raw,
    buffer: Raw,
    blocking: u32,
    offset: usize,
    size: usize,
    host: *mut c_void,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    let read = || {
        let (queue, buffer) = checked(queue, buffer, offset, size, host, Flags::HOST_WRITE_ONLY)?;
        let (host, failed) = (host as usize, failed(&queue));
        let work = Box::new(move || {
            let home = buffer.context.home();
            // SAFETY: caller.
            unsafe { home.read(host as *mut u8, buffer.at(offset), size) }.map_err(&failed)
        });
        // SAFETY: caller.
        unsafe { submit(&queue, READ, blocking != 0, (count, list), event, work) }
    };
    answer(read())
}

/// Writes a buffer.
///
/// # Safety
/// `host` is readable for `size` bytes until the command has ended; lists as their counts say.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clEnqueueWriteBuffer(
    queue: Raw,
    buffer: Raw,
    blocking: u32,
    offset: usize,
    size: usize,
    host: *const c_void,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    let write = || {
        let (queue, buffer) = checked(queue, buffer, offset, size, host, Flags::HOST_READ_ONLY)?;
        let (host, failed) = (host as usize, failed(&queue));
        let work = Box::new(move || {
            let home = buffer.context.home();
            // SAFETY: caller.
            unsafe { home.write(buffer.at(offset), host as *const u8, size) }.map_err(&failed)
        });
        // SAFETY: caller.
        unsafe { submit(&queue, WRITE, blocking != 0, (count, list), event, work) }
    };
    answer(write())
}

/// The two buffers of a copy, of the queue's context.
pub fn two(queue: Raw, source: Raw, target: Raw) -> Result<(Ref<Queue>, Ref<Memory>, Ref<Memory>)> {
    let queue = get::<Queue>(queue)?;
    let (_, source) = queue_and_buffer(queue.raw(), source)?;
    let (_, target) = queue_and_buffer(queue.raw(), target)?;
    Ok((queue, source, target))
}

/// A copy from a buffer to a buffer.
pub fn copy(
    queue: Raw,
    source: Raw,
    target: Raw,
    from: usize,
    to: usize,
    size: usize,
) -> Result<Prepared<impl Repeatable>> {
    let (queue, source, target) = two(queue, source, target)?;
    if size == 0 {
        return Err(Code::INVALID_VALUE);
    }
    source.check(from, size)?;
    target.check(to, size)?;
    let (first, second) = (source.at(from).0, target.at(to).0);
    if first < second + size as u64 && second < first + size as u64 {
        return Err(Code::MEM_COPY_OVERLAP);
    }
    let failed = failed(&queue);
    let work = move || {
        let home = source.context.home();
        home.copy(target.at(to), source.at(from), size)
            .map_err(&failed)
    };
    Ok(Prepared {
        queue,
        number: COPY,
        work,
    })
}

/// Copies from a buffer to a buffer.
///
/// # Safety
/// Lists as their counts say, `event` is writable or null.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clEnqueueCopyBuffer(
    queue: Raw,
    source: Raw,
    target: Raw,
    from: usize,
    to: usize,
    size: usize,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    let copy = copy(queue, source, target, from, to, size);
    // SAFETY: caller.
    answer(copy.and_then(|copy| unsafe { copy.enqueue((count, list), event) }))
}

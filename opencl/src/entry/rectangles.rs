//! Copies of rectangles: rows of planes, at distances of their own on both sides.

use std::ffi::c_void;

use crate::codes::{Code, Result};
use plugin_api::{Device, DevicePtr};

use crate::entry::prepared::{Prepared, Repeatable};
use crate::entry::transfers::{failed, two};
use crate::entry::{answer, queue_and_buffer, submit};
use crate::handle::{Raw, Ref};
use crate::memory::{Flags, Memory};
use crate::queue::Queue;
use crate::rectangle::{Side, overlaps, rows};
use crate::scheduler::Action;

/// `CL_COMMAND_READ_BUFFER_RECT`.
const READ: u32 = 0x1201;
/// `CL_COMMAND_WRITE_BUFFER_RECT`.
const WRITE: u32 = 0x1202;
/// `CL_COMMAND_COPY_BUFFER_RECT`.
const COPY: u32 = 0x1203;

/// Three numbers.
///
/// # Safety
/// `numbers` is readable or null.
pub unsafe fn three(numbers: *const [usize; 3]) -> Result<[usize; 3]> {
    match numbers.is_null() {
        true => Err(Code::INVALID_VALUE),
        // SAFETY: caller.
        false => Ok(unsafe { *numbers }),
    }
}

/// A rectangle of a buffer and its counterpart.
struct Rectangle {
    queue: Ref<Queue>,
    buffer: Ref<Memory>,
    region: [usize; 3],
    buffer_side: Side,
    host_side: Side,
}

impl Rectangle {
    /// The work of a command that moves the rows between the buffer and the host's memory at `host`.
    fn transfer(
        self,
        host: usize,
        row: impl Fn(&dyn Device, DevicePtr, usize, usize) -> plugin_api::Result<()> + Send + 'static,
    ) -> Action {
        let failed = failed(&self.queue);
        Box::new(move || {
            let (home, width) = (&**self.buffer.context.home(), self.region[0]);
            rows(
                self.region,
                self.buffer_side,
                self.host_side,
                |at, host_at| row(home, self.buffer.at(at), host + host_at, width),
            )
            .map_err(&failed)
        })
    }
}

/// # Safety
/// The origins and the region are readable or null.
#[allow(clippy::too_many_arguments)] // OpenCL's.
unsafe fn rectangle(
    queue: Raw,
    buffer: Raw,
    buffer_origin: *const [usize; 3],
    host_origin: *const [usize; 3],
    region: *const [usize; 3],
    buffer_pitches: [usize; 2],
    host_pitches: [usize; 2],
    host: *const c_void,
    forbidden: Flags,
) -> Result<Rectangle> {
    let (queue, buffer) = queue_and_buffer(queue, buffer)?;
    // SAFETY: caller.
    let (buffer_origin, host_origin, region) =
        unsafe { (three(buffer_origin)?, three(host_origin)?, three(region)?) };
    if host.is_null() || region.contains(&0) {
        return Err(Code::INVALID_VALUE);
    }
    let [row, plane] = buffer_pitches;
    let buffer_side = Side::new(buffer_origin, region, row, plane)?;
    let [row, plane] = host_pitches;
    let host_side = Side::new(host_origin, region, row, plane)?;
    buffer_side.check(buffer.size, region)?;
    buffer.allows(forbidden | Flags::HOST_NO_ACCESS)?;
    Ok(Rectangle {
        queue,
        buffer,
        region,
        buffer_side,
        host_side,
    })
}

/// Reads a rectangle.
///
/// # Safety
/// The host's rectangle is writable until the command has ended; lists as their counts say.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clEnqueueReadBufferRect(
    queue: Raw,
    buffer: Raw,
    blocking: u32,
    buffer_origin: *const [usize; 3],
    host_origin: *const [usize; 3],
    region: *const [usize; 3],
    buffer_row: usize,
    buffer_plane: usize,
    host_row: usize,
    host_plane: usize,
    host: *mut c_void,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    let read = || {
        // SAFETY: caller.
        let rectangle = unsafe {
            rectangle(
                queue,
                buffer,
                buffer_origin,
                host_origin,
                region,
                [buffer_row, buffer_plane],
                [host_row, host_plane],
                host,
                Flags::HOST_WRITE_ONLY,
            )
        }?;
        let queue = rectangle.queue.clone();
        // SAFETY: caller.
        let work = rectangle.transfer(host as usize, |home, buffer, host, len| unsafe {
            home.read(host as *mut u8, buffer, len)
        });
        // SAFETY: caller.
        unsafe { submit(&queue, READ, blocking != 0, (count, list), event, work) }
    };
    answer(read())
}

/// Writes a rectangle.
///
/// # Safety
/// The host's rectangle is readable until the command has ended; lists as their counts say.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clEnqueueWriteBufferRect(
    queue: Raw,
    buffer: Raw,
    blocking: u32,
    buffer_origin: *const [usize; 3],
    host_origin: *const [usize; 3],
    region: *const [usize; 3],
    buffer_row: usize,
    buffer_plane: usize,
    host_row: usize,
    host_plane: usize,
    host: *const c_void,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    let write = || {
        // SAFETY: caller.
        let rectangle = unsafe {
            rectangle(
                queue,
                buffer,
                buffer_origin,
                host_origin,
                region,
                [buffer_row, buffer_plane],
                [host_row, host_plane],
                host,
                Flags::HOST_READ_ONLY,
            )
        }?;
        let queue = rectangle.queue.clone();
        // SAFETY: caller.
        let work = rectangle.transfer(host as usize, |home, buffer, host, len| unsafe {
            home.write(buffer, host as *const u8, len)
        });
        // SAFETY: caller.
        unsafe { submit(&queue, WRITE, blocking != 0, (count, list), event, work) }
    };
    answer(write())
}

/// A part of a buffer: its origin, and the distances of its rows and planes.
type Place = (Raw, *const [usize; 3], [usize; 2]);

/// A copy of a rectangle between buffers.
///
/// # Safety
/// The origins and the region are readable or null.
pub unsafe fn copy(
    queue: Raw,
    (source, source_origin, [source_row, source_plane]): Place,
    (target, target_origin, [target_row, target_plane]): Place,
    region: *const [usize; 3],
) -> Result<Prepared<impl Repeatable>> {
    let (queue, source, target) = two(queue, source, target)?;
    // SAFETY: caller.
    let (source_origin, target_origin, region) =
        unsafe { (three(source_origin)?, three(target_origin)?, three(region)?) };
    if region.contains(&0) {
        return Err(Code::INVALID_VALUE);
    }
    let from = Side::new(source_origin, region, source_row, source_plane)?;
    let to = Side::new(target_origin, region, target_row, target_plane)?;
    from.check(source.size, region)?;
    to.check(target.size, region)?;
    let is_one = std::sync::Arc::ptr_eq(&source, &target);
    if is_one && (from.row, from.plane) != (to.row, to.plane) {
        return Err(Code::INVALID_VALUE);
    }
    let base = target.address.0.wrapping_sub(source.address.0) as usize;
    if overlaps(
        from,
        Side {
            start: to.start.wrapping_add(base),
            ..to
        },
        region,
    ) {
        return Err(Code::MEM_COPY_OVERLAP);
    }
    let failed = failed(&queue);
    let work = move || {
        let home = source.context.home();
        rows(region, from, to, |from, to| {
            home.copy(target.at(to), source.at(from), region[0])
        })
        .map_err(&failed)
    };
    Ok(Prepared {
        queue,
        number: COPY,
        work,
    })
}

/// Copies a rectangle between buffers.
///
/// # Safety
/// The origins and the region are readable or null; lists as their counts say.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clEnqueueCopyBufferRect(
    queue: Raw,
    source: Raw,
    target: Raw,
    source_origin: *const [usize; 3],
    target_origin: *const [usize; 3],
    region: *const [usize; 3],
    source_row: usize,
    source_plane: usize,
    target_row: usize,
    target_plane: usize,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    // SAFETY: caller.
    let copy = unsafe {
        copy(
            queue,
            (source, source_origin, [source_row, source_plane]),
            (target, target_origin, [target_row, target_plane]),
            region,
        )
    };
    // SAFETY: caller.
    answer(copy.and_then(|copy| unsafe { copy.enqueue((count, list), event) }))
}

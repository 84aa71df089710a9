//! Mappings of memory objects into the host's memory.

use std::ffi::c_void;

use crate::codes::{Code, Result};
use crate::entry::image_transfers::image_and_queue;
use crate::entry::rectangles::three;
use crate::entry::transfers::failed;
use crate::entry::{answer, answered, enqueued, queue_and, queue_and_buffer, wait_list};
use crate::handle::{Raw, Ref};
use crate::memory::{Flags, Mapping, Memory};
use crate::queue::{Queue, Rank, enqueue};
use crate::rectangle::{Side, rows};

/// `CL_COMMAND_MAP_BUFFER`.
const MAP: u32 = 0x11fb;
/// `CL_COMMAND_MAP_IMAGE`.
const MAP_IMAGE: u32 = 0x11fc;
/// `CL_COMMAND_UNMAP_MEM_OBJECT`.
const UNMAP: u32 = 0x11fd;
/// `CL_MAP_READ`.
const READ: u64 = 1;
/// `CL_MAP_WRITE`.
const WRITE: u64 = 2;
/// `CL_MAP_WRITE_INVALIDATE_REGION`.
const INVALIDATE: u64 = 4;

/// The flags of a mapping, if they go together.
pub fn check_flags(bits: u64) -> Result<()> {
    let is_known = bits & !(READ | WRITE | INVALIDATE) == 0;
    match is_known && (bits & INVALIDATE == 0 || bits & (READ | WRITE) == 0) {
        true => Ok(()),
        false => Err(Code::INVALID_VALUE),
    }
}

/// Maps a part of a buffer.
///
/// # Safety
/// Lists as their counts say, `event` and `code` are writable or null.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clEnqueueMapBuffer(
    queue: Raw,
    buffer: Raw,
    blocking: u32,
    bits: u64,
    offset: usize,
    size: usize,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
    code: *mut i32,
) -> *mut c_void {
    let map = || -> Result<Raw> {
        let (queue, buffer) = queue_and_buffer(queue, buffer)?;
        if size == 0 {
            return Err(Code::INVALID_VALUE);
        }
        buffer.check(offset, size)?;
        let side = Side {
            start: offset,
            row: size,
            plane: size,
        };
        let part = (side, [size, 1, 1]);
        // SAFETY: caller.
        unsafe {
            map_part(
                &queue,
                &buffer,
                MAP,
                bits,
                part,
                blocking,
                (count, list),
                event,
            )
        }
    };
    // SAFETY: caller.
    unsafe { answered(map(), code) }
}

/// Maps a part of an image.
///
/// # Safety
/// The origin and the region are readable or null, the pitches are writable or null; the rest as `clEnqueueMapBuffer`.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clEnqueueMapImage(
    queue: Raw,
    image: Raw,
    blocking: u32,
    bits: u64,
    origin: *const [usize; 3],
    region: *const [usize; 3],
    row: *mut usize,
    slice: *mut usize,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
    code: *mut i32,
) -> *mut c_void {
    let map = || -> Result<Raw> {
        let (queue, memory) = image_and_queue(queue, image)?;
        let image = memory.image()?;
        // SAFETY: caller.
        let part = unsafe { image.part(three(origin)?, three(region)?) }?;
        if row.is_null() || (slice.is_null() && image.has_slices()) {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        let mapped = unsafe {
            map_part(
                &queue,
                &memory,
                MAP_IMAGE,
                bits,
                part,
                blocking,
                (count, list),
                event,
            )
        }?;
        // SAFETY: caller, and they are not null.
        unsafe {
            *row = image.row_pitch;
            if !slice.is_null() {
                *slice = image.slice_pitch;
            }
        }
        Ok(mapped)
    };
    // SAFETY: caller.
    unsafe { answered(map(), code) }
}

/// Maps a part of a memory object: rows, and their bytes and numbers.
///
/// # Safety
/// Lists as their counts say, `event` is writable or null.
#[allow(clippy::too_many_arguments)] // OpenCL's.
unsafe fn map_part(
    queue: &Ref<Queue>,
    memory: &Ref<Memory>,
    command: u32,
    bits: u64,
    (side, region): (Side, [usize; 3]),
    blocking: u32,
    (count, list): (u32, *const Raw),
    event: *mut Raw,
) -> Result<Raw> {
    check_flags(bits)?;
    let writes = bits & (WRITE | INVALIDATE) != 0;
    if bits & READ != 0 {
        memory.allows(Flags::HOST_WRITE_ONLY | Flags::HOST_NO_ACCESS)?;
    }
    if writes {
        memory.allows(Flags::HOST_READ_ONLY | Flags::HOST_NO_ACCESS)?;
    }
    // SAFETY: caller.
    let list = unsafe { wait_list(&queue.context, count, list) }?;
    let pointer = memory.host_view(side.start);
    memory.map(Mapping {
        pointer,
        side,
        region,
        writes,
    });
    let failed = failed(queue);
    let fetches = memory.has_host_copy() && bits & INVALIDATE == 0;
    let memory = memory.clone();
    let work = Box::new(move || {
        if !fetches {
            return Ok(());
        }
        let home = memory.context.home();
        rows(region, side, side, |at, _| {
            let host = memory.host_view(at) as *mut u8;
            // SAFETY: the program promised memory of the object's size.
            unsafe { home.read(host, memory.at(at), region[0]) }
        })
        .map_err(&failed)
    });
    let command = enqueue(queue, command, Rank::Command, &list, work);
    // SAFETY: caller.
    unsafe { enqueued(command, event, blocking != 0) }?;
    Ok(pointer as Raw)
}

/// Ends a mapping.
///
/// # Safety
/// Lists as their counts say, `event` is writable or null.
pub unsafe extern "C" fn clEnqueueUnmapMemObject(
    queue: Raw,
    memory: Raw,
    pointer: *mut c_void,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    let unmap = || {
        let (queue, memory) = queue_and::<Memory>(queue, memory, |memory| &memory.context)?;
        // SAFETY: caller.
        let list = unsafe { wait_list(&queue.context, count, list) }?;
        let mapping = memory.unmap(pointer as usize)?;
        let failed = failed(&queue);
        let stores = memory.has_host_copy() && mapping.writes;
        let work = Box::new(move || {
            if !stores {
                return Ok(());
            }
            let (home, side, region) = (memory.context.home(), mapping.side, mapping.region);
            rows(region, side, side, |at, _| {
                let host = memory.host_view(at) as *const u8;
                // SAFETY: the program promised memory of the object's size.
                unsafe { home.write(memory.at(at), host, region[0]) }
            })
            .map_err(&failed)
        });
        let command = enqueue(&queue, UNMAP, Rank::Command, &list, work);
        // SAFETY: caller.
        unsafe { enqueued(command, event, false) }
    };
    answer(unmap())
}

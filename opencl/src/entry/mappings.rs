//! Mappings of buffers into the host's memory.

use std::ffi::c_void;

use crate::codes::{Code, Result};
use crate::entry::transfers::failed;
use crate::entry::{answer, answered, enqueued, queue_and, wait_list};
use crate::handle::Raw;
use crate::memory::{Flags, Mapping, Memory};
use crate::queue::{Rank, enqueue};

/// `CL_COMMAND_MAP_BUFFER`.
const MAP: u32 = 0x11fb;
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
        let (queue, buffer) = queue_and::<Memory>(queue, buffer, |buffer| &buffer.context)?;
        if size == 0 {
            return Err(Code::INVALID_VALUE);
        }
        buffer.check(offset, size)?;
        check_flags(bits)?;
        let writes = bits & (WRITE | INVALIDATE) != 0;
        if bits & READ != 0 {
            buffer.allows(Flags::HOST_WRITE_ONLY | Flags::HOST_NO_ACCESS)?;
        }
        if writes {
            buffer.allows(Flags::HOST_READ_ONLY | Flags::HOST_NO_ACCESS)?;
        }
        // SAFETY: caller.
        let list = unsafe { wait_list(&queue.context, count, list) }?;
        let pointer = buffer.host_view(offset);
        buffer.map(Mapping {
            pointer,
            offset,
            size,
            writes,
        });
        let failed = failed(&queue);
        let fetches = buffer.has_host_copy() && bits & INVALIDATE == 0;
        let work = Box::new(move || {
            if !fetches {
                return Ok(());
            }
            let home = buffer.context.home();
            // SAFETY: the program promised memory of the buffer's size.
            unsafe { home.read(pointer as *mut u8, buffer.at(offset), size) }.map_err(&failed)
        });
        let command = enqueue(&queue, MAP, Rank::Command, &list, work);
        // SAFETY: caller.
        unsafe { enqueued(command, event, blocking != 0) }?;
        Ok(pointer as Raw)
    };
    // SAFETY: caller.
    unsafe { answered(map(), code) }
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
            let (home, source) = (memory.context.home(), mapping.pointer as *const u8);
            // SAFETY: the program promised memory of the buffer's size.
            unsafe { home.write(memory.at(mapping.offset), source, mapping.size) }.map_err(&failed)
        });
        let command = enqueue(&queue, UNMAP, Rank::Command, &list, work);
        // SAFETY: caller.
        unsafe { enqueued(command, event, false) }
    };
    answer(unmap())
}

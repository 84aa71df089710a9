//! Copies of rectangles: rows of planes, at distances of their own on both sides.

use std::ffi::c_void;

use crate::codes::{Code, Result};
use plugin_api::{Device, DevicePtr};

use crate::entry::transfers::{failed, two};
use crate::entry::{answer, queue_and, submit};
use crate::handle::{Raw, Ref};
use crate::memory::{Flags, Memory};
use crate::queue::Queue;
use crate::scheduler::Action;

/// `CL_COMMAND_READ_BUFFER_RECT`.
const READ: u32 = 0x1201;
/// `CL_COMMAND_WRITE_BUFFER_RECT`.
const WRITE: u32 = 0x1202;
/// `CL_COMMAND_COPY_BUFFER_RECT`.
const COPY: u32 = 0x1203;

/// How a rectangle lies on one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Side {
    /// Where it begins.
    start: usize,
    /// From row to row.
    row: usize,
    /// From plane to plane.
    plane: usize,
}

impl Side {
    /// From the program's words; zero pitches mean that rows and planes follow each other.
    fn new(origin: [usize; 3], region: [usize; 3], row: usize, plane: usize) -> Result<Side> {
        let row = match row {
            0 => region[0],
            row if row < region[0] => return Err(Code::INVALID_VALUE),
            row => row,
        };
        let least = row.checked_mul(region[1]).ok_or(Code::INVALID_VALUE)?;
        let plane = match plane {
            0 => least,
            plane if plane < least || !plane.is_multiple_of(row) => {
                return Err(Code::INVALID_VALUE);
            }
            plane => plane,
        };
        let start = (|| {
            let planes = origin[2].checked_mul(plane)?;
            let rows = origin[1].checked_mul(row)?;
            planes.checked_add(rows)?.checked_add(origin[0])
        })();
        let start = start.ok_or(Code::INVALID_VALUE)?;
        Ok(Side { start, row, plane })
    }

    /// How far it reaches.
    fn end(&self, region: [usize; 3]) -> Option<usize> {
        let planes = (region[2] - 1).checked_mul(self.plane)?;
        let rows = (region[1] - 1).checked_mul(self.row)?;
        self.start
            .checked_add(planes)?
            .checked_add(rows)?
            .checked_add(region[0])
    }

    /// Whether it lies in a buffer.
    fn check(&self, buffer: &Memory, region: [usize; 3]) -> Result<()> {
        match self.end(region) {
            Some(end) if end <= buffer.size => Ok(()),
            _ => Err(Code::INVALID_VALUE),
        }
    }

    fn row(&self, plane: usize, row: usize) -> usize {
        self.start + plane * self.plane + row * self.row
    }
}

/// Does something for every row: with its offsets on both sides.
fn rows(
    region: [usize; 3],
    one: Side,
    other: Side,
    mut copy: impl FnMut(usize, usize) -> plugin_api::Result<()>,
) -> plugin_api::Result<()> {
    for plane in 0..region[2] {
        for row in 0..region[1] {
            copy(one.row(plane, row), other.row(plane, row))?;
        }
    }
    Ok(())
}

/// Three numbers.
///
/// # Safety
/// `numbers` is readable or null.
unsafe fn three(numbers: *const [usize; 3]) -> Result<[usize; 3]> {
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
    let (queue, buffer) = queue_and::<Memory>(queue, buffer, |buffer| &buffer.context)?;
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
    buffer_side.check(&buffer, region)?;
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
    let copy = || {
        let (queue, source, target) = two(queue, source, target)?;
        // SAFETY: caller.
        let (source_origin, target_origin, region) =
            unsafe { (three(source_origin)?, three(target_origin)?, three(region)?) };
        if region.contains(&0) {
            return Err(Code::INVALID_VALUE);
        }
        let from = Side::new(source_origin, region, source_row, source_plane)?;
        let to = Side::new(target_origin, region, target_row, target_plane)?;
        from.check(&source, region)?;
        to.check(&target, region)?;
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
        let work = Box::new(move || {
            let home = source.context.home();
            rows(region, from, to, |from, to| {
                home.copy(target.at(to), source.at(from), region[0])
            })
            .map_err(&failed)
        });
        // SAFETY: caller.
        unsafe { submit(&queue, COPY, false, (count, list), event, work) }
    };
    answer(copy())
}

/// Whether two rectangles of equal pitches have bytes in common.
fn overlaps(one: Side, other: Side, region: [usize; 3]) -> bool {
    let (Some(end), Some(other_end)) = (one.end(region), other.end(region)) else {
        return false;
    };
    if one.start >= other_end || other.start >= end {
        return false;
    }
    // Rows that meet: the distance of the starts, along a row and between rows.
    let distance = one.start.abs_diff(other.start);
    let (planes, rest) = (distance / one.plane, distance % one.plane);
    let (rows, bytes) = (rest / one.row, rest % one.row);
    let near = |count: usize, size: usize, pitch: usize, has: usize| {
        count < has || pitch - count * size < size
    };
    let in_row = bytes < region[0] || one.row - bytes < region[0];
    in_row && near(rows, 1, one.plane / one.row, region[1]) && planes < region[2].max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pitches_are_checked() {
        let side = Side::new([1, 2, 3], [4, 5, 6], 0, 0).unwrap();
        assert_eq!(
            side,
            Side {
                start: 1 + 2 * 4 + 3 * 20,
                row: 4,
                plane: 20
            }
        );
        assert_eq!(side.end([4, 5, 6]), Some(69 + 5 * 20 + 4 * 4 + 4));
        assert!(Side::new([0; 3], [4, 5, 6], 3, 0).is_err());
        assert!(Side::new([0; 3], [4, 5, 6], 8, 39).is_err());
        assert!(Side::new([0; 3], [4, 5, 6], 8, 44).is_err());
        assert!(Side::new([usize::MAX, 1, 1], [4, 5, 6], 0, 0).is_err());
    }

    #[test]
    fn rectangles_overlap_where_rows_do() {
        let side = |x, y| Side::new([x, y, 0], [4, 4, 1], 16, 0).unwrap();
        let region = [4, 4, 1];
        assert!(overlaps(side(0, 0), side(3, 3), region));
        assert!(overlaps(side(3, 3), side(0, 0), region));
        assert!(!overlaps(side(0, 0), side(4, 0), region));
        assert!(!overlaps(side(0, 0), side(0, 4), region));
    }
}

//! Commands of command buffers: the counterparts of the functions that enqueue a command (`cl_khr_command_buffer`).

use std::ffi::c_void;

use crate::codes::{Code, Result};
use crate::command_buffer::CommandBuffer;
use crate::entry::prepared::{Prepared, Repeatable};
use crate::entry::{answer, fills, image_transfers, launches, rectangles, shared, transfers};
use crate::handle::{Raw, Ref, get};
use crate::queue::Queue;

/// Where a command is to be recorded: what all of these functions have in common.
struct Place {
    buffer: Raw,
    queue: Raw,
    properties: *const u64,
    waits: (u32, *const u32),
    point: *mut u32,
    handle: *mut Raw,
}

impl Place {
    fn new(
        buffer: Raw,
        queue: Raw,
        properties: *const u64,
        waits: (u32, *const u32),
        (point, handle): (*mut u32, *mut Raw),
    ) -> Place {
        Place {
            buffer,
            queue,
            properties,
            waits,
            point,
            handle,
        }
    }

    /// The command buffer, if commands can be added in this way.
    ///
    /// # Safety
    /// As for [`Place::record`].
    unsafe fn buffer(&self) -> Result<Ref<CommandBuffer>> {
        let buffer = get::<CommandBuffer>(self.buffer)?;
        buffer.records()?;
        // Queues of single commands, properties and handles are of other extensions.
        if !self.queue.is_null() {
            return Err(Code::INVALID_COMMAND_QUEUE);
        }
        // SAFETY: caller.
        let has_properties = !self.properties.is_null() && unsafe { *self.properties } != 0;
        match has_properties || !self.handle.is_null() {
            true => Err(Code::INVALID_VALUE),
            false => Ok(buffer),
        }
    }

    /// Records a command, which is prepared for the command buffer's queue.
    ///
    /// # Safety
    /// The properties end with a zero or are null, the wait list has as many points as it says or is null, `point` is
    /// writable or null.
    unsafe fn record<W: Repeatable>(
        self,
        prepare: impl FnOnce(Raw) -> Result<Prepared<W>>,
    ) -> Result<()> {
        // SAFETY: caller.
        let buffer = unsafe { self.buffer() }?;
        let prepared = prepare(buffer.queue.raw())?;
        // SAFETY: caller.
        unsafe { self.check_waits(&buffer) }?;
        let point = prepared.record(&buffer)?;
        if !self.point.is_null() {
            // SAFETY: caller.
            unsafe { *self.point = point };
        }
        Ok(())
    }

    /// Whether the command waits for commands of the buffer, which come before it.
    ///
    /// # Safety
    /// As for [`Place::record`].
    unsafe fn check_waits(&self, buffer: &CommandBuffer) -> Result<()> {
        let (count, list) = self.waits;
        // SAFETY: caller.
        let is_there = |index: usize| buffer.has_point(unsafe { *list.add(index) });
        match (count == 0) == list.is_null() && (0..count as usize).all(is_there) {
            true => Ok(()),
            false => Err(Code::INVALID_SYNC_POINT_WAIT_LIST_KHR),
        }
    }
}

/// Records a barrier, which every command is here.
///
/// # Safety
/// As for [`Place::record`].
pub unsafe extern "C" fn clCommandBarrierWithWaitListKHR(
    buffer: Raw,
    queue: Raw,
    properties: *const u64,
    count: u32,
    list: *const u32,
    point: *mut u32,
    handle: *mut Raw,
) -> i32 {
    let place = Place::new(buffer, queue, properties, (count, list), (point, handle));
    let nothing = |queue| {
        Ok(Prepared {
            queue: get::<Queue>(queue)?,
            number: 0,
            work: || Ok(()),
        })
    };
    // SAFETY: caller.
    answer(unsafe { place.record(nothing) })
}

/// Records a copy between buffers.
///
/// # Safety
/// As for [`Place::record`].
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clCommandCopyBufferKHR(
    commands: Raw,
    queue: Raw,
    properties: *const u64,
    source: Raw,
    target: Raw,
    from: usize,
    to: usize,
    size: usize,
    count: u32,
    list: *const u32,
    point: *mut u32,
    handle: *mut Raw,
) -> i32 {
    let place = Place::new(commands, queue, properties, (count, list), (point, handle));
    // SAFETY: caller.
    answer(unsafe { place.record(|queue| transfers::copy(queue, source, target, from, to, size)) })
}

/// Records a copy of a rectangle between buffers.
///
/// # Safety
/// The origins and the region are readable or null; otherwise as for [`Place::record`].
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clCommandCopyBufferRectKHR(
    commands: Raw,
    queue: Raw,
    properties: *const u64,
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
    list: *const u32,
    point: *mut u32,
    handle: *mut Raw,
) -> i32 {
    let place = Place::new(commands, queue, properties, (count, list), (point, handle));
    // SAFETY: caller.
    answer(unsafe {
        place.record(|queue| {
            rectangles::copy(
                queue,
                (source, source_origin, [source_row, source_plane]),
                (target, target_origin, [target_row, target_plane]),
                region,
            )
        })
    })
}

/// Records a copy from a buffer to a part of an image.
///
/// # Safety
/// The origin and the region are readable or null; otherwise as for [`Place::record`].
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clCommandCopyBufferToImageKHR(
    commands: Raw,
    queue: Raw,
    properties: *const u64,
    buffer: Raw,
    image: Raw,
    offset: usize,
    origin: *const [usize; 3],
    region: *const [usize; 3],
    count: u32,
    list: *const u32,
    point: *mut u32,
    handle: *mut Raw,
) -> i32 {
    let place = Place::new(commands, queue, properties, (count, list), (point, handle));
    // SAFETY: caller.
    answer(unsafe {
        place.record(|queue| {
            image_transfers::from_buffer(queue, image, buffer, origin, region, offset)
        })
    })
}

/// Records a copy between images.
///
/// # Safety
/// The origins and the region are readable or null; otherwise as for [`Place::record`].
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clCommandCopyImageKHR(
    commands: Raw,
    queue: Raw,
    properties: *const u64,
    source: Raw,
    target: Raw,
    source_origin: *const [usize; 3],
    target_origin: *const [usize; 3],
    region: *const [usize; 3],
    count: u32,
    list: *const u32,
    point: *mut u32,
    handle: *mut Raw,
) -> i32 {
    let place = Place::new(commands, queue, properties, (count, list), (point, handle));
    // SAFETY: caller.
    answer(unsafe {
        place.record(|queue| {
            image_transfers::copy(
                queue,
                (source, source_origin),
                (target, target_origin),
                region,
            )
        })
    })
}

/// Records a copy of a part of an image to a buffer.
///
/// # Safety
/// The origin and the region are readable or null; otherwise as for [`Place::record`].
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clCommandCopyImageToBufferKHR(
    commands: Raw,
    queue: Raw,
    properties: *const u64,
    image: Raw,
    buffer: Raw,
    origin: *const [usize; 3],
    region: *const [usize; 3],
    offset: usize,
    count: u32,
    list: *const u32,
    point: *mut u32,
    handle: *mut Raw,
) -> i32 {
    let place = Place::new(commands, queue, properties, (count, list), (point, handle));
    // SAFETY: caller.
    answer(unsafe {
        place.record(|queue| {
            image_transfers::to_buffer(queue, image, buffer, origin, region, offset)
        })
    })
}

/// Records a fill of a part of a buffer.
///
/// # Safety
/// `given` is readable for `given_size` bytes or null; otherwise as for [`Place::record`].
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clCommandFillBufferKHR(
    commands: Raw,
    queue: Raw,
    properties: *const u64,
    buffer: Raw,
    given: *const c_void,
    given_size: usize,
    offset: usize,
    size: usize,
    count: u32,
    list: *const u32,
    point: *mut u32,
    handle: *mut Raw,
) -> i32 {
    let place = Place::new(commands, queue, properties, (count, list), (point, handle));
    // SAFETY: caller.
    answer(unsafe {
        place.record(|queue| fills::fill_buffer(queue, buffer, (given, given_size), offset, size))
    })
}

/// Records a fill of a part of an image.
///
/// # Safety
/// `colour` is readable for four numbers or null, the origin and the region are readable or null; otherwise as for
/// [`Place::record`].
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clCommandFillImageKHR(
    commands: Raw,
    queue: Raw,
    properties: *const u64,
    image: Raw,
    colour: *const [u32; 4],
    origin: *const [usize; 3],
    region: *const [usize; 3],
    count: u32,
    list: *const u32,
    point: *mut u32,
    handle: *mut Raw,
) -> i32 {
    let place = Place::new(commands, queue, properties, (count, list), (point, handle));
    // SAFETY: caller.
    answer(unsafe {
        place.record(|queue| image_transfers::fill_image(queue, image, colour, origin, region))
    })
}

/// Records the launch of a kernel, with the arguments that it has now.
///
/// # Safety
/// The sizes have as many numbers as there are dimensions or are null; otherwise as for [`Place::record`].
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clCommandNDRangeKernelKHR(
    commands: Raw,
    queue: Raw,
    properties: *const u64,
    kernel: Raw,
    dimensions: u32,
    offset: *const usize,
    global: *const usize,
    local: *const usize,
    count: u32,
    list: *const u32,
    point: *mut u32,
    handle: *mut Raw,
) -> i32 {
    let place = Place::new(commands, queue, properties, (count, list), (point, handle));
    // SAFETY: caller.
    answer(unsafe {
        place.record(|queue| {
            launches::launch(
                queue,
                kernel,
                launches::KERNEL,
                dimensions,
                (offset, global, local),
            )
        })
    })
}

/// Records a copy between shared memory, the host's, and either.
///
/// # Safety
/// Both are accessible for `size` bytes whenever the command runs; otherwise as for [`Place::record`].
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clCommandSVMMemcpyKHR(
    commands: Raw,
    queue: Raw,
    properties: *const u64,
    to: *mut c_void,
    from: *const c_void,
    size: usize,
    count: u32,
    list: *const u32,
    point: *mut u32,
    handle: *mut Raw,
) -> i32 {
    let place = Place::new(commands, queue, properties, (count, list), (point, handle));
    // SAFETY: caller.
    answer(unsafe { place.record(|queue| shared::copy(queue, to, from, size)) })
}

/// Records a fill of shared memory.
///
/// # Safety
/// `given` is readable for `given_size` bytes or null; otherwise as for [`Place::record`].
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clCommandSVMMemFillKHR(
    commands: Raw,
    queue: Raw,
    properties: *const u64,
    pointer: *mut c_void,
    given: *const c_void,
    given_size: usize,
    size: usize,
    count: u32,
    list: *const u32,
    point: *mut u32,
    handle: *mut Raw,
) -> i32 {
    let place = Place::new(commands, queue, properties, (count, list), (point, handle));
    // SAFETY: caller.
    answer(unsafe {
        place.record(|queue| shared::fill_shared(queue, pointer, (given, given_size), size))
    })
}

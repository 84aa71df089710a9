//! Copies between host, images and buffers, and fills of images.

use std::ffi::c_void;

use plugin_api::{Device, DevicePtr};

use crate::codes::{Code, Result};
use crate::entry::fills::fill;
use crate::entry::prepared::{Prepared, Repeatable};
use crate::entry::rectangles::three;
use crate::entry::transfers::failed;
use crate::entry::{answer, queue_and, queue_and_buffer, submit};
use crate::handle::{Raw, Ref};
use crate::memory::{Flags, Memory};
use crate::queue::Queue;
use crate::rectangle::{Side, rows};
use crate::scheduler::Action;

/// `CL_COMMAND_READ_IMAGE`.
const READ: u32 = 0x11f6;
/// `CL_COMMAND_WRITE_IMAGE`.
const WRITE: u32 = 0x11f7;
/// `CL_COMMAND_COPY_IMAGE`.
const COPY: u32 = 0x11f8;
/// `CL_COMMAND_COPY_IMAGE_TO_BUFFER`.
const TO_BUFFER: u32 = 0x11f9;
/// `CL_COMMAND_COPY_BUFFER_TO_IMAGE`.
const FROM_BUFFER: u32 = 0x11fa;
/// `CL_COMMAND_FILL_IMAGE`.
const FILL: u32 = 0x1208;

/// A queue and an image of its context.
pub fn image_and_queue(queue: Raw, image: Raw) -> Result<(Ref<Queue>, Ref<Memory>)> {
    let (queue, memory) = queue_and::<Memory>(queue, image, |memory| &memory.context)?;
    memory.image()?;
    Ok((queue, memory))
}

/// A part of an image that the host reads or writes.
struct Transfer {
    queue: Ref<Queue>,
    image: Ref<Memory>,
    region: [usize; 3],
    image_side: Side,
    host_side: Side,
}

impl Transfer {
    /// # Safety
    /// The origin and the region are readable or null.
    #[allow(clippy::too_many_arguments)] // OpenCL's.
    unsafe fn new(
        queue: Raw,
        image: Raw,
        origin: *const [usize; 3],
        region: *const [usize; 3],
        [row, slice]: [usize; 2],
        host: *const c_void,
        forbidden: Flags,
    ) -> Result<Transfer> {
        let (queue, memory) = image_and_queue(queue, image)?;
        // SAFETY: caller.
        let (origin, region) = unsafe { (three(origin)?, three(region)?) };
        let image = memory.image()?;
        let (image_side, region) = image.part(origin, region)?;
        let host_side = image.host_side(region, row, slice)?;
        if host.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        memory.allows(forbidden | Flags::HOST_NO_ACCESS)?;
        Ok(Transfer {
            queue,
            image: memory,
            region,
            image_side,
            host_side,
        })
    }

    /// The work of a command that moves the rows between the image and the host's memory at `host`.
    fn work(
        self,
        host: usize,
        row: impl Fn(&dyn Device, DevicePtr, usize, usize) -> plugin_api::Result<()> + Send + 'static,
    ) -> Action {
        let failed = failed(&self.queue);
        Box::new(move || {
            let (home, width) = (&**self.image.context.home(), self.region[0]);
            rows(
                self.region,
                self.image_side,
                self.host_side,
                |at, host_at| row(home, self.image.at(at), host + host_at, width),
            )
            .map_err(&failed)
        })
    }
}

/// Reads a part of an image.
///
/// # Safety
/// The host's memory is writable until the command has ended; the origin and the region are readable or null; lists as
/// their counts say.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clEnqueueReadImage(
    queue: Raw,
    image: Raw,
    blocking: u32,
    origin: *const [usize; 3],
    region: *const [usize; 3],
    row: usize,
    slice: usize,
    host: *mut c_void,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    let read = || {
        let forbidden = Flags::HOST_WRITE_ONLY;
        // SAFETY: caller.
        let transfer =
            unsafe { Transfer::new(queue, image, origin, region, [row, slice], host, forbidden) }?;
        let queue = transfer.queue.clone();
        // SAFETY: caller.
        let work = transfer.work(host as usize, |home, image, host, len| unsafe {
            home.read(host as *mut u8, image, len)
        });
        // SAFETY: caller.
        unsafe { submit(&queue, READ, blocking != 0, (count, list), event, work) }
    };
    answer(read())
}

/// Writes a part of an image.
///
/// # Safety
/// The host's memory is readable until the command has ended; the origin and the region are readable or null; lists as
/// their counts say.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clEnqueueWriteImage(
    queue: Raw,
    image: Raw,
    blocking: u32,
    origin: *const [usize; 3],
    region: *const [usize; 3],
    row: usize,
    slice: usize,
    host: *const c_void,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    let write = || {
        let forbidden = Flags::HOST_READ_ONLY;
        // SAFETY: caller.
        let transfer =
            unsafe { Transfer::new(queue, image, origin, region, [row, slice], host, forbidden) }?;
        let queue = transfer.queue.clone();
        // SAFETY: caller.
        let work = transfer.work(host as usize, |home, image, host, len| unsafe {
            home.write(image, host as *const u8, len)
        });
        // SAFETY: caller.
        unsafe { submit(&queue, WRITE, blocking != 0, (count, list), event, work) }
    };
    answer(write())
}

/// A command that copies rows between memory objects.
fn copies(
    queue: Ref<Queue>,
    number: u32,
    (source, from): (Ref<Memory>, Side),
    (target, to): (Ref<Memory>, Side),
    region: [usize; 3],
) -> Prepared<impl Repeatable> {
    let failed = failed(&queue);
    let work = move || {
        let home = source.context.home();
        rows(region, from, to, |from, to| {
            home.copy(target.at(to), source.at(from), region[0])
        })
        .map_err(&failed)
    };
    Prepared {
        queue,
        number,
        work,
    }
}

/// A copy of a part of an image to an image of the same format. Each image is given with an origin.
///
/// # Safety
/// The origins and the region are readable or null.
pub unsafe fn copy(
    queue: Raw,
    (source, source_origin): (Raw, *const [usize; 3]),
    (target, target_origin): (Raw, *const [usize; 3]),
    region: *const [usize; 3],
) -> Result<Prepared<impl Repeatable>> {
    let (queue, source) = image_and_queue(queue, source)?;
    let (_, target) = image_and_queue(queue.raw(), target)?;
    let (one, other) = (source.image()?, target.image()?);
    if one.format != other.format {
        return Err(Code::IMAGE_FORMAT_MISMATCH);
    }
    // SAFETY: caller.
    let (source_origin, target_origin, region) =
        unsafe { (three(source_origin)?, three(target_origin)?, three(region)?) };
    let (from, bytes) = one.part(source_origin, region)?;
    let (to, _) = other.part(target_origin, region)?;
    let meets = |index: usize| source_origin[index].abs_diff(target_origin[index]) < region[index];
    if std::sync::Arc::ptr_eq(&source, &target) && (0..3).all(meets) {
        return Err(Code::MEM_COPY_OVERLAP);
    }
    let (source, target) = ((source.clone(), from), (target.clone(), to));
    Ok(copies(queue, COPY, source, target, bytes))
}

/// Copies a part of an image to an image of the same format.
///
/// # Safety
/// The origins and the region are readable or null; lists as their counts say.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clEnqueueCopyImage(
    queue: Raw,
    source: Raw,
    target: Raw,
    source_origin: *const [usize; 3],
    target_origin: *const [usize; 3],
    region: *const [usize; 3],
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    let (source, target) = ((source, source_origin), (target, target_origin));
    // SAFETY: caller.
    let copy = unsafe { copy(queue, source, target, region) };
    // SAFETY: caller.
    answer(copy.and_then(|copy| unsafe { copy.enqueue((count, list), event) }))
}

/// A copy between an image and a buffer: rows without gaps from an offset of the buffer.
struct BufferCopy {
    queue: Ref<Queue>,
    image: (Ref<Memory>, Side),
    buffer: (Ref<Memory>, Side),
    region: [usize; 3],
}

impl BufferCopy {
    /// # Safety
    /// The origin and the region are readable or null.
    unsafe fn new(
        queue: Raw,
        image: Raw,
        buffer: Raw,
        origin: *const [usize; 3],
        region: *const [usize; 3],
        offset: usize,
    ) -> Result<BufferCopy> {
        let (queue, memory) = image_and_queue(queue, image)?;
        let (_, buffer) = queue_and_buffer(queue.raw(), buffer)?;
        // SAFETY: caller.
        let (origin, region) = unsafe { (three(origin)?, three(region)?) };
        let (image_side, region) = memory.image()?.part(origin, region)?;
        let side = Side::new([offset, 0, 0], region, 0, 0)?;
        side.check(buffer.size, region)?;
        Ok(BufferCopy {
            queue,
            image: (memory, image_side),
            buffer: (buffer, side),
            region,
        })
    }
}

/// A copy of a part of an image to a buffer.
///
/// # Safety
/// The origin and the region are readable or null.
pub unsafe fn to_buffer(
    queue: Raw,
    image: Raw,
    buffer: Raw,
    origin: *const [usize; 3],
    region: *const [usize; 3],
    offset: usize,
) -> Result<Prepared<impl Repeatable>> {
    // SAFETY: caller.
    let it = unsafe { BufferCopy::new(queue, image, buffer, origin, region, offset) }?;
    Ok(copies(it.queue, TO_BUFFER, it.image, it.buffer, it.region))
}

/// A copy from a buffer to a part of an image.
///
/// # Safety
/// The origin and the region are readable or null.
pub unsafe fn from_buffer(
    queue: Raw,
    image: Raw,
    buffer: Raw,
    origin: *const [usize; 3],
    region: *const [usize; 3],
    offset: usize,
) -> Result<Prepared<impl Repeatable>> {
    // SAFETY: caller.
    let it = unsafe { BufferCopy::new(queue, image, buffer, origin, region, offset) }?;
    Ok(copies(
        it.queue,
        FROM_BUFFER,
        it.buffer,
        it.image,
        it.region,
    ))
}

/// Copies a part of an image to a buffer.
///
/// # Safety
/// The origin and the region are readable or null; lists as their counts say.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clEnqueueCopyImageToBuffer(
    queue: Raw,
    image: Raw,
    buffer: Raw,
    origin: *const [usize; 3],
    region: *const [usize; 3],
    offset: usize,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    // SAFETY: caller.
    let copy = unsafe { to_buffer(queue, image, buffer, origin, region, offset) };
    // SAFETY: caller.
    answer(copy.and_then(|copy| unsafe { copy.enqueue((count, list), event) }))
}

/// Copies from a buffer to a part of an image.
///
/// # Safety
/// The origin and the region are readable or null; lists as their counts say.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clEnqueueCopyBufferToImage(
    queue: Raw,
    buffer: Raw,
    image: Raw,
    offset: usize,
    origin: *const [usize; 3],
    region: *const [usize; 3],
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    // SAFETY: caller.
    let copy = unsafe { from_buffer(queue, image, buffer, origin, region, offset) };
    // SAFETY: caller.
    answer(copy.and_then(|copy| unsafe { copy.enqueue((count, list), event) }))
}

/// A fill of a part of an image with a colour.
///
/// # Safety
/// `colour` is readable for four numbers or null, the origin and the region are readable or null.
pub unsafe fn fill_image(
    queue: Raw,
    image: Raw,
    colour: *const [u32; 4],
    origin: *const [usize; 3],
    region: *const [usize; 3],
) -> Result<Prepared<impl Repeatable>> {
    let (queue, memory) = image_and_queue(queue, image)?;
    if colour.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    let image = memory.image()?;
    // SAFETY: caller.
    let (side, region) = unsafe { image.part(three(origin)?, three(region)?) }?;
    // SAFETY: caller.
    let texel = image.format.texel(unsafe { colour.read_unaligned() });
    let (failed, memory) = (failed(&queue), memory.clone());
    let work = move || {
        let home = memory.context.home();
        rows(region, side, side, |at, _| {
            fill(home, memory.at(at), region[0], &texel)
        })
        .map_err(&failed)
    };
    Ok(Prepared {
        queue,
        number: FILL,
        work,
    })
}

/// Fills a part of an image with a colour.
///
/// # Safety
/// `colour` is readable for four numbers or null, the origin and the region are readable or null; lists as their counts
/// say.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clEnqueueFillImage(
    queue: Raw,
    image: Raw,
    colour: *const [u32; 4],
    origin: *const [usize; 3],
    region: *const [usize; 3],
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    // SAFETY: caller.
    let fill = unsafe { fill_image(queue, image, colour, origin, region) };
    // SAFETY: caller.
    answer(fill.and_then(|fill| unsafe { fill.enqueue((count, list), event) }))
}

//! Images: how they are made, and questions about them.

use std::ffi::c_void;

use crate::codes::{Code, Result};
use crate::context::Context;
use crate::entry::memory::{flags, new_flags, part_flags};
use crate::entry::{answer, created, properties};
use crate::handle::{Raw, Ref, create, get};
use crate::image::format::{self, Format};
use crate::image::{Image, Kind, Shape};
use crate::memory::{Flags, Memory};
use crate::query::Answer;

/// `CL_MEM_KERNEL_READ_AND_WRITE`, which only the question for formats knows.
const KERNEL_READ_AND_WRITE: u64 = 1 << 12;

/// `cl_image_desc`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Description {
    kind: u32,
    width: usize,
    height: usize,
    depth: usize,
    layers: usize,
    row_pitch: usize,
    slice_pitch: usize,
    levels: u32,
    samples: u32,
    buffer: Raw,
}

impl Description {
    fn shape(&self) -> Result<Shape> {
        let kind = Kind::of(self.kind).ok_or(Code::INVALID_IMAGE_DESCRIPTOR)?;
        if self.levels != 0 || self.samples != 0 {
            return Err(Code::INVALID_IMAGE_DESCRIPTOR);
        }
        Ok(Shape {
            kind,
            width: self.width,
            height: self.height,
            depth: self.depth,
            layers: self.layers,
            row_pitch: self.row_pitch,
            slice_pitch: self.slice_pitch,
        })
    }
}

/// # Safety
/// `host` is readable for the image's bytes or null.
unsafe fn image(
    context: Raw,
    bits: u64,
    format: Option<Format>,
    description: Option<Description>,
    host: *mut c_void,
    list: Vec<u64>,
) -> Result<Ref<Memory>> {
    let context = get::<Context>(context)?;
    // No property of images is known.
    if list.len() > 1 {
        return Err(Code::INVALID_PROPERTY);
    }
    let given = flags(bits)?;
    let format = format.ok_or(Code::INVALID_IMAGE_FORMAT_DESCRIPTOR)?;
    let description = description.ok_or(Code::INVALID_IMAGE_DESCRIPTOR)?;
    let shape = description.shape()?;
    format.check()?;
    let has_buffer = !description.buffer.is_null();
    let takes_buffer = match shape.kind {
        Kind::LineOfBuffer => has_buffer,
        Kind::Plane => true,
        _ => !has_buffer,
    };
    let has_pitch = (shape.row_pitch, shape.slice_pitch) != (0, 0);
    if !takes_buffer || (has_pitch && host.is_null() && !has_buffer) {
        return Err(Code::INVALID_IMAGE_DESCRIPTOR);
    }
    let image = Image::new(format, shape)?;
    let size = image.size().ok_or(Code::INVALID_IMAGE_SIZE)?;
    if has_buffer {
        let buffer = get::<Memory>(description.buffer);
        let buffer = buffer.map_err(|_| Code::INVALID_IMAGE_DESCRIPTOR)?;
        return of_buffer(&context, &buffer, (given, size, host), image, list);
    }
    let named = given.intersects(Flags::USE_HOST_PTR | Flags::COPY_HOST_PTR);
    if named == host.is_null() {
        return Err(Code::INVALID_HOST_PTR);
    }
    let too_large = |device: &Ref<crate::device::Device>| size as u64 > device.max_allocation();
    if context.devices.iter().any(too_large) {
        return Err(Code::MEM_OBJECT_ALLOCATION_FAILURE);
    }
    if given.contains(Flags::USE_HOST_PTR)
        && context
            .shared_at(host as usize)
            .is_some_and(|left| left < size)
    {
        return Err(Code::INVALID_HOST_PTR);
    }
    // SAFETY: caller.
    let memory =
        unsafe { Memory::buffer(context, new_flags(given), size, host.cast(), Vec::new()) }?;
    Ok(create(memory.into_image(image, list)?))
}

/// An image of a buffer's memory.
fn of_buffer(
    context: &Ref<Context>,
    buffer: &Ref<Memory>,
    (given, size, host): (Flags, usize, *mut c_void),
    image: Image,
    list: Vec<u64>,
) -> Result<Ref<Memory>> {
    if buffer.image.is_some() {
        return Err(Code::INVALID_IMAGE_DESCRIPTOR);
    }
    if !std::ptr::eq(&raw const **context, &raw const *buffer.context) {
        return Err(Code::INVALID_CONTEXT);
    }
    if !host.is_null() {
        return Err(Code::INVALID_HOST_PTR);
    }
    if size > buffer.size {
        return Err(Code::INVALID_IMAGE_SIZE);
    }
    let flags = part_flags(buffer.flags, given)?;
    let part = Memory::part(buffer, flags, 0, size);
    Ok(create(part.into_image(image, list)?))
}

/// What a pointer of the program's points at.
///
/// # Safety
/// `value` is readable or null.
unsafe fn read<T: Copy>(value: *const T) -> Option<T> {
    // SAFETY: caller.
    (!value.is_null()).then(|| unsafe { *value })
}

/// An image.
///
/// # Safety
/// `format` and `description` are readable or null, `host` is readable for the image's bytes or null, `code` is
/// writable or null.
pub unsafe extern "C" fn clCreateImage(
    context: Raw,
    bits: u64,
    format: *const Format,
    description: *const Description,
    host: *mut c_void,
    code: *mut i32,
) -> Raw {
    let none = std::ptr::null();
    // SAFETY: caller.
    unsafe { clCreateImageWithProperties(context, none, bits, format, description, host, code) }
}

/// The same with properties, of which none is known.
///
/// # Safety
/// As `clCreateImage`; `list` ends with a zero or is null.
pub unsafe extern "C" fn clCreateImageWithProperties(
    context: Raw,
    list: *const u64,
    bits: u64,
    format: *const Format,
    description: *const Description,
    host: *mut c_void,
    code: *mut i32,
) -> Raw {
    // SAFETY: caller.
    unsafe {
        let (format, description) = (read(format), read(description));
        created(
            image(context, bits, format, description, host, properties(list)),
            code,
        )
    }
}

/// An image of two dimensions, as OpenCL 1.1 makes it.
///
/// # Safety
/// As `clCreateImage`.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clCreateImage2D(
    context: Raw,
    bits: u64,
    format: *const Format,
    width: usize,
    height: usize,
    row_pitch: usize,
    host: *mut c_void,
    code: *mut i32,
) -> Raw {
    let description = Description {
        width,
        height,
        row_pitch,
        ..Description::empty(Kind::Plane)
    };
    // SAFETY: caller.
    unsafe { clCreateImage(context, bits, format, &raw const description, host, code) }
}

/// An image of three dimensions, as OpenCL 1.1 makes it.
///
/// # Safety
/// As `clCreateImage`.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clCreateImage3D(
    context: Raw,
    bits: u64,
    format: *const Format,
    width: usize,
    height: usize,
    depth: usize,
    row_pitch: usize,
    slice_pitch: usize,
    host: *mut c_void,
    code: *mut i32,
) -> Raw {
    let description = Description {
        width,
        height,
        depth,
        row_pitch,
        slice_pitch,
        ..Description::empty(Kind::Volume)
    };
    // SAFETY: caller.
    unsafe { clCreateImage(context, bits, format, &raw const description, host, code) }
}

impl Description {
    fn empty(kind: Kind) -> Description {
        Description {
            kind: kind.number(),
            width: 0,
            height: 0,
            depth: 0,
            layers: 0,
            row_pitch: 0,
            slice_pitch: 0,
            levels: 0,
            samples: 0,
            buffer: std::ptr::null_mut(),
        }
    }
}

/// The formats of images: the same for all kinds and every access.
///
/// # Safety
/// `formats` has room for `count` formats or is null, `found` is writable or null.
pub unsafe extern "C" fn clGetSupportedImageFormats(
    context: Raw,
    bits: u64,
    kind: u32,
    count: u32,
    formats: *mut Format,
    found: *mut u32,
) -> i32 {
    let list = || {
        get::<Context>(context)?;
        flags(bits & !KERNEL_READ_AND_WRITE)?;
        Kind::of(kind).ok_or(Code::INVALID_VALUE)?;
        if count == 0 && !formats.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        if !formats.is_null() {
            for (index, format) in format::all().take(count as usize).enumerate() {
                // SAFETY: caller.
                unsafe { *formats.add(index) = format };
            }
        }
        if !found.is_null() {
            // SAFETY: caller.
            unsafe { *found = format::all().count() as u32 };
        }
        Ok(())
    };
    answer(list())
}

/// Says what an image is.
///
/// # Safety
/// `value` is writable for `size` bytes or null, `needed` is writable or null.
pub unsafe extern "C" fn clGetImageInfo(
    raw: Raw,
    name: u32,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> i32 {
    let asked = || {
        let memory = get::<Memory>(raw)?;
        let image = memory.image()?;
        let [width, rows, planes] = image.extent;
        // What the kind does not have is 0.
        let has = |is_so: bool, size: usize| Answer::of(if is_so { size } else { 0 });
        let is = |kinds: &[Kind]| kinds.contains(&image.kind);
        Ok(match name {
            0x1110 => Answer::list(&[image.format.order, image.format.channel]),
            0x1111 => Answer::of(image.format.bytes()),
            0x1112 => Answer::of(image.row_pitch),
            0x1113 => Answer::of(image.slice_pitch),
            0x1114 => Answer::of(width),
            0x1115 => has(is(&[Kind::Plane, Kind::PlaneArray, Kind::Volume]), rows),
            0x1116 => has(is(&[Kind::Volume]), planes),
            0x1117 if is(&[Kind::LineArray]) => Answer::of(rows),
            0x1117 => has(is(&[Kind::PlaneArray]), planes),
            0x1118 => {
                let parent = memory.parent.as_ref();
                Answer::raw(parent.map_or(std::ptr::null_mut(), |(parent, _)| parent.raw()))
            }
            // Levels and samples: no image has several.
            0x1119 | 0x111a => Answer::of(0u32),
            _ => return Err(Code::INVALID_VALUE),
        })
    };
    // SAFETY: caller.
    answer(asked().and_then(|answer: Answer| unsafe { answer.give(size, value, needed) }))
}

//! Memory objects.

use std::ffi::c_void;

use crate::codes::{Code, Result};
use crate::context::Context;
use crate::device::ALIGNMENT;
use crate::entry::{answer, created, properties, queue_and, submit};
use crate::handle::{Raw, Ref, create, get, get_all, release, retain};
use crate::memory::{Flags, HOST_ACCESS, HOST_POINTER, KERNEL_ACCESS, Memory};
use crate::query::Answer;
use crate::queue::Queue;

/// `CL_BUFFER_CREATE_TYPE_REGION`.
const REGION: u32 = 0x1220;
/// `CL_COMMAND_MIGRATE_MEM_OBJECTS`.
const MIGRATE: u32 = 0x1206;

/// The flags, if they go together.
pub fn flags(bits: u64) -> Result<Flags> {
    let flags = Flags::from_bits(bits).ok_or(Code::INVALID_VALUE)?;
    let one_of = |all: Flags| flags.intersection(all).bits().count_ones() <= 1;
    let has_two = flags.contains(Flags::USE_HOST_PTR)
        && flags.intersects(Flags::ALLOC_HOST_PTR | Flags::COPY_HOST_PTR);
    match one_of(KERNEL_ACCESS) && one_of(HOST_ACCESS) && !has_two {
        true => Ok(flags),
        false => Err(Code::INVALID_VALUE),
    }
}

/// A new object's flags: kernels read and write it, unless the program says otherwise.
pub fn new_flags(flags: Flags) -> Flags {
    match flags.intersects(KERNEL_ACCESS) {
        true => flags,
        false => flags | Flags::READ_WRITE,
    }
}

/// # Safety
/// `host` is readable for `size` bytes or null.
unsafe fn buffer(
    context: Raw,
    bits: u64,
    size: usize,
    host: *mut c_void,
    list: Vec<u64>,
) -> Result<Ref<Memory>> {
    let context = get::<Context>(context)?;
    // No property of buffers is known.
    if list.len() > 1 {
        return Err(Code::INVALID_PROPERTY);
    }
    let flags = new_flags(flags(bits)?);
    let too_large = |device: &Ref<crate::device::Device>| size as u64 > device.max_allocation();
    if size == 0 || context.devices.iter().any(too_large) {
        return Err(Code::INVALID_BUFFER_SIZE);
    }
    let named = flags.intersects(Flags::USE_HOST_PTR | Flags::COPY_HOST_PTR);
    if named == host.is_null() {
        return Err(Code::INVALID_HOST_PTR);
    }
    // A buffer in shared virtual memory ends where the allocation does.
    let left = context.shared_at(host as usize);
    if flags.contains(Flags::USE_HOST_PTR) && left.is_some_and(|left| left < size) {
        return Err(Code::INVALID_BUFFER_SIZE);
    }
    // SAFETY: caller.
    let memory = unsafe { Memory::buffer(context, flags, size, host.cast(), list) }?;
    Ok(create(memory))
}

/// A buffer.
///
/// # Safety
/// `host` is readable for `size` bytes or null, `code` is writable or null.
pub unsafe extern "C" fn clCreateBuffer(
    context: Raw,
    bits: u64,
    size: usize,
    host: *mut c_void,
    code: *mut i32,
) -> Raw {
    // SAFETY: caller.
    unsafe { created(buffer(context, bits, size, host, Vec::new()), code) }
}

/// A buffer with properties, of which none is known.
///
/// # Safety
/// As `clCreateBuffer`; `list` ends with a zero or is null.
pub unsafe extern "C" fn clCreateBufferWithProperties(
    context: Raw,
    list: *const u64,
    bits: u64,
    size: usize,
    host: *mut c_void,
    code: *mut i32,
) -> Raw {
    // SAFETY: caller.
    unsafe { created(buffer(context, bits, size, host, properties(list)), code) }
}

/// A part of a buffer.
///
/// # Safety
/// `region` is null or has an origin and a size, `code` is writable or null.
pub unsafe extern "C" fn clCreateSubBuffer(
    parent: Raw,
    bits: u64,
    kind: u32,
    region: *const [usize; 2],
    code: *mut i32,
) -> Raw {
    let made = || {
        let parent = get::<Memory>(parent)?;
        if parent.parent.is_some() || parent.image.is_some() {
            return Err(Code::INVALID_MEM_OBJECT);
        }
        let flags = part_flags(parent.flags, flags(bits)?)?;
        if kind != REGION || region.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        let [origin, size] = unsafe { *region };
        if size == 0 {
            return Err(Code::INVALID_BUFFER_SIZE);
        }
        parent.check(origin, size)?;
        if !origin.is_multiple_of(ALIGNMENT) {
            return Err(Code::MISALIGNED_SUB_BUFFER_OFFSET);
        }
        Ok(create(Memory::part(&parent, flags, origin, size)))
    };
    // SAFETY: caller.
    unsafe { created(made(), code) }
}

/// A part's flags: what it does not say is as with the whole, and it may not allow more.
pub fn part_flags(whole: Flags, mut part: Flags) -> Result<Flags> {
    if part.intersects(HOST_POINTER) {
        return Err(Code::INVALID_VALUE);
    }
    let kernels = part & KERNEL_ACCESS;
    let narrows =
        kernels.is_empty() || whole.contains(Flags::READ_WRITE) || whole & KERNEL_ACCESS == kernels;
    let host = part & HOST_ACCESS;
    let narrows_host = host.is_empty()
        || !whole.intersects(HOST_ACCESS)
        || host == Flags::HOST_NO_ACCESS
        || whole & HOST_ACCESS == host;
    if !narrows || !narrows_host {
        return Err(Code::INVALID_VALUE);
    }
    if kernels.is_empty() {
        part |= whole & KERNEL_ACCESS;
    }
    if host.is_empty() {
        part |= whole & HOST_ACCESS;
    }
    Ok(part | (whole & HOST_POINTER))
}

/// One reference more.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clRetainMemObject(raw: Raw) -> i32 {
    answer(retain::<Memory>(raw))
}

/// One reference less.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clReleaseMemObject(raw: Raw) -> i32 {
    answer(release::<Memory>(raw))
}

/// Says what a memory object is.
///
/// # Safety
/// `value` is writable for `size` bytes or null, `needed` is writable or null.
pub unsafe extern "C" fn clGetMemObjectInfo(
    raw: Raw,
    name: u32,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> i32 {
    let asked = || {
        let memory = get::<Memory>(raw)?;
        let parent = memory.parent.as_ref();
        Ok(match name {
            // CL_MEM_OBJECT_BUFFER, or the image's kind.
            0x1100 => {
                let image = memory.image.as_ref();
                Answer::of(image.map_or(0x10f0, |image| image.kind.number()))
            }
            0x1101 => Answer::of(memory.flags.bits()),
            0x1102 => Answer::of(memory.size),
            0x1103 => Answer::raw(memory.host as Raw),
            0x1104 => Answer::of(memory.map_count()),
            0x1105 => Answer::of(memory.references()),
            0x1106 => Answer::raw(memory.context.raw()),
            0x1107 => Answer::raw(parent.map_or(std::ptr::null_mut(), |(parent, _)| parent.raw())),
            0x1108 => Answer::of(parent.map_or(0, |(_, origin)| *origin)),
            0x1109 => Answer::truth(memory.context.shared_at(memory.host).is_some()),
            0x110a => Answer::list(&memory.properties),
            _ => return Err(Code::INVALID_VALUE),
        })
    };
    // SAFETY: caller.
    answer(asked().and_then(|answer: Answer| unsafe { answer.give(size, value, needed) }))
}

/// Has a function called when a memory object ends.
///
/// # Safety
/// The function may be called with the handle and its argument.
pub unsafe extern "C" fn clSetMemObjectDestructorCallback(
    raw: Raw,
    notify: Option<unsafe extern "C" fn(Raw, *mut c_void)>,
    argument: *mut c_void,
) -> i32 {
    let set = || {
        let memory = get::<Memory>(raw)?;
        let notify = notify.ok_or(Code::INVALID_VALUE)?;
        let (raw, argument) = (raw as usize, argument as usize);
        memory.on_end(Box::new(move || {
            // SAFETY: caller.
            unsafe { notify(raw as Raw, argument as *mut c_void) }
        }));
        Ok(())
    };
    answer(set())
}

/// Memory is where all devices of a context reach it.
///
/// # Safety
/// The lists have as many handles as their counts say, or are null; `event` is writable or null.
pub unsafe extern "C" fn clEnqueueMigrateMemObjects(
    queue: Raw,
    count: u32,
    objects: *const Raw,
    bits: u64,
    list_count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    let migrate = || {
        let queue = get::<Queue>(queue)?;
        if count == 0 || objects.is_null() || bits & !3 != 0 {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        for memory in unsafe { get_all::<Memory>(count, objects) }? {
            queue_and::<Memory>(queue.raw(), memory.raw(), |memory| &memory.context)?;
        }
        let work = Box::new(|| Ok(()));
        // SAFETY: caller.
        unsafe { submit(&queue, MIGRATE, false, (list_count, list), event, work) }
    };
    answer(migrate())
}

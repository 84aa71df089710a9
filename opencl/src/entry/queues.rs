//! Command queues.

use std::ffi::c_void;

use crate::codes::{Code, Result};
use crate::context::Context;
use crate::device::Device;
use crate::entry::{answer, created, properties};
use crate::handle::{Raw, Ref, create, get, release, retain};
use crate::query::Answer;
use crate::queue::{Properties, Queue};
use crate::scheduler::announce;

/// `CL_QUEUE_PROPERTIES`.
const PROPERTIES: u64 = 0x1093;
/// `CL_QUEUE_SIZE`, of queues on the device.
const SIZE: u64 = 0x1094;
/// `CL_QUEUE_ON_DEVICE` and `CL_QUEUE_ON_DEVICE_DEFAULT`.
const ON_DEVICE: u64 = 4 | 8;

fn queue(context: Raw, device: Raw, bits: u64, list: Vec<u64>) -> Result<Ref<Queue>> {
    let context = get::<Context>(context)?;
    let device = get::<Device>(device)?;
    context.device(&device)?;
    if bits & !(Properties::all().bits() | ON_DEVICE) != 0 {
        return Err(Code::INVALID_VALUE);
    }
    let properties = Properties::from_bits(bits).ok_or(Code::INVALID_QUEUE_PROPERTIES)?;
    Ok(create(Queue::new(context, device, properties, list)))
}

/// A queue, as OpenCL 1 makes them.
///
/// # Safety
/// `code` is writable or null.
pub unsafe extern "C" fn clCreateCommandQueue(
    context: Raw,
    device: Raw,
    bits: u64,
    code: *mut i32,
) -> Raw {
    // SAFETY: caller.
    unsafe { created(queue(context, device, bits, Vec::new()), code) }
}

/// A queue.
///
/// # Safety
/// `list` ends with a zero or is null, `code` is writable or null.
pub unsafe extern "C" fn clCreateCommandQueueWithProperties(
    context: Raw,
    device: Raw,
    list: *const u64,
    code: *mut i32,
) -> Raw {
    let made = || {
        // SAFETY: caller.
        let list = unsafe { properties(list) };
        let mut bits = 0;
        for pair in list.chunks_exact(2) {
            match pair[0] {
                PROPERTIES => bits = pair[1],
                SIZE => return Err(Code::INVALID_QUEUE_PROPERTIES),
                _ => return Err(Code::INVALID_VALUE),
            }
        }
        queue(context, device, bits, list)
    };
    // SAFETY: caller.
    unsafe { created(made(), code) }
}

/// One reference more.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clRetainCommandQueue(raw: Raw) -> i32 {
    answer(retain::<Queue>(raw))
}

/// One reference less. Commands that are enqueued run nevertheless.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clReleaseCommandQueue(raw: Raw) -> i32 {
    announce();
    answer(release::<Queue>(raw))
}

/// Says what a queue is.
///
/// # Safety
/// `value` is writable for `size` bytes or null, `needed` is writable or null.
pub unsafe extern "C" fn clGetCommandQueueInfo(
    raw: Raw,
    name: u32,
    size: usize,
    value: *mut c_void,
    needed: *mut usize,
) -> i32 {
    let asked = || {
        let queue = get::<Queue>(raw)?;
        Ok(match name {
            0x1090 => Answer::raw(queue.context.raw()),
            0x1091 => Answer::raw(queue.device.raw()),
            0x1092 => Answer::of(queue.references()),
            0x1093 => Answer::of(queue.properties.bits()),
            // CL_QUEUE_SIZE is of queues on the device.
            0x1094 => return Err(Code::INVALID_COMMAND_QUEUE),
            0x1095 => Answer::raw(std::ptr::null_mut()),
            0x1098 => Answer::list(&queue.list),
            _ => return Err(Code::INVALID_VALUE),
        })
    };
    // SAFETY: caller.
    answer(asked().and_then(|answer: Answer| unsafe { answer.give(size, value, needed) }))
}

/// Queues do not change (OpenCL 1.1 dropped it).
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clSetCommandQueueProperty(
    raw: Raw,
    _bits: u64,
    _enable: u32,
    _old: *mut u64,
) -> i32 {
    answer(get::<Queue>(raw).and(Err(Code::INVALID_OPERATION)))
}

/// There are no queues on devices.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clSetDefaultDeviceCommandQueue(
    context: Raw,
    device: Raw,
    _queue: Raw,
) -> i32 {
    let known = || {
        get::<Context>(context)?;
        get::<Device>(device)?;
        Err(Code::INVALID_OPERATION)
    };
    answer(known())
}

/// Commands begin as soon as they can.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clFlush(raw: Raw) -> i32 {
    answer(get::<Queue>(raw).map(|_| announce()))
}

/// Waits for everything that was enqueued.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clFinish(raw: Raw) -> i32 {
    let finish = || {
        let queue = get::<Queue>(raw)?;
        for command in queue.outstanding() {
            // A failure is told by the command's event.
            let _ = command.wait(Some(raw as usize));
        }
        Ok(())
    };
    answer(finish())
}

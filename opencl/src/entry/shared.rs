//! Shared virtual memory: host and kernels reach it under one address, and see each other's accesses.

use std::ffi::c_void;

use plugin_api::{DevicePtr, MemoryKind};

use crate::codes::{Code, Result};
use crate::context::Context;
use crate::device::ALIGNMENT;
use crate::entry::fills::{fill, pattern};
use crate::entry::mappings::check_flags;
use crate::entry::prepared::{Prepared, Repeatable};
use crate::entry::transfers::failed;
use crate::entry::{answer, submit};
use crate::handle::{Raw, Ref, get};
use crate::queue::Queue;

/// `CL_COMMAND_SVM_…`.
const FREE: u32 = 0x1209;
const MEMCPY: u32 = 0x120a;
const MEMFILL: u32 = 0x120b;
const MAP: u32 = 0x120c;
const UNMAP: u32 = 0x120d;
const MIGRATE: u32 = 0x120e;

/// `CL_MEM_READ_WRITE`, `WRITE_ONLY` and `READ_ONLY`.
const ACCESS: u64 = 7;
/// `CL_MEM_SVM_FINE_GRAIN_BUFFER`.
const FINE: u64 = 1 << 10;
/// `CL_MEM_SVM_ATOMICS`.
const ATOMICS: u64 = 1 << 11;

/// `pfn_free_func` of `clEnqueueSVMFree`.
type FreeFunction = unsafe extern "C" fn(Raw, u32, *mut *mut c_void, *mut c_void);

/// Allocates shared memory; null if that cannot be.
///
/// # Safety
/// None is needed.
pub unsafe extern "C" fn clSVMAlloc(
    context: Raw,
    bits: u64,
    size: usize,
    alignment: u32,
) -> *mut c_void {
    let allocate = || -> Option<usize> {
        let context = get::<Context>(context).ok()?;
        let is_known = bits & !(ACCESS | FINE | ATOMICS) == 0
            && (bits & ACCESS).count_ones() <= 1
            && (bits & ATOMICS == 0 || bits & FINE != 0);
        let alignment = alignment as usize;
        let is_aligned = alignment == 0 || (alignment.is_power_of_two() && alignment <= ALIGNMENT);
        let fits = |device: &Ref<crate::device::Device>| size as u64 <= device.max_allocation();
        if !is_known || !is_aligned || size == 0 || !context.devices.iter().all(fits) {
            return None;
        }
        let allocated = context.home().alloc(size as u64, MemoryKind::Shared);
        let address = allocated.ok()?.0 as usize;
        context.shared.lock().push((address, size));
        Some(address)
    };
    allocate().unwrap_or(0) as *mut c_void
}

/// Frees shared memory. What is none of it stays.
///
/// # Safety
/// Nothing uses the memory any more.
pub unsafe extern "C" fn clSVMFree(context: Raw, pointer: *mut c_void) {
    if let Ok(context) = get::<Context>(context) {
        free(&context, pointer as usize);
    }
}

fn free(context: &Ref<Context>, address: usize) {
    let mut shared = context.shared.lock();
    let Some(index) = shared.iter().position(|(start, _)| *start == address) else {
        return;
    };
    shared.swap_remove(index);
    drop(shared);
    if let Err(error) = context.home().free(DevicePtr(address as u64)) {
        context.tell("shared memory cannot be freed", &error.to_string());
    }
}

/// Frees shared memory as a command.
///
/// # Safety
/// Lists as their counts say; the function may be called with the pointers and its argument.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clEnqueueSVMFree(
    queue: Raw,
    pointer_count: u32,
    pointers: *mut *mut c_void,
    function: Option<FreeFunction>,
    argument: *mut c_void,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    let run = || {
        let queue = get::<Queue>(queue)?;
        if pointer_count == 0 || pointers.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        let read = |index| {
            // SAFETY: caller.
            (unsafe { *pointers.add(index) }) as usize
        };
        let addresses: Vec<usize> = (0..pointer_count as usize).map(read).collect();
        let (kept, argument) = (queue.clone(), argument as usize);
        let work = Box::new(move || {
            match function {
                Some(function) => {
                    let mut pointers: Vec<*mut c_void> = addresses
                        .iter()
                        .map(|address| *address as *mut c_void)
                        .collect();
                    let argument = argument as *mut c_void;
                    // SAFETY: caller.
                    unsafe { function(kept.raw(), pointer_count, pointers.as_mut_ptr(), argument) };
                }
                None => addresses
                    .iter()
                    .for_each(|address| free(&kept.context, *address)),
            }
            Ok(())
        });
        // SAFETY: caller.
        unsafe { submit(&queue, FREE, false, (count, list), event, work) }
    };
    answer(run())
}

/// A copy between shared memory, the host's, and either. Both are accessible for `size` bytes when it runs.
pub fn copy(
    queue: Raw,
    to: *mut c_void,
    from: *const c_void,
    size: usize,
) -> Result<Prepared<impl Repeatable>> {
    let queue = get::<Queue>(queue)?;
    if to.is_null() || from.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    let (first, second) = (to as usize, from as usize);
    if first < second.saturating_add(size) && second < first.saturating_add(size) {
        return Err(Code::MEM_COPY_OVERLAP);
    }
    let work = move || {
        // SAFETY: caller; shared memory is the host's, too.
        unsafe { std::ptr::copy_nonoverlapping(second as *const u8, first as *mut u8, size) };
        Ok(())
    };
    Ok(Prepared {
        queue,
        number: MEMCPY,
        work,
    })
}

/// Copies between shared memory, the host's, and either.
///
/// # Safety
/// Both are accessible for `size` bytes until the command has ended; lists as their counts say.
pub unsafe extern "C" fn clEnqueueSVMMemcpy(
    queue: Raw,
    blocking: u32,
    to: *mut c_void,
    from: *const c_void,
    size: usize,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    let run = || {
        let copy = copy(queue, to, from, size)?;
        let (queue, work) = (copy.queue, Box::new(copy.work));
        // SAFETY: caller.
        unsafe { submit(&queue, MEMCPY, blocking != 0, (count, list), event, work) }
    };
    answer(run())
}

/// A fill of shared memory with a pattern of some size.
///
/// # Safety
/// The pattern is readable or null.
pub unsafe fn fill_shared(
    queue: Raw,
    pointer: *mut c_void,
    (given, given_size): (*const c_void, usize),
    size: usize,
) -> Result<Prepared<impl Repeatable>> {
    let queue = get::<Queue>(queue)?;
    // SAFETY: caller.
    let pattern = unsafe { pattern(given, given_size) }?;
    let address = pointer as usize;
    let is_aligned = address.is_multiple_of(given_size) && size.is_multiple_of(given_size);
    if pointer.is_null() || size == 0 || !is_aligned {
        return Err(Code::INVALID_VALUE);
    }
    let (failed, kept) = (failed(&queue), queue.clone());
    let work = move || {
        let place = DevicePtr(address as u64);
        fill(kept.context.home(), place, size, &pattern).map_err(&failed)
    };
    Ok(Prepared {
        queue,
        number: MEMFILL,
        work,
    })
}

/// Fills shared memory.
///
/// # Safety
/// `given` is readable for `given_size` bytes or null; lists as their counts say.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clEnqueueSVMMemFill(
    queue: Raw,
    pointer: *mut c_void,
    given: *const c_void,
    given_size: usize,
    size: usize,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    // SAFETY: caller.
    let fill = unsafe { fill_shared(queue, pointer, (given, given_size), size) };
    // SAFETY: caller.
    answer(fill.and_then(|fill| unsafe { fill.enqueue((count, list), event) }))
}

/// Maps shared memory, which the host reaches anyway: the command orders accesses.
///
/// # Safety
/// Lists as their counts say, `event` is writable or null.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clEnqueueSVMMap(
    queue: Raw,
    blocking: u32,
    bits: u64,
    pointer: *mut c_void,
    size: usize,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    let run = || {
        let queue = get::<Queue>(queue)?;
        if pointer.is_null() || size == 0 {
            return Err(Code::INVALID_VALUE);
        }
        check_flags(bits)?;
        let work = Box::new(|| Ok(()));
        // SAFETY: caller.
        unsafe { submit(&queue, MAP, blocking != 0, (count, list), event, work) }
    };
    answer(run())
}

/// Ends a mapping.
///
/// # Safety
/// Lists as their counts say, `event` is writable or null.
pub unsafe extern "C" fn clEnqueueSVMUnmap(
    queue: Raw,
    pointer: *mut c_void,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    let run = || {
        let queue = get::<Queue>(queue)?;
        if pointer.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        let work = Box::new(|| Ok(()));
        // SAFETY: caller.
        unsafe { submit(&queue, UNMAP, false, (count, list), event, work) }
    };
    answer(run())
}

/// Shared memory is where all devices of a context reach it.
///
/// # Safety
/// Lists as their counts say, `event` is writable or null.
#[allow(clippy::too_many_arguments)] // OpenCL's.
pub unsafe extern "C" fn clEnqueueSVMMigrateMem(
    queue: Raw,
    pointer_count: u32,
    pointers: *const *const c_void,
    sizes: *const usize,
    bits: u64,
    count: u32,
    list: *const Raw,
    event: *mut Raw,
) -> i32 {
    let run = || {
        let queue = get::<Queue>(queue)?;
        if pointer_count == 0 || pointers.is_null() || bits & !3 != 0 {
            return Err(Code::INVALID_VALUE);
        }
        for index in 0..pointer_count as usize {
            // SAFETY: caller.
            let (pointer, size) = unsafe {
                let size = match sizes.is_null() {
                    true => 0,
                    false => *sizes.add(index),
                };
                (*pointers.add(index), size)
            };
            let left = queue.context.shared_at(pointer as usize);
            if left.is_none_or(|left| left < size) {
                return Err(Code::INVALID_VALUE);
            }
        }
        let work = Box::new(|| Ok(()));
        // SAFETY: caller.
        unsafe { submit(&queue, MIGRATE, false, (count, list), event, work) }
    };
    answer(run())
}

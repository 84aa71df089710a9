//! `omp_target_memcpy_async` and related routines (OpenMP 5.2, 18.8.7 and 18.8.8). They run as target tasks, which have
//! the dependences of their depend objects and on which others can depend. Wrong arguments are an error of the call. An
//! error of the copy itself ends the program, because nobody can receive it.

use std::ffi::c_void;

use crate::construct::target_task;
use crate::entry::omp_copy::{box_of, copy_of, set};
use crate::entry::routine::{answer, fail, target_or_fail};
use crate::host_library::{Dependences, wait_for};
use crate::report::error::Result;

/// Size of libomp's `kmp_depend_info`, in words.
const DEPENDENCE_WORDS: usize = 3;

/// The dependences in the depend objects, in libomp's layout.
///
/// # Safety
/// `objects` is null or has `count` depend objects of libomp.
unsafe fn dependences(count: i32, objects: *const *const c_void) -> Vec<[u64; DEPENDENCE_WORDS]> {
    let count = usize::try_from(count).unwrap_or(0);
    if count == 0 || objects.is_null() {
        return Vec::new();
    }
    // SAFETY: caller; each object points at its `kmp_depend_info`.
    let read = |index| unsafe {
        (*objects.add(index))
            .cast::<[u64; DEPENDENCE_WORDS]>()
            .read()
    };
    (0..count).map(read).collect()
}

/// Runs `work` in a target task of `device`, or at once if there is no libomp to run tasks.
///
/// # Safety
/// `objects` is null or has `count` depend objects of libomp.
unsafe fn enqueue(
    routine: &'static str,
    device: i32,
    (count, objects): (i32, *const *const c_void),
    work: impl FnOnce() -> Result<()> + 'static,
) {
    // SAFETY: caller.
    let list = unsafe { dependences(count, objects) };
    let dependences = Dependences {
        count: list.len() as i32,
        list: list.as_ptr().cast(),
        noalias_count: 0,
        noalias_list: std::ptr::null(),
    };
    let body = move || {
        if let Err(error) = work() {
            fail(routine, device, &error);
        }
    };
    if let Err(body) = target_task::spawn(device, dependences, Box::new(body)) {
        wait_for(dependences);
        body();
    }
}

/// [`omp_target_memcpy`](crate::entry::omp_copy::omp_target_memcpy) in a task.
///
/// # Safety
/// As `omp_target_memcpy`, until the task is complete; `objects` has `count` depend objects.
pub unsafe extern "C" fn omp_target_memcpy_async(
    destination: *mut c_void,
    source: *const c_void,
    length: usize,
    destination_offset: usize,
    source_offset: usize,
    destination_device: i32,
    source_device: i32,
    count: i32,
    objects: *const *const c_void,
) -> i32 {
    const NAME: &str = "omp_target_memcpy_async";
    let to = (destination, destination_offset, destination_device);
    let from = (source, source_offset, source_device);
    let checked = copy_of(to, from, length);
    let enqueued = checked.map(|copy| {
        // A copy of nothing is still a task, because others may depend on it.
        // SAFETY: caller.
        let work = move || copy.map_or(Ok(()), |copy| unsafe { copy.run() });
        // SAFETY: caller.
        unsafe { enqueue(NAME, destination_device, (count, objects), work) }
    });
    answer(NAME, enqueued)
}

/// [`omp_target_memcpy_rect`](crate::entry::omp_copy::omp_target_memcpy_rect) in a task.
///
/// # Safety
/// As `omp_target_memcpy_rect`, until the task is complete. The five arrays are read before the routine returns.
/// `objects` has `count` depend objects.
pub unsafe extern "C" fn omp_target_memcpy_rect_async(
    destination: *mut c_void,
    source: *const c_void,
    element: usize,
    dimensions: i32,
    volume: *const usize,
    destination_offsets: *const usize,
    source_offsets: *const usize,
    destination_dimensions: *const usize,
    source_dimensions: *const usize,
    destination_device: i32,
    source_device: i32,
    count: i32,
    objects: *const *const c_void,
) -> i32 {
    const NAME: &str = "omp_target_memcpy_rect_async";
    if destination.is_null() && source.is_null() {
        return i32::MAX;
    }
    let arrays = [
        volume,
        destination_offsets,
        source_offsets,
        destination_dimensions,
        source_dimensions,
    ];
    let to = (destination, destination_device);
    let from = (source, source_device);
    // SAFETY: caller.
    let checked = unsafe { box_of(to, from, element, dimensions, arrays) };
    let enqueued = checked.map(|copy| {
        // SAFETY: caller.
        let work = move || unsafe { copy.run() };
        // SAFETY: caller.
        unsafe { enqueue(NAME, destination_device, (count, objects), work) }
    });
    answer(NAME, enqueued)
}

/// [`omp_target_memset`](crate::entry::omp_copy::omp_target_memset) in a task.
///
/// # Safety
/// As `omp_target_memset`, until the task is complete; `objects` has `count` depend objects.
pub unsafe extern "C" fn omp_target_memset_async(
    pointer: *mut c_void,
    byte: i32,
    length: usize,
    device: i32,
    count: i32,
    objects: *const *const c_void,
) -> *mut c_void {
    const NAME: &str = "omp_target_memset_async";
    let target = target_or_fail(NAME, device);
    let address = pointer as u64;
    let work = move || match pointer.is_null() || length == 0 {
        true => Ok(()),
        // SAFETY: caller.
        false => unsafe { set(&target, address, byte as u8, length) },
    };
    // SAFETY: caller.
    unsafe { enqueue(NAME, device, (count, objects), work) };
    pointer
}

//! `omp_target_*` in device code (OpenMP 5.2, §18.8, which leaves them unspecified there). What concerns the device
//! that runs the code works; the host and other devices are out of reach, which each routine says in its own way.

use core::ffi::c_void;

use crate::arch;
use crate::routines::query::omp_get_device_num;

/// What routines that fail return.
const FAILED: i32 = 22;
/// The most dimensions a rectangle may have.
const MAX_DIMENSIONS: i32 = 8;

fn is_here(device: i32) -> bool {
    device == omp_get_device_num()
}

/// `omp_target_alloc` (OpenMP 5.2, §18.8.1): device memory of this device.
#[unsafe(no_mangle)]
pub extern "C" fn omp_target_alloc(bytes: usize, device: i32) -> *mut c_void {
    if is_here(device) && bytes > 0 {
        arch::allocate(bytes)
    } else {
        core::ptr::null_mut()
    }
}

/// `omp_target_free` (OpenMP 5.2, §18.8.2): of what `omp_target_alloc` gave in device code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_target_free(pointer: *mut c_void, device: i32) {
    if is_here(device) {
        // SAFETY: the caller's promise.
        unsafe { arch::release(pointer) }
    }
}

/// `omp_target_is_present` (OpenMP 5.2, §18.8.3): the table of mappings is the host's.
#[unsafe(no_mangle)]
pub extern "C" fn omp_target_is_present(_pointer: *const c_void, _device: i32) -> i32 {
    0
}

/// `omp_target_is_accessible` (OpenMP 5.2, §18.8.4): on the device that asks.
#[unsafe(no_mangle)]
pub extern "C" fn omp_target_is_accessible(
    pointer: *const c_void,
    _bytes: usize,
    device: i32,
) -> i32 {
    (is_here(device) && !pointer.is_null()).into()
}

/// `omp_get_mapped_ptr` (OpenMP 5.2, §18.8.11): the table of mappings is the host's.
#[unsafe(no_mangle)]
pub extern "C" fn omp_get_mapped_ptr(_pointer: *const c_void, _device: i32) -> *mut c_void {
    core::ptr::null_mut()
}

/// `omp_target_associate_ptr` (OpenMP 5.2, §18.8.9): the table of mappings is the host's.
#[unsafe(no_mangle)]
pub extern "C" fn omp_target_associate_ptr(
    _host: *const c_void,
    _pointer: *const c_void,
    _bytes: usize,
    _offset: usize,
    _device: i32,
) -> i32 {
    FAILED
}

/// `omp_target_disassociate_ptr` (OpenMP 5.2, §18.8.10): the table of mappings is the host's.
#[unsafe(no_mangle)]
pub extern "C" fn omp_target_disassociate_ptr(_pointer: *const c_void, _device: i32) -> i32 {
    FAILED
}

/// `omp_target_memcpy` (OpenMP 5.2, §18.8.5), within this device.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_target_memcpy(
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    to_offset: usize,
    from_offset: usize,
    to_device: i32,
    from_device: i32,
) -> i32 {
    if !is_here(to_device) || !is_here(from_device) || to.is_null() || from.is_null() {
        return FAILED;
    }
    // SAFETY: the caller's memory.
    unsafe {
        to.cast::<u8>()
            .add(to_offset)
            .copy_from(from.cast::<u8>().add(from_offset), bytes);
    }
    0
}

/// `omp_target_memcpy_async` (OpenMP 5.2, §18.8.7): done when it returns. What it depends on was done by this thread
/// before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_target_memcpy_async(
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    to_offset: usize,
    from_offset: usize,
    to_device: i32,
    from_device: i32,
    _depend_count: i32,
    _depends: *mut c_void,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        omp_target_memcpy(
            to,
            from,
            bytes,
            to_offset,
            from_offset,
            to_device,
            from_device,
        )
    }
}

/// One side of a rectangular copy: where it begins, and its arrays of offsets and extents.
#[derive(Clone, Copy)]
struct Side {
    start: *mut u8,
    offsets: *const usize,
    extents: *const usize,
}

impl Side {
    /// The element number `number` of a volume of `count` dimensions.
    ///
    /// # Safety
    /// Arrays of `count`, and a volume that lies within the extents.
    unsafe fn element(
        self,
        bytes: usize,
        count: usize,
        volume: *const usize,
        mut number: usize,
    ) -> *mut u8 {
        let (mut at, mut row) = (0, bytes);
        for i in (0..count).rev() {
            // SAFETY: the caller's promise.
            unsafe {
                at += (*self.offsets.add(i) + number % *volume.add(i)) * row;
                row *= *self.extents.add(i);
                number /= *volume.add(i);
            }
        }
        // SAFETY: the caller's promise.
        unsafe { self.start.add(at) }
    }
}

/// `omp_target_memcpy_rect` (OpenMP 5.2, §18.8.6), within this device. With null pointers: how many dimensions it
/// takes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_target_memcpy_rect(
    to: *mut c_void,
    from: *const c_void,
    element: usize,
    dimensions: i32,
    volume: *const usize,
    to_offsets: *const usize,
    from_offsets: *const usize,
    to_extents: *const usize,
    from_extents: *const usize,
    to_device: i32,
    from_device: i32,
) -> i32 {
    if to.is_null() && from.is_null() {
        return MAX_DIMENSIONS;
    }
    let valid = (1..=MAX_DIMENSIONS).contains(&dimensions) && !to.is_null() && !from.is_null();
    if !valid || !is_here(to_device) || !is_here(from_device) {
        return FAILED;
    }
    let to = Side {
        start: to.cast(),
        offsets: to_offsets,
        extents: to_extents,
    };
    let from = Side {
        start: from.cast_mut().cast(),
        offsets: from_offsets,
        extents: from_extents,
    };
    let count = dimensions as usize;
    // SAFETY: the caller's promise.
    unsafe {
        let elements = (0..count).fold(1, |product, i| product * *volume.add(i));
        for number in 0..elements {
            to.element(element, count, volume, number)
                .copy_from(from.element(element, count, volume, number), element);
        }
    }
    0
}

/// `omp_target_memcpy_rect_async` (OpenMP 5.2, §18.8.8): done when it returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_target_memcpy_rect_async(
    to: *mut c_void,
    from: *const c_void,
    element: usize,
    dimensions: i32,
    volume: *const usize,
    to_offsets: *const usize,
    from_offsets: *const usize,
    to_extents: *const usize,
    from_extents: *const usize,
    to_device: i32,
    from_device: i32,
    _depend_count: i32,
    _depends: *mut c_void,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        omp_target_memcpy_rect(
            to,
            from,
            element,
            dimensions,
            volume,
            to_offsets,
            from_offsets,
            to_extents,
            from_extents,
            to_device,
            from_device,
        )
    }
}

/// `omp_target_memset` (OpenMP 6.0, §25.8.1), on this device: the pointer, as C's `memset`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_target_memset(
    pointer: *mut c_void,
    value: i32,
    bytes: usize,
    device: i32,
) -> *mut c_void {
    if is_here(device) && !pointer.is_null() {
        // SAFETY: the caller's memory.
        unsafe { pointer.cast::<u8>().write_bytes(value as u8, bytes) };
    }
    pointer
}

/// `omp_target_memset_async` (OpenMP 6.0, §25.8.2): done when it returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_target_memset_async(
    pointer: *mut c_void,
    value: i32,
    bytes: usize,
    device: i32,
    _depend_count: i32,
    _depends: *mut c_void,
) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { omp_target_memset(pointer, value, bytes, device) }
}

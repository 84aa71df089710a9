//! Copies of bytes to and from arrays of one dimension. Those of rectangles and boxes are in `copies`.

use std::ffi::{c_int, c_void};

use cudart::entry::array_copies::{
    cudaMemcpyArrayToArray, cudaMemcpyFromArray, cudaMemcpyFromArrayAsync, cudaMemcpyToArray,
    cudaMemcpyToArrayAsync,
};

use crate::entry::{in_context, per_thread, per_thread_waiting};

/// `cudaMemcpyKind`.
const TO_DEVICE: c_int = 1;
const FROM_DEVICE: c_int = 2;
const WITHIN_DEVICE: c_int = 3;

/// Copies from device memory to an array.
///
/// # Safety
/// None is needed: addresses of the device and handles are numbers here.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoA_v2(
    to: *mut c_void,
    offset: usize,
    from: u64,
    len: usize,
) -> i32 {
    let from = from as *const c_void;
    // SAFETY: none is needed.
    in_context(|| unsafe { cudaMemcpyToArray(to, offset, 0, from, len, WITHIN_DEVICE) })
}

/// Copies from an array to device memory.
///
/// # Safety
/// As for [`cuMemcpyDtoA_v2`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoD_v2(
    to: u64,
    from: *mut c_void,
    offset: usize,
    len: usize,
) -> i32 {
    let to = to as *mut c_void;
    // SAFETY: none is needed.
    in_context(|| unsafe { cudaMemcpyFromArray(to, from, offset, 0, len, WITHIN_DEVICE) })
}

/// Copies from the host to an array.
///
/// # Safety
/// The host's memory is readable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoA_v2(
    to: *mut c_void,
    offset: usize,
    from: *const c_void,
    len: usize,
) -> i32 {
    // SAFETY: caller.
    in_context(|| unsafe { cudaMemcpyToArray(to, offset, 0, from, len, TO_DEVICE) })
}

/// The same in a stream's order.
///
/// # Safety
/// As for [`cuMemcpyHtoA_v2`]; pinned memory until the stream has passed the copy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoAAsync_v2(
    to: *mut c_void,
    offset: usize,
    from: *const c_void,
    len: usize,
    stream: *mut c_void,
) -> i32 {
    // SAFETY: caller.
    in_context(|| unsafe { cudaMemcpyToArrayAsync(to, offset, 0, from, len, TO_DEVICE, stream) })
}

/// Copies from an array to the host.
///
/// # Safety
/// The host's memory is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoH_v2(
    to: *mut c_void,
    from: *mut c_void,
    offset: usize,
    len: usize,
) -> i32 {
    // SAFETY: caller.
    in_context(|| unsafe { cudaMemcpyFromArray(to, from, offset, 0, len, FROM_DEVICE) })
}

/// The same in a stream's order.
///
/// # Safety
/// As for [`cuMemcpyAtoH_v2`]; pinned memory until the stream has passed the copy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoHAsync_v2(
    to: *mut c_void,
    from: *mut c_void,
    offset: usize,
    len: usize,
    stream: *mut c_void,
) -> i32 {
    // SAFETY: caller.
    in_context(|| unsafe {
        cudaMemcpyFromArrayAsync(to, from, offset, 0, len, FROM_DEVICE, stream)
    })
}

/// Copies from one array to another.
///
/// # Safety
/// As for [`cuMemcpyDtoA_v2`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyAtoA_v2(
    to: *mut c_void,
    to_offset: usize,
    from: *mut c_void,
    from_offset: usize,
    len: usize,
) -> i32 {
    // SAFETY: none is needed.
    in_context(|| unsafe {
        cudaMemcpyArrayToArray(to, to_offset, 0, from, from_offset, 0, len, WITHIN_DEVICE)
    })
}

per_thread! {
    cuMemcpyHtoAAsync_v2_ptsz = cuMemcpyHtoAAsync_v2(
        to: *mut c_void, offset: usize, from: *const c_void, len: usize; stream
    );
    cuMemcpyAtoHAsync_v2_ptsz = cuMemcpyAtoHAsync_v2(
        to: *mut c_void, from: *mut c_void, offset: usize, len: usize; stream
    );
}

per_thread_waiting! {
    cuMemcpyHtoA_v2_ptds = cuMemcpyHtoAAsync_v2(
        to: *mut c_void, offset: usize, from: *const c_void, len: usize
    );
    cuMemcpyAtoH_v2_ptds = cuMemcpyAtoHAsync_v2(
        to: *mut c_void, from: *mut c_void, offset: usize, len: usize
    );
}

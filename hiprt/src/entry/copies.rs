//! Copies and fills that say in their names which way they go, or which elements they set.

use std::ffi::{c_int, c_void};

use cudart::entry::copies::{cudaMemcpy, cudaMemcpyAsync, cudaMemset, cudaMemsetAsync};
use cudart::entry::streams::cudaStreamSynchronize;

use crate::entry::SUCCESS;

/// `hipMemcpyHostToDevice`, `…DeviceToHost`, `…DeviceToDevice`.
const TO_DEVICE: c_int = 1;
const TO_HOST: c_int = 2;
const WITHIN: c_int = 3;

/// Functions that copy one way.
macro_rules! one_way {
    ($($name:ident, $asynchronous:ident: $from:ty, $direction:ident;)*) => { $(
        /// Copies this way.
        ///
        /// # Safety
        /// Both ranges are valid.
        pub unsafe extern "C" fn $name(to: *mut c_void, from: $from, bytes: usize) -> i32 {
            // SAFETY: caller.
            unsafe { cudaMemcpy(to, from, bytes, $direction) }
        }

        /// The same in a stream's order.
        ///
        /// # Safety
        /// Both ranges are valid; pinned memory until the stream has passed the copy.
        pub unsafe extern "C" fn $asynchronous(
            to: *mut c_void,
            from: $from,
            bytes: usize,
            stream: *mut c_void,
        ) -> i32 {
            // SAFETY: caller.
            unsafe { cudaMemcpyAsync(to, from, bytes, $direction, stream) }
        }
    )* };
}

one_way! {
    hipMemcpyHtoD, hipMemcpyHtoDAsync: *const c_void, TO_DEVICE;
    hipMemcpyDtoH, hipMemcpyDtoHAsync: *const c_void, TO_HOST;
    hipMemcpyDtoD, hipMemcpyDtoDAsync: *const c_void, WITHIN;
}

/// Copies in a stream's order, and waits.
///
/// # Safety
/// Both ranges are valid.
pub unsafe extern "C" fn hipMemcpyWithStream(
    to: *mut c_void,
    from: *const c_void,
    bytes: usize,
    kind: c_int,
    stream: *mut c_void,
) -> i32 {
    // SAFETY: caller.
    match unsafe { cudaMemcpyAsync(to, from, bytes, kind, stream) } {
        SUCCESS => cudaStreamSynchronize(stream),
        code => code,
    }
}

/// Sets bytes.
///
/// # Safety
/// The range is valid.
pub unsafe extern "C" fn hipMemsetD8(memory: *mut c_void, value: u8, count: usize) -> i32 {
    // SAFETY: caller.
    unsafe { cudaMemset(memory, value.into(), count) }
}

/// The same in a stream's order.
///
/// # Safety
/// The range is valid until the stream has passed the operation.
pub unsafe extern "C" fn hipMemsetD8Async(
    memory: *mut c_void,
    value: u8,
    count: usize,
    stream: *mut c_void,
) -> i32 {
    // SAFETY: caller.
    unsafe { cudaMemsetAsync(memory, value.into(), count, stream) }
}

/// Sets elements of 32 bits.
///
/// # Safety
/// The range is valid.
pub unsafe extern "C" fn hipMemsetD32(memory: *mut c_void, value: c_int, count: usize) -> i32 {
    let elements = vec![value; count];
    // SAFETY: the elements are readable, and the range is valid (caller).
    unsafe {
        cudaMemcpy(
            memory,
            elements.as_ptr().cast(),
            count * size_of::<c_int>(),
            TO_DEVICE,
        )
    }
}

/// The same in a stream's order.
///
/// # Safety
/// The range is valid until the stream has passed the operation.
pub unsafe extern "C" fn hipMemsetD32Async(
    memory: *mut c_void,
    value: c_int,
    count: usize,
    stream: *mut c_void,
) -> i32 {
    let (elements, bytes) = (vec![value; count], count * size_of::<c_int>());
    // SAFETY: the elements are pageable memory, which is read at once; the range is valid (caller).
    unsafe { cudaMemcpyAsync(memory, elements.as_ptr().cast(), bytes, TO_DEVICE, stream) }
}

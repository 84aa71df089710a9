//! Fills with elements of one, two and four bytes.

use std::ffi::c_void;

use cudart::copy::{self, Extent, Side, Waits};
use cudart::error::{Code, Result};
use cudart::runtime::runtime;

use crate::contexts;
use crate::entry::{per_thread, per_thread_waiting};
use crate::status::answer;

/// The default stream.
const DEFAULT: *mut c_void = std::ptr::null_mut();

/// Fills rows of elements.
///
/// # Safety
/// The memory is valid until the stream has passed the fill.
unsafe fn rows(
    (to, pitch): (u64, usize),
    element: &[u8],
    (width, height): (usize, usize),
    stream: *mut c_void,
    waits: Waits,
) -> Result<()> {
    contexts::current()?;
    let width = width
        .checked_mul(element.len())
        .ok_or(Code::INVALID_VALUE)?;
    if height > 1 && pitch < width || !to.is_multiple_of(element.len() as u64) {
        return Err(Code::INVALID_VALUE);
    }
    let own = runtime().stream(stream as usize)?;
    let side = Side::rows(to, if pitch == 0 { width } else { pitch });
    let extent = Extent {
        width,
        height,
        depth: 1,
    };
    if element.iter().all(|byte| *byte == element[0]) {
        // SAFETY: caller.
        return unsafe { copy::fill_rows(runtime(), &own, side, element[0], extent, waits) };
    }
    // SAFETY: caller.
    unsafe { copy::fill_elements(runtime(), &own, side, element, extent)? };
    match waits {
        Waits::Always => own.device.synchronize(&own.stream),
        Waits::ForPageable => Ok(()),
    }
}

/// Fills of an element type: a row and a rectangle, each with and without waiting.
macro_rules! fills {
    ($($type:ty: $row:ident, $row_async:ident, $plane:ident, $plane_async:ident;)*) => { $(
        /// Fills elements.
        ///
        /// # Safety
        /// The memory is valid.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $row(to: u64, value: $type, count: usize) -> i32 {
            let bytes = value.to_le_bytes();
            // SAFETY: caller.
            answer(unsafe { rows((to, 0), &bytes, (count, 1), DEFAULT, Waits::Always) })
        }

        /// The same in a stream's order.
        ///
        /// # Safety
        /// The memory is valid until the stream has passed the fill.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $row_async(
            to: u64, value: $type, count: usize, stream: *mut c_void
        ) -> i32 {
            let bytes = value.to_le_bytes();
            // SAFETY: caller.
            answer(unsafe { rows((to, 0), &bytes, (count, 1), stream, Waits::ForPageable) })
        }

        /// Fills rows of elements.
        ///
        /// # Safety
        /// The memory is valid.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $plane(
            to: u64, pitch: usize, value: $type, width: usize, height: usize
        ) -> i32 {
            let bytes = value.to_le_bytes();
            // SAFETY: caller.
            answer(unsafe { rows((to, pitch), &bytes, (width, height), DEFAULT, Waits::Always) })
        }

        /// The same in a stream's order.
        ///
        /// # Safety
        /// The memory is valid until the stream has passed the fill.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $plane_async(
            to: u64, pitch: usize, value: $type, width: usize, height: usize, stream: *mut c_void
        ) -> i32 {
            let bytes = value.to_le_bytes();
            let size = (width, height);
            // SAFETY: caller.
            answer(unsafe { rows((to, pitch), &bytes, size, stream, Waits::ForPageable) })
        }
    )* };
}

fills! {
    u8: cuMemsetD8_v2, cuMemsetD8Async, cuMemsetD2D8_v2, cuMemsetD2D8Async;
    u16: cuMemsetD16_v2, cuMemsetD16Async, cuMemsetD2D16_v2, cuMemsetD2D16Async;
    u32: cuMemsetD32_v2, cuMemsetD32Async, cuMemsetD2D32_v2, cuMemsetD2D32Async;
}

per_thread! {
    cuMemsetD8Async_ptsz = cuMemsetD8Async(to: u64, value: u8, count: usize; stream);
    cuMemsetD16Async_ptsz = cuMemsetD16Async(to: u64, value: u16, count: usize; stream);
    cuMemsetD32Async_ptsz = cuMemsetD32Async(to: u64, value: u32, count: usize; stream);
    cuMemsetD2D8Async_ptsz = cuMemsetD2D8Async(
        to: u64, pitch: usize, value: u8, width: usize, height: usize; stream
    );
    cuMemsetD2D16Async_ptsz = cuMemsetD2D16Async(
        to: u64, pitch: usize, value: u16, width: usize, height: usize; stream
    );
    cuMemsetD2D32Async_ptsz = cuMemsetD2D32Async(
        to: u64, pitch: usize, value: u32, width: usize, height: usize; stream
    );
}

per_thread_waiting! {
    cuMemsetD8_v2_ptds = cuMemsetD8Async(to: u64, value: u8, count: usize);
    cuMemsetD16_v2_ptds = cuMemsetD16Async(to: u64, value: u16, count: usize);
    cuMemsetD32_v2_ptds = cuMemsetD32Async(to: u64, value: u32, count: usize);
    cuMemsetD2D8_v2_ptds = cuMemsetD2D8Async(
        to: u64, pitch: usize, value: u8, width: usize, height: usize
    );
    cuMemsetD2D16_v2_ptds = cuMemsetD2D16Async(
        to: u64, pitch: usize, value: u16, width: usize, height: usize
    );
    cuMemsetD2D32_v2_ptds = cuMemsetD2D32Async(
        to: u64, pitch: usize, value: u32, width: usize, height: usize
    );
}

//! The functions that clang generates for a reduction. They know the data; the algorithms here know none of it.

use core::ffi::c_void;

/// Combines the list with that of the lane `offset` further on: `(list, lane, offset, version)`.
pub type ShuffleReduce = unsafe extern "C" fn(*mut c_void, i16, i16, i16);
/// Moves the lists of the warps' first lanes to the first warp: `(list, warps)`.
pub type InterWarpCopy = unsafe extern "C" fn(*mut c_void, i32);
/// Copies or combines between a list and a record of the buffer: `(buffer, index, list)`.
pub type WithBuffer = unsafe extern "C" fn(*mut c_void, i32, *mut c_void);

//! `memcpy`, `memmove` and `memset` for AMD GPUs. There LLVM knows no function of the C library, so that calls which it
//! makes instructions of elsewhere stay calls: those through pointers, or with a size that the program's types hide.
//!
//! Their bodies become LLVM's own operations, which the back end makes loops of.

use core::ffi::{c_int, c_void};

use super::c_functions;

c_functions! {
    /// `memcpy` (ISO C17, §7.24.2.1).
    fn memcpy(to: *mut c_void, from: *const c_void, bytes: usize) -> *mut c_void {
        to.cast::<u8>().copy_from_nonoverlapping(from.cast(), bytes);
        to
    }
    /// `memmove` (ISO C17, §7.24.2.2).
    fn memmove(to: *mut c_void, from: *const c_void, bytes: usize) -> *mut c_void {
        to.cast::<u8>().copy_from(from.cast(), bytes);
        to
    }
    /// `memset` (ISO C17, §7.24.6.1): the value as `unsigned char`.
    fn memset(to: *mut c_void, value: c_int, bytes: usize) -> *mut c_void {
        to.cast::<u8>().write_bytes(value as u8, bytes);
        to
    }
}

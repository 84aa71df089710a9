//! The device heap, for what the runtime itself needs. If there is no memory, the kernel ends with a message that says
//! what it was for.

use core::ffi::{CStr, c_void};

use crate::arch;

/// What memory is for: the message if there is none. Made by [`purpose!`].
#[derive(Clone, Copy, Debug)]
pub struct Purpose(pub &'static CStr);

/// The purpose `"a task"`, as a message put together when the runtime is compiled.
macro_rules! purpose {
    ($what:literal) => {
        const {
            let text = concat!(
                "out of device heap for ",
                $what,
                "; run fewer teams at a time, or give the device a larger heap (virtual GPU: OMPTARGET_VGPU_HEAP)\0"
            );
            match core::ffi::CStr::from_bytes_with_nul(text.as_bytes()) {
                Ok(text) => $crate::memory::heap::Purpose(text),
                Err(_) => panic!("a purpose with a null character"),
            }
        }
    };
}
pub(crate) use purpose;

/// Memory from the device heap; the kernel ends if there is none.
pub fn need(bytes: usize, purpose: Purpose) -> *mut c_void {
    let pointer = arch::allocate(bytes);
    if pointer.is_null() {
        exhausted(bytes, purpose);
    }
    pointer
}

/// Ends the kernel: the heap does not have these bytes (the message says `u32::MAX` for more than that).
#[cold]
#[inline(always)]
pub fn exhausted(bytes: usize, purpose: Purpose) -> ! {
    let wanted = u32::try_from(bytes).unwrap_or(u32::MAX);
    arch::trap_number(purpose.0, c"omptarget device runtime: bytes wanted", wanted)
}

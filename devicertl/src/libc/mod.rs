//! The freestanding part of the C library that device code can count on, besides what clang expands itself
//! (`memcpy`, `memmove`, `memset`, mathematics). The list is in docs/device-runtime.md.
//!
//! A program's own function of the same name comes first: all of these are weak.

mod characters;
#[cfg(target_arch = "amdgpu")]
mod memory;
mod numbers;
mod output;
#[cfg(target_arch = "amdgpu")]
pub mod printf;
mod sorting;
mod strings;

/// Defines C functions that a program may define itself.
macro_rules! c_functions {
    ($($(#[$doc:meta])* fn $name:ident($($parameter:ident: $type:ty),*) $(-> $result:ty)? $body:block)*) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        #[linkage = "weak"]
        #[allow(unused_unsafe, reason = "the bodies of some are safe")]
        pub unsafe extern "C" fn $name($($parameter: $type),*) $(-> $result)? {
            // SAFETY: the caller's promise: what the C standard asks for.
            unsafe { $body }
        }
    )*};
}
use c_functions;

use core::ffi::{c_char, c_int, c_void};

use crate::arch;
use crate::memory::heap;

unsafe extern "C" {
    fn malloc(bytes: usize) -> *mut c_void;
    fn free(pointer: *mut c_void);
}

/// What `assert` (ISO C17, §7.2.1.1) of glibc's header calls.
#[cold]
#[inline(never)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __assert_fail(
    message: *const c_char,
    file: *const c_char,
    line: u32,
    function: *const c_char,
) -> ! {
    // SAFETY: the program's C strings.
    unsafe { arch::assert_failed(message, file, line, function) }
}

/// `abort` (ISO C17, §7.22.4.1).
#[unsafe(no_mangle)]
pub extern "C" fn abort() -> ! {
    arch::trap(c"abort() was called")
}

/// `exit` (ISO C17, §7.22.4.4): a kernel cannot end the program.
#[unsafe(no_mangle)]
pub extern "C" fn exit(_code: c_int) -> ! {
    arch::trap(c"exit() was called")
}

/// A call of a pure virtual function: clang fills vtables with it (Itanium C++ ABI, §3.2.6).
#[unsafe(no_mangle)]
pub extern "C" fn __cxa_pure_virtual() -> ! {
    arch::trap(c"a pure virtual function was called")
}

/// A call of a deleted virtual function: clang fills vtables with it (Itanium C++ ABI, §3.2.6).
#[unsafe(no_mangle)]
pub extern "C" fn __cxa_deleted_virtual() -> ! {
    arch::trap(c"a deleted virtual function was called")
}

c_functions! {
    /// `calloc` (ISO C17, §7.22.3.2).
    fn calloc(count: usize, bytes: usize) -> *mut c_void {
        let Some(total) = count.checked_mul(bytes) else {
            return core::ptr::null_mut();
        };
        let pointer = malloc(total);
        if !pointer.is_null() {
            pointer.cast::<u8>().write_bytes(0, total);
        }
        pointer
    }
    /// `aligned_alloc` (ISO C17, §7.22.3.1): null for more than the heap aligns to, which is 16, since `free` takes the
    /// heap's own pointers only.
    fn aligned_alloc(alignment: usize, bytes: usize) -> *mut c_void {
        if alignment > 16 { core::ptr::null_mut() } else { malloc(bytes) }
    }
    /// `posix_memalign` (POSIX): the same; `ENOMEM` for more.
    fn posix_memalign(pointer: *mut *mut c_void, alignment: usize, bytes: usize) -> c_int {
        *pointer = aligned_alloc(alignment, bytes);
        if (*pointer).is_null() { 12 } else { 0 }
    }
}

unsafe fn new(bytes: usize) -> *mut c_void {
    heap::need(bytes.max(1), heap::purpose!("operator new"))
}

/// `operator new(size_t)`, as clang mangles it (ISO C++, `[new.delete.single]`).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _Znwm(bytes: usize) -> *mut c_void {
    // SAFETY: the device heap.
    unsafe { new(bytes) }
}

/// `operator new[](size_t)`, as clang mangles it (ISO C++, `[new.delete.array]`).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _Znam(bytes: usize) -> *mut c_void {
    // SAFETY: the device heap.
    unsafe { new(bytes) }
}

/// `operator delete(void*)`, as clang mangles it (ISO C++, `[new.delete.single]`).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _ZdlPv(pointer: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { free(pointer) }
}

/// `operator delete[](void*)`, as clang mangles it (ISO C++, `[new.delete.array]`).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _ZdaPv(pointer: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { free(pointer) }
}

/// `operator delete(void*, size_t)`, as clang mangles it (ISO C++, `[new.delete.single]`).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _ZdlPvm(pointer: *mut c_void, _bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { free(pointer) }
}

/// `operator delete[](void*, size_t)`, as clang mangles it (ISO C++, `[new.delete.array]`).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn _ZdaPvm(pointer: *mut c_void, _bytes: usize) {
    // SAFETY: the caller's promise.
    unsafe { free(pointer) }
}

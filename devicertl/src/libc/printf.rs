//! `printf` on AMD GPUs. For NVIDIA's clang packs the arguments itself and calls `vprintf`; for AMD's it emits the
//! variadic call, and LLVM packs the arguments, one after the other and aligned to 4 bytes, behind the pointer that is
//! the target's `va_list`.

use core::ffi::{VaList, c_char, c_int, c_void};

unsafe extern "C" {
    fn vprintf(format: *const c_char, arguments: *mut c_void) -> c_int;
}

/// `printf` (ISO C17, §7.21.6.3); clang emits the variadic call as the program has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn printf(format: *const c_char, arguments: ...) -> c_int {
    // SAFETY: `va_list` is one pointer on AMD GPUs, and what it points at is what `vprintf` takes.
    unsafe {
        vprintf(
            format,
            core::mem::transmute::<VaList<'_>, *mut c_void>(arguments),
        )
    }
}

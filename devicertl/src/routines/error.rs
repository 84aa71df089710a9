//! The `error` directive.

use crate::Ident;
use crate::arch;

/// `void (ident_t *, i32 severity, char *message)`: `error at(execution)`; severity 1 warns, which is not shown, 2 ends
/// the kernel (clang: `emitErrorCall`; OpenMP 5.2, §8.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_error(
    _location: *const Ident,
    severity: i32,
    message: *const core::ffi::c_char,
) {
    if severity != 2 {
        return;
    }
    if message.is_null() {
        arch::trap(c"error directive");
    }
    // SAFETY: clang passes a C string.
    unsafe { arch::trap_with(message) }
}

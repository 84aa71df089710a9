//! What clang's code registers besides kernels and variables: references to textures and surfaces, of which there are
//! none. clang links the names into every program.

use std::ffi::{CStr, c_char, c_int, c_void};

use cudart::error::report;

/// # Safety
/// The name is a string.
unsafe fn refuse(what: &str, name: *const c_char) {
    // SAFETY: caller.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    report(what, &name);
}

/// Registers a reference to a texture.
///
/// # Safety
/// The name is a string.
pub unsafe extern "C" fn __hipRegisterTexture(
    _handle: *mut *mut c_void,
    _variable: *mut c_void,
    _shadow: *mut c_char,
    name: *const c_char,
    _kind: c_int,
    _normalised: c_int,
    _is_external: c_int,
) {
    // SAFETY: caller.
    unsafe { refuse("textures are not supported", name) };
}

/// Registers a reference to a surface.
///
/// # Safety
/// The name is a string.
pub unsafe extern "C" fn __hipRegisterSurface(
    _handle: *mut *mut c_void,
    _variable: *mut c_void,
    _shadow: *mut c_char,
    name: *const c_char,
    _kind: c_int,
    _is_external: c_int,
) {
    // SAFETY: caller.
    unsafe { refuse("surfaces are not supported", name) };
}

//! C's `va_list`, whose next argument lies in memory.

use std::ffi::c_void;

/// C's `va_list` (System V psABI, section 3.5.7).
#[cfg(target_arch = "x86_64")]
#[repr(C)]
pub struct VaList {
    general_offset: u32,
    vector_offset: u32,
    overflow: *const c_void,
    saved: *const c_void,
}

#[cfg(target_arch = "x86_64")]
impl VaList {
    /// A list whose arguments lie at `arguments`.
    pub fn in_memory(arguments: *const c_void) -> VaList {
        VaList {
            // Past all registers.
            general_offset: 48,
            vector_offset: 304,
            overflow: arguments,
            saved: std::ptr::null(),
        }
    }
}

/// C's `va_list` (AAPCS64, "Variable argument lists").
#[cfg(target_arch = "aarch64")]
#[repr(C)]
pub struct VaList {
    stack: *const c_void,
    general_top: *const c_void,
    vector_top: *const c_void,
    general_offset: i32,
    vector_offset: i32,
}

#[cfg(target_arch = "aarch64")]
impl VaList {
    /// A list whose arguments lie at `arguments`.
    pub fn in_memory(arguments: *const c_void) -> VaList {
        VaList {
            stack: arguments,
            general_top: std::ptr::null(),
            vector_top: std::ptr::null(),
            // Past all registers.
            general_offset: 0,
            vector_offset: 0,
        }
    }
}

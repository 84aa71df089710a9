//! What NVIDIA's runtime library asks a driver before anything else. It does not start over this one, and says no more
//! than an error code. So these functions look at who calls them.

use std::ffi::{c_int, c_void};

use cudart::error::{Code, Result};

use crate::contexts;
use crate::entry::place;
use crate::nvidias_runtime::notice;
use crate::status::answer;

/// The version of CUDA whose interface this is: 12.9.
const VERSION: c_int = 12090;

/// A function of at most two arguments that goes on as another one, whose third is the address that it returns to.
macro_rules! with_caller {
    ($(#[$documented:meta])* $name:ident($($argument:ident: $type:ty),*) = $function:ident) => {
        $(#[$documented])*
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> i32 {
            #[cfg(target_arch = "x86_64")]
            std::arch::naked_asm!("mov rdx, [rsp]", "jmp {function}", function = sym $function);
            #[cfg(target_arch = "aarch64")]
            std::arch::naked_asm!("mov x2, x30", "b {function}", function = sym $function);
        }
    };
}

with_caller! {
    /// The version of CUDA whose interface this is.
    ///
    /// # Safety
    /// The address is null or valid.
    cuDriverGetVersion(version: *mut c_int) = write_version
}

with_caller! {
    /// Tables of functions without names, which NVIDIA's own libraries agree on with NVIDIA's driver. There are none.
    ///
    /// # Safety
    /// The addresses are null or valid.
    cuGetExportTable(table: *mut *const c_void, id: *const [u8; 16]) = find_table
}

/// # Safety
/// The address is null or valid.
unsafe extern "C" fn write_version(version: *mut c_int, _none: usize, returns_to: usize) -> i32 {
    // A program may ask, too, but rarely before it starts the driver.
    if contexts::started().is_err() {
        notice(returns_to);
    }
    // SAFETY: caller.
    answer(unsafe { place(version) }.map(|place| *place = VERSION))
}

/// # Safety
/// The addresses are null or valid.
unsafe extern "C" fn find_table(
    table: *mut *const c_void,
    id: *const [u8; 16],
    returns_to: usize,
) -> i32 {
    let find = || -> Result<()> {
        // SAFETY: caller.
        let place = unsafe { place(table)? };
        *place = std::ptr::null();
        match id.is_null() {
            true => Err(Code::INVALID_VALUE),
            false => {
                notice(returns_to);
                Err(Code::SYMBOL_NOT_FOUND)
            }
        }
    };
    answer(find())
}

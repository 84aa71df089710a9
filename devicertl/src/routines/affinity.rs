//! Places and affinity (OpenMP 5.2, §18.3). A GPU places its threads itself: there are no places, nothing
//! is bound, and the affinity format is empty.

use core::ffi::c_char;

macro_rules! none {
    ($($(#[$doc:meta])* $name:ident() -> $value:expr;)*) => {
        $($(#[$doc])* #[unsafe(no_mangle)] pub extern "C" fn $name() -> i32 { $value })*
    };
}

none! {
    /// `omp_get_proc_bind` (OpenMP 5.2, §18.3.1): `omp_proc_bind_false`.
    omp_get_proc_bind() -> 0;
    /// `omp_get_num_places` (OpenMP 5.2, §18.3.2).
    omp_get_num_places() -> 0;
    /// `omp_get_place_num` (OpenMP 5.2, §18.3.5): not bound.
    omp_get_place_num() -> -1;
    /// `omp_get_partition_num_places` (OpenMP 5.2, §18.3.6).
    omp_get_partition_num_places() -> 0;
}

/// `omp_get_place_num_procs` (OpenMP 5.2, §18.3.3): no place has any.
#[unsafe(no_mangle)]
pub extern "C" fn omp_get_place_num_procs(_place: i32) -> i32 {
    0
}

/// `omp_get_place_proc_ids` (OpenMP 5.2, §18.3.4): writes nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_place_proc_ids(_place: i32, _ids: *mut i32) {}

/// `omp_get_partition_place_nums` (OpenMP 5.2, §18.3.7): writes nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_get_partition_place_nums(_places: *mut i32) {}

/// `omp_set_affinity_format` (OpenMP 5.2, §18.3.8), under the name that `omp.h` makes of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ompc_set_affinity_format(_format: *const c_char) {}

/// Writes an empty string where there is room.
unsafe fn empty(buffer: *mut c_char, size: usize) -> usize {
    if !buffer.is_null() && size > 0 {
        // SAFETY: the caller's buffer of that size.
        unsafe { buffer.write(0) };
    }
    0
}

/// `omp_get_affinity_format` (OpenMP 5.2, §18.3.9), under the name that `omp.h` makes of it: its length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ompc_get_affinity_format(buffer: *mut c_char, size: usize) -> usize {
    // SAFETY: the caller's promise.
    unsafe { empty(buffer, size) }
}

/// `omp_capture_affinity` (OpenMP 5.2, §18.3.11), under the name that `omp.h` makes of it: its length.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ompc_capture_affinity(
    buffer: *mut c_char,
    size: usize,
    _format: *const c_char,
) -> usize {
    // SAFETY: the caller's promise.
    unsafe { empty(buffer, size) }
}

/// `omp_display_affinity` (OpenMP 5.2, §18.3.10), under the name that `omp.h` makes of it: there is none to display.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ompc_display_affinity(_format: *const c_char) {}

//! `single`, `master` and `masked`: which thread of the team runs the region.

use crate::Ident;
use crate::team::nest::Nest;

/// `i32 (ident_t *, i32 thread)`: `single`, 1 for the thread that runs it; thread 0 does, which is unspecified (clang:
/// `emitSingleRegion`; OpenMP 5.2, §11.1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_single(_location: *const Ident, _thread: i32) -> i32 {
    (Nest::load_inline().thread_num() == 0).into()
}

/// `void (ident_t *, i32 thread)`: end of `single`, by the thread that ran it (clang: `emitSingleRegion`; OpenMP 5.2,
/// §11.1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_single(_location: *const Ident, _thread: i32) {}

/// `i32 (ident_t *, i32 thread)`: `master`, 1 for thread 0 (clang: `emitMasterRegion`; OpenMP 5.2, §10.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_master(_location: *const Ident, _thread: i32) -> i32 {
    (Nest::load_inline().thread_num() == 0).into()
}

/// `void (ident_t *, i32 thread)`: end of `master`, by thread 0 (clang: `emitMasterRegion`; OpenMP 5.2, §10.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_master(_location: *const Ident, _thread: i32) {}

/// `i32 (ident_t *, i32 thread, i32 filter)`: `masked`, 1 for the thread of that number (clang: `emitMaskedRegion`;
/// OpenMP 5.2, §10.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_masked(_location: *const Ident, _thread: i32, filter: i32) -> i32 {
    (Nest::load_inline().thread_num() as i32 == filter).into()
}

/// `void (ident_t *, i32 thread)`: end of `masked`, by that thread (clang: `emitMaskedRegion`; OpenMP 5.2, §10.5).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_masked(_location: *const Ident, _thread: i32) {}

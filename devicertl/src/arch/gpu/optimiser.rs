//! Questions to the optimiser, and what it is told.

use core::ffi::c_void;

use super::assembly;

/// What the optimiser knows of the thread's nest word. Not a value to use unless [`is_known`] says so.
#[inline(always)]
pub fn nest_seen() -> u16 {
    assembly::omptarget_arch_nest_seen()
}

/// Lets the optimiser know the thread's nest word.
#[inline(always)]
pub fn nest_show(word: u16) {
    assembly::omptarget_arch_nest_show(word)
}

/// Whether the optimiser knows the value.
#[inline(always)]
pub fn is_known(word: u16) -> bool {
    assembly::omptarget_arch_is_known(word)
}

/// Whether something holds and the optimiser knows it. Code that depends on it then needs no test at run time.
#[inline(always)]
pub fn is_known_to_hold(holds: bool) -> bool {
    is_known(holds.into()) && holds
}

/// Bytes of an object from `object` on, if the optimiser sees what it is.
#[inline(always)]
pub fn object_size(object: *const c_void) -> Option<usize> {
    let size = assembly::omptarget_arch_object_size(object);
    (size != usize::MAX).then_some(size)
}

/// Whether a warp executes a whole loop before the next warp begins, as on the virtual GPU. A constant to the compiler
/// of a device, not to clang.
#[inline(always)]
pub fn executes_warp_by_warp() -> bool {
    assembly::omptarget_arch_warp_by_warp() != 0
}

/// Whether an object lies in memory that this thread alone can reach.
#[inline(always)]
pub fn is_own(object: *const c_void) -> bool {
    assembly::omptarget_arch_is_own(object)
}

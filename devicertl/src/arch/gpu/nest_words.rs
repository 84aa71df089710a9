//! Where the threads' nest words and the lists of their thread state are.

use core::ffi::c_void;

use super::assembly;

/// Starts the state that the threads of an SPMD kernel have each for themselves.
#[inline(always)]
pub fn spmd_begin() {
    assembly::omptarget_arch_spmd_begin()
}

/// The threads of a generic kernel have no such state.
#[inline(always)]
pub fn generic_begin() {
    assembly::omptarget_arch_generic_begin()
}

/// SPMD kernels: where each thread's list of thread state begins.
#[inline(always)]
pub fn thread_state_slots() -> *mut *mut c_void {
    assembly::omptarget_arch_thread_state_slots().cast()
}

/// SPMD kernels: reads a thread's nest word; only the thread itself may.
#[inline(always)]
pub fn nest_load(thread: u32) -> u16 {
    assembly::omptarget_arch_nest_load(thread)
}

/// SPMD kernels: writes a thread's nest word; only the thread itself may.
#[inline(always)]
pub fn nest_store(thread: u32, word: u16) {
    assembly::omptarget_arch_nest_store(thread, word)
}

/// Generic kernels: reads the master's nest word; only the master may.
#[inline(always)]
pub fn master_nest_load() -> u16 {
    assembly::omptarget_arch_master_nest_load()
}

/// Generic kernels: writes the master's nest word; only the master may.
#[inline(always)]
pub fn master_nest_store(word: u16) {
    assembly::omptarget_arch_master_nest_store(word)
}

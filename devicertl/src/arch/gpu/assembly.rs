//! Functions of the hand-written LLVM assembly, for what Rust cannot express, and functions that the device provides.

use core::ffi::{c_char, c_void};

// SAFETY: defined in the assembly with these very types; `malloc`, `free` and `__assertfail`
// are the device's (docs/abi.md).
unsafe extern "C" {
    pub(super) safe fn omptarget_arch_thread_x() -> u32;
    pub(super) safe fn omptarget_arch_thread_y() -> u32;
    pub(super) safe fn omptarget_arch_threads_x() -> u32;
    pub(super) safe fn omptarget_arch_threads_y() -> u32;
    pub(super) safe fn omptarget_arch_block() -> u32;
    pub(super) safe fn omptarget_arch_blocks() -> u32;
    pub(super) safe fn omptarget_arch_thread_z() -> u32;
    pub(super) safe fn omptarget_arch_threads_z() -> u32;
    pub(super) safe fn omptarget_arch_block_y() -> u32;
    pub(super) safe fn omptarget_arch_block_z() -> u32;
    pub(super) safe fn omptarget_arch_blocks_y() -> u32;
    pub(super) safe fn omptarget_arch_blocks_z() -> u32;
    pub(super) safe fn omptarget_arch_fence_block();
    pub(super) safe fn omptarget_arch_fence_device();
    pub(super) safe fn omptarget_arch_fence_system();
    pub(super) safe fn omptarget_arch_pause();
    pub(super) safe fn omptarget_arch_processor() -> u32;
    pub(super) safe fn omptarget_arch_nest_seen() -> u16;
    pub(super) safe fn omptarget_arch_nest_show(word: u16);
    pub(super) safe fn omptarget_arch_is_known(word: u16) -> bool;
    pub(super) safe fn omptarget_arch_warp_by_warp() -> u32;
    pub(super) safe fn omptarget_arch_is_own(object: *const c_void) -> bool;
    pub(super) safe fn omptarget_arch_object_size(object: *const c_void) -> usize;
    pub(super) safe fn omptarget_arch_spmd_begin();
    pub(super) safe fn omptarget_arch_generic_begin();
    pub(super) safe fn omptarget_arch_thread_state_slots() -> *mut c_void;
    pub(super) safe fn omptarget_arch_nest_load(thread: u32) -> u16;
    pub(super) safe fn omptarget_arch_nest_store(thread: u32, word: u16);
    pub(super) safe fn omptarget_arch_master_nest_load() -> u16;
    pub(super) safe fn omptarget_arch_master_nest_store(word: u16);
    pub(super) safe fn omptarget_arch_dynamic_shared() -> *mut c_void;
    pub(super) fn omptarget_arch_fill(words: *mut u64, value: u64, count: u32);
    pub(super) fn omptarget_arch_copy_pairs(to: *mut [u64; 2], from: *const [u64; 2], count: u32);
    pub(super) fn omptarget_arch_send_references(
        list: *mut *mut c_void,
        references: *const *mut c_void,
        count: usize,
    );
    pub(super) safe fn omptarget_arch_dynamic_shared_size() -> u32;
    pub(super) safe fn omptarget_arch_trap() -> !;
    pub(super) fn omptarget_arch_count_up(counter: *mut u32, last: u32) -> u32;
    pub(super) fn omptarget_arch_peek(word: *mut u32) -> u32;
    pub(super) fn omptarget_arch_peek_pointer(word: *mut *mut c_void) -> *mut c_void;
    pub(super) fn malloc(bytes: usize) -> *mut c_void;
    pub(super) fn free(pointer: *mut c_void);
    pub(super) fn __assertfail(
        message: *const c_char,
        file: *const c_char,
        line: u32,
        function: *const c_char,
        size: usize,
    );
}

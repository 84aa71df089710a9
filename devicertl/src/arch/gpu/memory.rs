//! Memory: fences and pauses, copies, the block's dynamic shared memory, the device heap.

use core::ffi::c_void;

use super::assembly;

/// Orders this thread's memory accesses as its block sees them.
#[inline(always)]
pub fn fence_block() {
    assembly::omptarget_arch_fence_block()
}

/// Orders this thread's memory accesses as the device sees them.
#[inline(always)]
pub fn fence_device() {
    assembly::omptarget_arch_fence_device()
}

/// Orders this thread's memory accesses as everyone sees them.
#[inline(always)]
pub fn fence_system() {
    assembly::omptarget_arch_fence_system()
}

/// Lets other threads run. Every loop that waits for another thread calls it.
#[inline(always)]
pub fn pause() {
    assembly::omptarget_arch_pause()
}

/// Writes `value` into `count` words, at least one, with few instructions.
///
/// # Safety
/// The words are the caller's.
#[inline(always)]
pub unsafe fn fill(words: *mut u64, value: u64, count: u32) {
    // SAFETY: the caller's promise.
    unsafe { assembly::omptarget_arch_fill(words, value, count) }
}

/// Copies `count` pairs of words, at least one, with few instructions.
///
/// # Safety
/// Both have so many, and `to` is the caller's.
#[inline(always)]
pub unsafe fn copy_pairs(to: *mut [u64; 2], from: *const [u64; 2], count: u32) {
    // SAFETY: the caller's promise.
    unsafe { assembly::omptarget_arch_copy_pairs(to, from, count) }
}

/// Copies `count` references to a list that other threads read ([`send`](crate::arch::send)).
///
/// # Safety
/// The list has room for `count`, and there are as many; a barrier stands between this and the list's readers.
#[inline(always)]
pub unsafe fn send_references(
    list: *mut *mut c_void,
    references: *const *mut c_void,
    count: usize,
) {
    // SAFETY: the caller's promise.
    unsafe { assembly::omptarget_arch_send_references(list, references, count) }
}

/// First byte of the launch's dynamic shared memory.
#[inline(always)]
pub fn dynamic_shared() -> *mut c_void {
    assembly::omptarget_arch_dynamic_shared()
}

/// Bytes of dynamic shared memory.
#[inline(always)]
pub fn dynamic_shared_size() -> u32 {
    assembly::omptarget_arch_dynamic_shared_size()
}

/// [`atomic::count_up`](crate::arch::atomic::count_up), in one instruction.
///
/// # Safety
/// `counter` is live, and other threads access it as an atomic only.
#[inline(always)]
pub unsafe fn count_up(counter: *mut u32, last: u32) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { assembly::omptarget_arch_count_up(counter, last) }
}

/// [`atomic::peek_u32`](crate::arch::atomic::peek_u32).
///
/// # Safety
/// `word` is live, and other threads access it as an atomic only.
#[inline(always)]
pub unsafe fn peek(word: *mut u32) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { assembly::omptarget_arch_peek(word) }
}

/// [`atomic::peek_ptr`](crate::arch::atomic::peek_ptr).
///
/// # Safety
/// As for [`peek`].
#[inline(always)]
pub unsafe fn peek_pointer(word: *mut *mut c_void) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { assembly::omptarget_arch_peek_pointer(word) }
}

/// Device heap; null when exhausted.
#[inline(always)]
pub fn allocate(bytes: usize) -> *mut c_void {
    // SAFETY: the device's allocator takes any size.
    unsafe { assembly::malloc(bytes) }
}

/// Returns to the heap what [`allocate`] gave.
///
/// # Safety
/// `pointer` came from [`allocate`] and is not used again.
#[inline(always)]
pub unsafe fn release(pointer: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { assembly::free(pointer) }
}

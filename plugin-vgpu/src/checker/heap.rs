//! The heap of checked code: blocks have gaps between them, and freed ones are kept for a while.

use std::ffi::c_void;

use vgpu_abi::ThreadContext;

use super::HEAP_GAP;
use super::abi::Announcer;
use super::launch::Access;
use crate::abi as engine;
use crate::arena::Span;

/// `malloc`. See [`vgpu_abi::CHECKED_SYMBOLS`].
///
/// # Safety
/// `cx` is the context of the running fiber.
pub unsafe extern "C" fn vgpu_checked_malloc(cx: *mut ThreadContext, size: u64) -> *mut c_void {
    let wanted = size.saturating_add(HEAP_GAP);
    // SAFETY: the caller's contract.
    let Some(it) = (unsafe { Announcer::new(cx) }) else {
        // SAFETY: the caller's contract.
        return unsafe { engine::vgpu_malloc(cx, size) };
    };
    loop {
        // SAFETY: the caller's contract.
        let block = unsafe { engine::vgpu_malloc(cx, wanted) };
        if !block.is_null() {
            let start = block as u64;
            let by = it.checks.place(it.sm.heap_site.get(), "malloc");
            it.checks
                .checker()
                .heap_allocated(Span { start, len: size }, by);
            return block;
        }
        let Some(kept) = it.checks.checker().heap_kept() else {
            return block;
        };
        // SAFETY: the block was allocated and freed, and nobody has it any more.
        unsafe { engine::vgpu_free(cx, kept as *mut c_void) };
    }
}

/// `free`. See [`vgpu_abi::CHECKED_SYMBOLS`].
///
/// # Safety
/// As for [`vgpu_checked_malloc`].
pub unsafe extern "C" fn vgpu_checked_free(cx: *mut ThreadContext, pointer: *mut c_void) {
    // SAFETY: the caller's contract.
    let Some(it) = (unsafe { Announcer::new(cx) }) else {
        // SAFETY: the caller's contract.
        return unsafe { engine::vgpu_free(cx, pointer) };
    };
    if pointer.is_null() {
        return;
    }
    let site = it.sm.heap_site.get();
    let by = it.checks.place(site, "free");
    match it.checks.checker().heap_freed(pointer as u64, by) {
        Some(None) => {}
        // SAFETY: that block was allocated and freed, and nobody has it any more.
        Some(Some(kept)) => unsafe { engine::vgpu_free(cx, kept as *mut c_void) },
        None => it.checks.no_block(
            it.actor.lane(it.lane),
            Access {
                address: pointer as u64,
                ..Access::none(site)
            },
        ),
    }
}

/// `realloc`: always another block. See [`vgpu_abi::CHECKED_SYMBOLS`].
///
/// # Safety
/// As for [`vgpu_checked_malloc`].
pub unsafe extern "C" fn vgpu_checked_realloc(
    cx: *mut ThreadContext,
    pointer: *mut c_void,
    size: u64,
) -> *mut c_void {
    // SAFETY: the caller's contract.
    let announcer = unsafe { Announcer::new(cx) };
    let held = announcer.and_then(|it| it.checks.checker().heap_size(pointer as u64));
    // SAFETY: the caller's contract.
    let block = unsafe { vgpu_checked_malloc(cx, size) };
    if block.is_null() || pointer.is_null() {
        return block;
    }
    if let Some(held) = held {
        let len = held.min(size) as usize;
        // SAFETY: both blocks are allocated, and distinct.
        unsafe { std::ptr::copy_nonoverlapping(pointer.cast::<u8>(), block.cast(), len) };
        // SAFETY: the caller's contract.
        if let Some(it) = unsafe { Announcer::new(cx) } {
            let checker = it.checks.checker();
            checker.copied(block as u64, pointer as u64, len as u64);
        }
    }
    // SAFETY: the caller's contract.
    unsafe { vgpu_checked_free(cx, pointer) };
    block
}

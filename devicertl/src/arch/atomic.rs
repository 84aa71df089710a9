//! Atomics of the portable code: core's. In model checks (feature `model`) loom's atomics stand behind the same
//! interface, so that the code that ships is the code that is checked.

#[cfg(not(all(test, feature = "model")))]
pub use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

#[cfg(all(test, feature = "model"))]
pub use super::model::{AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// Adds one, or wraps to 0 after `last`; returns the value before. (For `fetch_add`, ptxas first adds up the warp's
/// lanes.)
#[inline(always)]
pub fn count_up(counter: &AtomicU32, last: u32) -> u32 {
    #[cfg(any(target_arch = "nvptx64", target_arch = "amdgpu"))]
    // SAFETY: a live atomic.
    return unsafe { super::gpu::count_up(counter.as_ptr(), last) };
    #[cfg(not(any(target_arch = "nvptx64", target_arch = "amdgpu")))]
    {
        let before = counter.fetch_add(1, Ordering::Relaxed);
        if before == last {
            counter.store(0, Ordering::Relaxed);
        }
        before
    }
}

/// Reads a word of which the thread wants to know no more than what it wrote there itself, or what was there at its
/// last barrier. The optimiser may drop such a load, and does not take it for a write of all memory, as it does any
/// other atomic load.
#[inline(always)]
pub fn peek_u32(word: &AtomicU32) -> u32 {
    #[cfg(any(target_arch = "nvptx64", target_arch = "amdgpu"))]
    // SAFETY: a live atomic.
    return unsafe { super::gpu::peek(word.as_ptr()) };
    #[cfg(not(any(target_arch = "nvptx64", target_arch = "amdgpu")))]
    word.load(Ordering::Relaxed)
}

/// As [`peek_u32`].
#[inline(always)]
pub fn peek_ptr<T: 'static>(word: &AtomicPtr<T>) -> *mut T {
    #[cfg(any(target_arch = "nvptx64", target_arch = "amdgpu"))]
    // SAFETY: a live atomic.
    return unsafe { super::gpu::peek_pointer(word.as_ptr().cast()) }.cast();
    #[cfg(not(any(target_arch = "nvptx64", target_arch = "amdgpu")))]
    word.load(Ordering::Relaxed)
}

/// Writes the initial value of an atomic, before any other thread can access it. (loom wants to know where an atomic
/// begins.)
///
/// # Safety
/// `pointer` is live and nobody else's yet.
#[inline(always)]
pub unsafe fn begin_u32(pointer: *mut u32, value: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        pointer.write(value);
        #[cfg(all(test, feature = "model"))]
        super::model::begins::<AtomicU32>(pointer.cast());
    }
}

/// As [`begin_u32`].
///
/// # Safety
/// As for [`begin_u32`].
#[inline(always)]
pub unsafe fn begin_ptr<T: 'static>(pointer: *mut *mut T, value: *mut T) {
    // SAFETY: the caller's promise.
    unsafe {
        pointer.write(value);
        #[cfg(all(test, feature = "model"))]
        super::model::begins::<AtomicPtr<T>>(pointer.cast());
    }
}

/// As [`begin_u32`].
///
/// # Safety
/// As for [`begin_u32`].
#[inline(always)]
pub unsafe fn begin_u64(pointer: *mut u64, value: u64) {
    // SAFETY: the caller's promise.
    unsafe {
        pointer.write(value);
        #[cfg(all(test, feature = "model"))]
        super::model::begins::<AtomicU64>(pointer.cast());
    }
}

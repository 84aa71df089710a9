//! The kernels of the examples in Rust.

#![no_std]
#![feature(abi_ptx)]

use omptarget_kernel::{barrier, block_index, block_size, global_index, global_size, thread_index};

/// Adds `a` times `x` to `y`: a thread for each element.
///
/// # Safety
/// `x` and `y` have `n` elements, and nothing else writes them.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn saxpy(n: usize, a: f32, x: *const f32, y: *mut f32) {
    let i = global_index();
    if i < n {
        // SAFETY: both have an element `i`, and no other thread has this one.
        unsafe { *y.add(i) += a * *x.add(i) };
    }
}

/// Threads of a block of `sum`: a power of two.
const THREADS: usize = 256;

omptarget_kernel::shared! {
    /// A partial sum per thread.
    static PARTIAL: [f64; THREADS];
}

/// The sum of `x`, one number per block. A thread adds every so-many-th element; the block adds its threads' sums.
///
/// # Safety
/// `x` has `n` elements, `sums` has one for each block, a block has 256 threads, and nothing else writes `sums`.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn sum(n: usize, x: *const f64, sums: *mut f64) {
    let thread = thread_index().x as usize;
    let mut own = 0.0;
    let mut i = global_index();
    while i < n {
        // SAFETY: `x` has an element `i`.
        own += unsafe { *x.add(i) };
        i += global_size();
    }
    // SAFETY: each thread has an element of its own.
    unsafe { *PARTIAL.element(thread) = own };
    let mut half = block_size().x as usize / 2;
    while half > 0 {
        barrier();
        if thread < half {
            // SAFETY: threads below `half` write their elements, and read those that nobody writes.
            unsafe { *PARTIAL.element(thread) += *PARTIAL.element(thread + half) };
        }
        half /= 2;
    }
    if thread == 0 {
        // SAFETY: the block has an element of its own. This thread wrote the first partial sum itself.
        unsafe { *sums.add(block_index().x as usize) = *PARTIAL.element(0) };
    }
}

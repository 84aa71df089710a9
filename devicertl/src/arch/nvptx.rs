//! NVIDIA GPUs from sm_70 on. What Rust has no words for (shared memory, convergence, scopes,
//! access types) stands in `arch-nvptx.ll`, which scripts/build-device links in and inlines.

use core::ffi::{CStr, c_char, c_void};

use super::Lanes;

/// Lanes per warp.
#[inline(always)]
pub fn warp_size() -> u32 {
    32
}

mod ll {
    use core::ffi::{c_char, c_void};
    // SAFETY: defined in arch-nvptx.ll with these very types; `malloc`, `free` and `__assertfail`
    // are CUDA's.
    unsafe extern "C" {
        pub safe fn omptarget_arch_thread_x() -> u32;
        pub safe fn omptarget_arch_thread_y() -> u32;
        pub safe fn omptarget_arch_threads_x() -> u32;
        pub safe fn omptarget_arch_threads_y() -> u32;
        pub safe fn omptarget_arch_block() -> u32;
        pub safe fn omptarget_arch_blocks() -> u32;
        pub safe fn omptarget_arch_block_barrier();
        pub safe fn omptarget_arch_block_barrier_together();
        pub safe fn omptarget_arch_group_barrier(threads: u32);
        pub safe fn omptarget_arch_sync_warp(lanes: u32);
        pub safe fn omptarget_arch_active_lanes() -> u32;
        pub safe fn omptarget_arch_shuffle_down(
            lanes: u32,
            value: u32,
            delta: u32,
            clamp: u32,
        ) -> u32;
        pub safe fn omptarget_arch_fence_block();
        pub safe fn omptarget_arch_fence_device();
        pub safe fn omptarget_arch_fence_system();
        pub safe fn omptarget_arch_pause();
        pub safe fn omptarget_arch_nanoseconds() -> u64;
        pub safe fn omptarget_arch_nest_load(thread: u32) -> u16;
        pub safe fn omptarget_arch_nest_store(thread: u32, word: u16);
        pub safe fn omptarget_arch_dynamic_shared() -> *mut c_void;
        pub safe fn omptarget_arch_dynamic_shared_size() -> u32;
        pub safe fn omptarget_arch_trap() -> !;
        pub fn malloc(bytes: usize) -> *mut c_void;
        pub fn free(pointer: *mut c_void);
        pub fn __assertfail(
            message: *const c_char,
            file: *const c_char,
            line: u32,
            function: *const c_char,
            size: usize,
        );
    }
}

macro_rules! declare_shared {
    ($($(#[$doc:meta])* $name:ident: $type:ty,)*) => {
        /// Pointers to the variables `arch-nvptx.ll` defines in address space 3.
        pub mod shared {
            use crate::arch::*;
            $(#[inline(always)] pub fn $name() -> *mut $type {
                // SAFETY: arch-nvptx.ll defines `omptarget_shared_*` with room for the type
                // (checked against these types by devicertl/tests/layout.rs).
                unsafe extern "C" {
                    #[link_name = concat!("omptarget_shared_", stringify!($name))]
                    safe fn getter() -> *mut c_void;
                }
                getter().cast()
            })*
        }
    };
}
super::for_each_shared_variable!(declare_shared);

/// Whether this is an SPMD kernel: its block extends along x, a generic kernel's along y (docs/abi.md).
#[inline(always)]
pub fn is_spmd() -> bool {
    ll::omptarget_arch_threads_y() == 1
}

/// Whether the block has the shape of a generic kernel's. Not the negation of [`is_spmd`] in form, so that
/// the optimiser does not merge the two questions and lose what [`assume_mode`] says of one.
#[inline(always)]
pub fn is_generic_shape() -> bool {
    ll::omptarget_arch_threads_x() == 1
}

/// Tells the optimiser what [`is_spmd`] answers from here on. Special registers have no memory
/// behind them, so this holds across barriers and calls, and folds every later question.
#[inline(always)]
pub fn assume_mode(spmd: bool) {
    // SAFETY: the host launches kernels in the shape docs/abi.md prescribes, and `kernel` traps
    // before it comes here if the shape contradicts the mode.
    unsafe {
        core::hint::assert_unchecked(is_spmd() == spmd);
        if spmd {
            core::hint::assert_unchecked(ll::omptarget_arch_thread_y() == 0);
        } else {
            core::hint::assert_unchecked(ll::omptarget_arch_thread_x() == 0);
            core::hint::assert_unchecked(ll::omptarget_arch_threads_x() == 1);
        }
    }
}

/// This thread's number in its block.
#[inline(always)]
pub fn thread_id() -> u32 {
    // The block has one dimension; in the other, every index is 0.
    ll::omptarget_arch_thread_x() + ll::omptarget_arch_thread_y()
}

/// Threads of the block, the master's warp included.
#[inline(always)]
pub fn block_threads() -> u32 {
    ll::omptarget_arch_threads_x() * ll::omptarget_arch_threads_y()
}

/// This block's number: the OpenMP team number.
#[inline(always)]
pub fn block_id() -> u32 {
    ll::omptarget_arch_block()
}

/// Blocks of the grid: the OpenMP number of teams.
#[inline(always)]
pub fn block_count() -> u32 {
    ll::omptarget_arch_blocks()
}

/// Waits for every thread of the block that has not ended. Orders memory within the block.
#[inline(always)]
pub fn block_barrier() {
    ll::omptarget_arch_block_barrier()
}

/// [`block_barrier`] where all threads of the block come to this very call, which openmp-opt is told.
#[inline(always)]
pub fn block_barrier_together() {
    ll::omptarget_arch_block_barrier_together()
}

/// Waits for the first `threads` threads of the block, a multiple of the warp size, and only those.
#[inline(always)]
pub fn group_barrier(threads: u32) {
    ll::omptarget_arch_group_barrier(threads)
}

/// Waits for the lanes named, of which this is one. Orders memory among them.
#[inline(always)]
pub fn sync_warp(lanes: Lanes) {
    ll::omptarget_arch_sync_warp(lanes as u32)
}

/// The lanes that happen to execute this together.
#[inline(always)]
pub fn active_lanes() -> Lanes {
    ll::omptarget_arch_active_lanes().into()
}

/// The value that the lane `delta` further on passes in, within groups of `width` lanes. All
/// `lanes` take part.
#[inline(always)]
pub fn shuffle_down(lanes: Lanes, value: u32, delta: u32, width: u32) -> u32 {
    // PTX `shfl.sync`: bits 8-12 of `c` are the group mask, bits 0-4 the clamp.
    ll::omptarget_arch_shuffle_down(
        lanes as u32,
        value,
        delta,
        ((warp_size() - width) << 8) | (warp_size() - 1),
    )
}

/// Orders this thread's memory accesses as its block sees them.
#[inline(always)]
pub fn fence_block() {
    ll::omptarget_arch_fence_block()
}

/// Orders this thread's memory accesses as the device sees them.
#[inline(always)]
pub fn fence_device() {
    ll::omptarget_arch_fence_device()
}

/// Orders this thread's memory accesses as everyone sees them.
#[inline(always)]
pub fn fence_system() {
    ll::omptarget_arch_fence_system()
}

/// Lets others run: to be called in every loop that waits for another thread.
#[inline(always)]
pub fn pause() {
    ll::omptarget_arch_pause()
}

/// A clock in nanoseconds that runs at one rate on the whole device.
#[inline(always)]
pub fn nanoseconds() -> u64 {
    ll::omptarget_arch_nanoseconds()
}

/// Reads a thread's nest word; only the thread itself may.
#[inline(always)]
pub fn nest_load(thread: u32) -> u16 {
    ll::omptarget_arch_nest_load(thread)
}

/// Writes a thread's nest word; only the thread itself may.
#[inline(always)]
pub fn nest_store(thread: u32, word: u16) {
    ll::omptarget_arch_nest_store(thread, word)
}

/// First byte of the launch's dynamic shared memory.
#[inline(always)]
pub fn dynamic_shared() -> *mut c_void {
    ll::omptarget_arch_dynamic_shared()
}

/// Bytes of dynamic shared memory.
#[inline(always)]
pub fn dynamic_shared_size() -> u32 {
    ll::omptarget_arch_dynamic_shared_size()
}

/// Device heap; null when exhausted.
#[inline(always)]
pub fn allocate(bytes: usize) -> *mut c_void {
    // SAFETY: CUDA's allocator takes any size.
    unsafe { ll::malloc(bytes) }
}

/// Returns to the heap what [`allocate`] gave.
///
/// # Safety
/// `pointer` came from [`allocate`] and is not used again.
#[inline(always)]
pub unsafe fn release(pointer: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { ll::free(pointer) }
}

/// Ends the kernel, saying why.
#[cold]
#[inline(never)]
pub fn trap(message: &CStr) -> ! {
    // SAFETY: a C string.
    unsafe { trap_with(message.as_ptr()) }
}

/// Ends the kernel, saying why in the words of the program.
///
/// # Safety
/// `message` is a C string.
#[cold]
#[inline(never)]
pub unsafe fn trap_with(message: *const c_char) -> ! {
    assert_failed(
        message,
        c"omptarget device runtime".as_ptr(),
        0,
        c"".as_ptr(),
    )
}

/// Ends the kernel after a failed assertion.
#[cold]
#[inline(never)]
pub fn assert_failed(
    message: *const c_char,
    file: *const c_char,
    line: u32,
    function: *const c_char,
) -> ! {
    // SAFETY: C strings in device memory, as CUDA wants them.
    unsafe { ll::__assertfail(message, file, line, function, 1) };
    ll::omptarget_arch_trap()
}

//! What the runtime does the same way on NVIDIA and AMD GPUs. Where they differ, each has a module of its own
//! (`nvptx`, `amdgcn`). What Rust has no words for (shared memory, convergence, scopes, access types) stands in
//! hand-written LLVM assembly (`shared.ll`, and `arch-nvptx.ll` or `arch-amdgcn.ll`), which scripts/build-device
//! links in and inlines.

use core::ffi::{CStr, c_char, c_void};

use super::atomic::AtomicU32;
use crate::team::thread_state::Node;

#[cfg(target_arch = "amdgpu")]
use super::amdgcn as own;
#[cfg(target_arch = "nvptx64")]
use super::nvptx as own;

pub use own::{
    LOCKSTEP, TICKS_PER_SECOND, active_lanes, ballot, block_barrier, block_barrier_aligned_if,
    block_barrier_together, group_barrier, lanes_are_independent, shuffle_down, sync_warp, ticks,
    warp_size,
};

mod ll {
    use core::ffi::{c_char, c_void};

    // SAFETY: defined in the assembly with these very types; `malloc`, `free` and `__assertfail`
    // are the device's (docs/abi.md).
    unsafe extern "C" {
        pub safe fn omptarget_arch_thread_x() -> u32;
        pub safe fn omptarget_arch_thread_y() -> u32;
        pub safe fn omptarget_arch_threads_x() -> u32;
        pub safe fn omptarget_arch_threads_y() -> u32;
        pub safe fn omptarget_arch_block() -> u32;
        pub safe fn omptarget_arch_blocks() -> u32;
        pub safe fn omptarget_arch_thread_z() -> u32;
        pub safe fn omptarget_arch_threads_z() -> u32;
        pub safe fn omptarget_arch_block_y() -> u32;
        pub safe fn omptarget_arch_block_z() -> u32;
        pub safe fn omptarget_arch_blocks_y() -> u32;
        pub safe fn omptarget_arch_blocks_z() -> u32;
        pub safe fn omptarget_arch_fence_block();
        pub safe fn omptarget_arch_fence_device();
        pub safe fn omptarget_arch_fence_system();
        pub safe fn omptarget_arch_pause();
        pub safe fn omptarget_arch_processor() -> u32;
        pub safe fn omptarget_arch_nest_seen() -> u16;
        pub safe fn omptarget_arch_nest_show(word: u16);
        pub safe fn omptarget_arch_is_known(word: u16) -> bool;
        pub safe fn omptarget_arch_is_own(object: *const c_void) -> bool;
        pub safe fn omptarget_arch_object_size(object: *const c_void) -> usize;
        pub safe fn omptarget_arch_spmd_begin();
        pub safe fn omptarget_arch_generic_begin();
        pub safe fn omptarget_arch_thread_state_slots() -> *mut c_void;
        pub safe fn omptarget_arch_nest_load(thread: u32) -> u16;
        pub safe fn omptarget_arch_nest_store(thread: u32, word: u16);
        pub safe fn omptarget_arch_master_nest_load() -> u16;
        pub safe fn omptarget_arch_master_nest_store(word: u16);
        pub safe fn omptarget_arch_dynamic_shared() -> *mut c_void;
        pub fn omptarget_arch_fill(words: *mut u64, value: u64, count: u32);
        pub fn omptarget_arch_send_references(
            list: *mut *mut c_void,
            references: *const *mut c_void,
            count: usize,
        );
        pub safe fn omptarget_arch_dynamic_shared_size() -> u32;
        pub safe fn omptarget_arch_trap() -> !;
        pub fn omptarget_arch_count_up(counter: *mut u32, last: u32) -> u32;
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
        /// Pointers to the variables `shared.ll` defines in address space 3.
        pub mod shared {
            use crate::arch::*;
            $(#[inline(always)] pub fn $name() -> *mut $type {
                // SAFETY: shared.ll defines `omptarget_shared_*` with room for the type
                // (checked against these types by devicertl/src/tests/layout.rs).
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

/// Where this thread is in its block, in each dimension.
#[inline(always)]
pub fn thread_index() -> [u32; 3] {
    [
        ll::omptarget_arch_thread_x(),
        ll::omptarget_arch_thread_y(),
        ll::omptarget_arch_thread_z(),
    ]
}

/// Threads of a block, in each dimension.
#[inline(always)]
pub fn block_shape() -> [u32; 3] {
    [
        ll::omptarget_arch_threads_x(),
        ll::omptarget_arch_threads_y(),
        ll::omptarget_arch_threads_z(),
    ]
}

/// Where this block is in the grid, in each dimension.
#[inline(always)]
pub fn block_index() -> [u32; 3] {
    [
        ll::omptarget_arch_block(),
        ll::omptarget_arch_block_y(),
        ll::omptarget_arch_block_z(),
    ]
}

/// Blocks of the grid, in each dimension.
#[inline(always)]
pub fn grid_shape() -> [u32; 3] {
    [
        ll::omptarget_arch_blocks(),
        ll::omptarget_arch_blocks_y(),
        ll::omptarget_arch_blocks_z(),
    ]
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

/// The multiprocessor the block runs on, now; a block can be moved.
#[inline(always)]
pub fn processor() -> u32 {
    ll::omptarget_arch_processor()
}

/// What the optimiser knows of the thread's nest word. Not a value to use unless [`is_known`] says so.
#[inline(always)]
pub fn nest_seen() -> u16 {
    ll::omptarget_arch_nest_seen()
}

/// Lets the optimiser know the thread's nest word.
#[inline(always)]
pub fn nest_show(word: u16) {
    ll::omptarget_arch_nest_show(word)
}

/// Whether the optimiser knows the value.
#[inline(always)]
pub fn is_known(word: u16) -> bool {
    ll::omptarget_arch_is_known(word)
}

/// Whether something holds and the optimiser knows it: then code that needs it costs no question.
#[inline(always)]
pub fn is_known_to_hold(holds: bool) -> bool {
    is_known(holds.into()) && holds
}

/// Bytes of an object from `object` on, if the optimiser sees what it is.
#[inline(always)]
pub fn object_size(object: *const c_void) -> Option<usize> {
    let size = ll::omptarget_arch_object_size(object);
    (size != usize::MAX).then_some(size)
}

/// Whether an object lies in memory that this thread alone can reach.
#[inline(always)]
pub fn is_own(object: *const c_void) -> bool {
    ll::omptarget_arch_is_own(object)
}

/// Starts the state that the threads of an SPMD kernel have each for themselves.
#[inline(always)]
pub fn spmd_begin() {
    ll::omptarget_arch_spmd_begin()
}

/// The threads of a generic kernel have no such state.
#[inline(always)]
pub fn generic_begin() {
    ll::omptarget_arch_generic_begin()
}

/// SPMD kernels: where each thread's list of thread state begins.
#[inline(always)]
pub fn thread_state_slots() -> *mut *mut Node {
    ll::omptarget_arch_thread_state_slots().cast()
}

/// SPMD kernels: reads a thread's nest word; only the thread itself may.
#[inline(always)]
pub fn nest_load(thread: u32) -> u16 {
    ll::omptarget_arch_nest_load(thread)
}

/// SPMD kernels: writes a thread's nest word; only the thread itself may.
#[inline(always)]
pub fn nest_store(thread: u32, word: u16) {
    ll::omptarget_arch_nest_store(thread, word)
}

/// Generic kernels: reads the master's nest word; only the master may.
#[inline(always)]
pub fn master_nest_load() -> u16 {
    ll::omptarget_arch_master_nest_load()
}

/// Generic kernels: writes the master's nest word; only the master may.
#[inline(always)]
pub fn master_nest_store(word: u16) {
    ll::omptarget_arch_master_nest_store(word)
}

/// Writes `value` into `count` words, at least one, with few instructions.
///
/// # Safety
/// The words are the caller's.
#[inline(always)]
pub unsafe fn fill(words: *mut u64, value: u64, count: u32) {
    // SAFETY: the caller's promise.
    unsafe { ll::omptarget_arch_fill(words, value, count) }
}

/// Copies `count` references to a list that other threads read ([`super::send`]).
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
    unsafe { ll::omptarget_arch_send_references(list, references, count) }
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

/// [`super::atomic::count_up`], in one instruction.
#[inline(always)]
pub fn count_up(counter: &AtomicU32, last: u32) -> u32 {
    // SAFETY: a live atomic.
    unsafe { ll::omptarget_arch_count_up(counter.as_ptr(), last) }
}

/// Device heap; null when exhausted.
#[inline(always)]
pub fn allocate(bytes: usize) -> *mut c_void {
    // SAFETY: the device's allocator takes any size.
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
#[inline(always)]
pub fn trap(message: &CStr) -> ! {
    // SAFETY: a C string.
    unsafe { trap_with(message.as_ptr()) }
}

/// Ends the kernel, saying why in the words of the program.
///
/// # Safety
/// `message` is a C string.
#[inline(always)]
pub unsafe fn trap_with(message: *const c_char) -> ! {
    // SAFETY: the caller's promise.
    unsafe { give_up(message, c"omptarget device runtime".as_ptr(), 0) }
}

/// Ends the kernel, saying why, and with a number: `what` it is of. (`__assertfail` prints numbers of lines only, and putting a
/// text together here would be a hundred instructions in kernels that never come here.)
#[inline(always)]
pub fn trap_number(message: &CStr, what: &CStr, number: u32) -> ! {
    // SAFETY: a C string.
    unsafe { give_up(message.as_ptr(), what.as_ptr(), number) }
}

/// Ends the kernel with what looks like a failed assertion in the file `what`, at the line `number`. One function for all of the
/// runtime's own reasons: passing one on takes a few instructions, reporting it more. scripts/build-device keeps the device link from
/// optimising it, which would make a copy of it for each text that it knows. Named for that.
///
/// # Safety
/// `message` is a C string.
#[cold]
#[inline(never)]
#[unsafe(export_name = "omptarget_give_up")]
unsafe fn give_up(message: *const c_char, what: *const c_char, number: u32) -> ! {
    // SAFETY: C strings.
    unsafe {
        #[cfg(target_arch = "nvptx64")]
        super::trap_record::leave(message, number);
        ll::__assertfail(message, what, number, c"".as_ptr(), 1);
    }
    end()
}

/// Ends the kernel after a failed assertion.
///
/// # Safety
/// C strings in device memory.
#[inline(always)]
pub unsafe fn assert_failed(
    message: *const c_char,
    file: *const c_char,
    line: u32,
    function: *const c_char,
) -> ! {
    // SAFETY: the caller's promise.
    unsafe {
        #[cfg(target_arch = "nvptx64")]
        super::trap_record::leave_assertion(message, file, function, line);
        ll::__assertfail(message, file, line, function, 1);
    }
    end()
}

/// Ends the kernel without a word.
#[inline(always)]
pub fn end() -> ! {
    ll::omptarget_arch_trap()
}

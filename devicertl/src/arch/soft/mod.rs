//! A GPU of operating system threads, for the unit tests. Every GPU thread is one, in blocks that run one after the
//! other. It is strict where hardware is lenient: shared memory starts as garbage, and lanes that are missing at a warp
//! operation or threads missing at a barrier end the process with a message.

use std::alloc::{Layout, alloc, dealloc};
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::Ordering;
use std::time::Instant;

mod block;
mod threads;

use super::limits::Lanes;
use block::{count, fail, with};
use threads::{fence, yield_now};

pub use block::{Launch, launch, live_allocations};

/// Lanes per warp of this launch.
pub fn warp_size() -> u32 {
    with(|thread| thread.block.launch.warp)
}

/// Whether the block has the shape of an SPMD kernel's.
pub fn is_spmd() -> bool {
    with(|thread| thread.block.launch.spmd)
}

/// Whether the block has the shape of a generic kernel's.
pub fn is_generic_shape() -> bool {
    !is_spmd()
}

/// Checks what the optimiser would be told.
pub fn assume_mode(spmd: bool) {
    assert_eq!(is_spmd(), spmd);
}

/// This thread's number in its block.
pub fn thread_id() -> u32 {
    with(|thread| thread.id)
}

/// Threads of the block.
pub fn block_threads() -> u32 {
    with(|thread| thread.block.launch.threads)
}

/// This block's number.
pub fn block_id() -> u32 {
    with(|thread| thread.block.id)
}

/// Blocks of the grid.
pub fn block_count() -> u32 {
    with(|thread| thread.block.launch.blocks)
}

/// Waits for every thread of the block that has not ended.
pub fn block_barrier() {
    with(|thread| {
        thread.block.gather(
            "the block's barrier",
            |state| &mut state.all,
            |state| state.live,
        )
    });
}

/// The same.
pub fn block_barrier_together() {
    block_barrier();
}

/// The same.
pub fn block_barrier_aligned_if(_together: bool) {
    block_barrier();
}

/// Waits for the first `threads` threads of the block, if the hardware could: as NVIDIA's with warps of 32 lanes,
/// as AMD's, which has no such barriers, with warps of 64.
pub fn group_barrier(threads: u32) -> bool {
    if warp_size() != 32 || !threads.is_multiple_of(32) {
        return false;
    }
    assert!(
        thread_id() < threads,
        "a thread outside the group came to its barrier"
    );
    with(|thread| {
        thread
            .block
            .gather("a group's barrier", |state| &mut state.group, |_| threads)
    });
    true
}

/// Waits for those of the lanes that have threads.
fn exchange(lanes: Lanes, value: u32) -> [u32; Lanes::BITS as usize] {
    with(|thread| {
        let (warp, lane) = (
            thread.id / thread.block.launch.warp,
            thread.id % thread.block.launch.warp,
        );
        let threads = thread.block.launch.threads - warp * thread.block.launch.warp;
        let lanes = lanes & (Lanes::MAX >> (Lanes::BITS - threads.min(Lanes::BITS)));
        assert!(
            lanes >> lane & 1 == 1,
            "a lane outside the mask came to a warp operation"
        );
        if lanes == 1 << lane {
            // Nobody else, and so no lock that would order this thread with others.
            let mut alone = [0; Lanes::BITS as usize];
            alone[lane as usize] = value;
            return alone;
        }
        let key = (warp, lanes);
        let mut state = thread.block.lock();
        let here = state.exchanges.entry(key).or_default();
        let generation = here.generation;
        here.arrived |= 1 << lane;
        here.offered[lane as usize] = value;
        if here.arrived == lanes {
            here.arrived = 0;
            here.generation += 1;
            here.exchanged = here.offered;
            thread.block.change.notify_all();
        } else {
            state = thread.block.wait_while(
                state,
                &format!("a warp operation of lanes {lanes:#x}"),
                |state| state.exchanges[&key].generation == generation,
            );
        }
        state.exchanges[&key].exchanged
    })
}

/// Waits for these lanes.
pub fn sync_warp(lanes: Lanes) {
    exchange(lanes, 0);
}

/// Every thread goes its own way here.
pub fn active_lanes() -> Lanes {
    1 << (thread_id() % warp_size())
}

/// The value of the lane `delta` further on, the own one past the group's end.
pub fn shuffle_down(lanes: Lanes, value: u32, delta: u32, width: u32) -> u32 {
    let lane = thread_id() % warp_size();
    let values = exchange(lanes, value);
    if lane % width + delta < width {
        values[(lane + delta) as usize]
    } else {
        value
    }
}

/// Orders memory.
pub fn fence_block() {
    fence(Ordering::AcqRel);
}

/// Orders memory.
pub fn fence_device() {
    fence(Ordering::AcqRel);
}

/// Orders memory.
pub fn fence_system() {
    fence(Ordering::SeqCst);
}

/// Lets others run.
pub fn pause() {
    yield_now();
}

/// Whether the lanes of a warp may run in lockstep, so that one cannot wait for another.
pub const LOCKSTEP: bool = false;

/// Whether the device heap is so simple that nothing is gained by taking memory from a state buffer instead.
pub const SIMPLE_HEAP: bool = false;

/// Whether they do not after all.
pub fn lanes_are_independent() -> bool {
    true
}

/// Nanoseconds.
pub const TICKS_PER_SECOND: Option<u64> = Some(1_000_000_000);

/// A clock.
pub fn ticks() -> u64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// Nothing: there is no optimiser to tell.
pub fn nest_show(_word: u16) {}

/// Nothing to be known.
pub fn nest_seen() -> u16 {
    0xaaaa
}

/// No optimiser, no knowledge.
pub fn is_known(_word: u16) -> bool {
    false
}

/// As if there were an optimiser that knows everything: code that needs something to hold must be right wherever it
/// does.
pub fn is_known_to_hold(holds: bool) -> bool {
    holds
}

/// Whether the launch is one as on the virtual GPU. Here warps run at once in any case.
pub fn executes_warp_by_warp() -> bool {
    with(|thread| thread.block.launch.warp_by_warp)
}

/// No optimiser, no sight.
pub fn object_size(_object: *const c_void) -> Option<usize> {
    None
}

/// As if it did: what may be another thread's own is never read in place.
pub fn is_own(_object: *const c_void) -> bool {
    true
}

/// Blocks are spread over a few multiprocessors.
pub fn processor() -> u32 {
    block_id() % 3
}

/// Starts the per-thread state of an SPMD kernel.
pub fn spmd_begin() {
    assert!(is_spmd());
}

/// There is no such state.
pub fn generic_begin() {
    assert!(!is_spmd());
}

/// Where each thread's list of thread state begins.
pub fn thread_state_slots() -> *mut *mut c_void {
    assert!(is_spmd());
    with(|thread| thread.block.thread_states.as_ptr().cast_mut().cast())
}

/// Reads the calling thread's nest word.
pub fn nest_load(id: u32) -> u16 {
    with(|thread| {
        assert!(thread.block.launch.spmd);
        assert_eq!(id, thread.id, "nest words are private");
        thread.block.nest[id as usize].get()
    })
}

/// Writes the calling thread's nest word.
pub fn nest_store(id: u32, word: u16) {
    with(|thread| {
        assert!(thread.block.launch.spmd);
        assert_eq!(id, thread.id, "nest words are private");
        thread.block.nest[id as usize].set(word);
    });
}

/// Reads the nest word of a generic kernel's master.
pub fn master_nest_load() -> u16 {
    master_nest(Cell::get)
}

/// Writes the nest word of a generic kernel's master.
pub fn master_nest_store(word: u16) {
    master_nest(|own| own.set(word))
}

fn master_nest<R>(access: impl FnOnce(&Cell<u16>) -> R) -> R {
    with(|thread| {
        assert!(!thread.block.launch.spmd);
        assert_eq!(
            thread.id / thread.block.launch.warp,
            (thread.block.launch.threads - 1) / thread.block.launch.warp,
            "the word is the master's"
        );
        access(&thread.block.nest[thread.id as usize])
    })
}

/// Writes `value` into `count` words.
///
/// # Safety
/// The words are the caller's.
pub unsafe fn fill(words: *mut u64, value: u64, count: u32) {
    for index in 0..count as usize {
        // SAFETY: the caller's promise.
        unsafe { words.add(index).write(value) }
    }
}

/// Copies `count` pairs of words.
///
/// # Safety
/// Both have so many, and `to` is the caller's.
pub unsafe fn copy_pairs(to: *mut [u64; 2], from: *const [u64; 2], count: u32) {
    // SAFETY: the caller's promise.
    unsafe { to.copy_from_nonoverlapping(from, count as usize) }
}

/// Copies `count` references to a list that other threads read.
///
/// # Safety
/// The list has room for `count`, and there are as many.
pub unsafe fn send_references(
    list: *mut *mut c_void,
    references: *const *mut c_void,
    count: usize,
) {
    for index in 0..count {
        // SAFETY: the caller's promise.
        unsafe { list.add(index).write(*references.add(index)) }
    }
}

/// First byte of the launch's dynamic shared memory.
pub fn dynamic_shared() -> *mut c_void {
    with(|thread| thread.block.dynamic.cast())
}

/// Its size.
pub fn dynamic_shared_size() -> u32 {
    with(|thread| thread.block.launch.dynamic_shared as u32)
}

/// The running block's shared variables.
pub fn shared_memory() -> *mut c_void {
    with(|thread| thread.block.shared.cast())
}

/// Makes a function for each of the block's shared variables, which gives a pointer to it, and `LAYOUT` for [`Launch`].
macro_rules! shared_variables {
    ($($(#[$doc:meta])* $name:ident: $type:ty,)*) => {
        #[repr(C)]
        struct SharedMemory { $($name: $type,)* }

        /// All of them.
        pub const LAYOUT: std::alloc::Layout = std::alloc::Layout::new::<SharedMemory>();

        $($(#[$doc])* pub fn $name() -> *mut $type {
            // SAFETY: in bounds of the block's shared memory, which lives as long as its threads.
            unsafe { &raw mut (*$crate::arch::soft::shared_memory().cast::<SharedMemory>()).$name }
        })*
    };
}
pub(crate) use shared_variables;

fn heap_layout(bytes: usize) -> Layout {
    Layout::from_size_align(bytes + 16, 16).expect("a valid layout")
}

/// Device heap.
pub fn allocate(bytes: usize) -> *mut c_void {
    count(bytes, 1);
    // SAFETY: the size is not 0; the size goes in front, so that `release` knows it.
    unsafe {
        let start = alloc(heap_layout(bytes));
        start.cast::<usize>().write(bytes);
        let memory = start.add(16);
        memory.write_bytes(0xaa, bytes);
        memory.cast()
    }
}

/// Returns to the heap what [`allocate`] gave.
///
/// # Safety
/// `pointer` came from [`allocate`] and is not used again.
pub unsafe fn release(pointer: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe {
        let start = pointer.cast::<u8>().sub(16);
        let bytes = start.cast::<usize>().read();
        count(bytes, -1);
        dealloc(start, heap_layout(bytes));
    }
}

/// Ends the process, saying why.
pub fn trap(message: &CStr) -> ! {
    fail(&format!("trap: {}", message.to_string_lossy()))
}

/// Ends the process, saying why, and with a number.
pub fn trap_number(message: &CStr, what: &CStr, number: u32) -> ! {
    let [message, what] = [message, what].map(CStr::to_string_lossy);
    fail(&format!("trap: {message} ({what}: {number})"))
}

/// Ends the process, saying why.
///
/// # Safety
/// `message` is a C string.
pub unsafe fn trap_with(message: *const c_char) -> ! {
    // SAFETY: the caller's promise.
    trap(unsafe { CStr::from_ptr(message) })
}

//! Data sharing (*sharing* paper): the references a region captured, and storage for local variables
//! that other threads see.

use core::ffi::c_void;

use crate::arch::{self, MAX_THREADS, SHARED_REFERENCES, shared};
use crate::kernel;
use crate::nest::Nest;
use crate::private;

/// Bytes of shared memory for the locals of sequential code.
pub const MASTER_STACK: usize = 2048;
/// Bytes of shared memory for the locals of all threads in parallel regions together.
pub const THREAD_STACKS: usize = 4096;
/// What `__kmpc_alloc_shared` aligns to: the strictest fundamental alignment.
const ALIGNMENT: usize = 16;

/// Storage for shared locals: the master's part, then a part for each thread of the block.
#[repr(C, align(16))]
#[derive(Debug)]
pub struct Stack {
    bytes: [u8; MASTER_STACK + THREAD_STACKS],
}

/// How much of a part is in use, in units of `ALIGNMENT`. clang allocates and frees in stack order;
/// where it does not, the part is reused only once nothing of it lives.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage<T> {
    top: T,
    live: T,
}

/// A part of the stack and its book-keeping.
struct Part<T> {
    base: *mut u8,
    bytes: usize,
    usage: *mut Usage<T>,
}

impl<T: Copy + TryFrom<usize> + Into<u64>> Part<T> {
    fn get(&self) -> (usize, usize) {
        // SAFETY: only the part's owner uses it.
        let usage = unsafe { *self.usage };
        (usage.top.into() as usize, usage.live.into() as usize)
    }

    fn set(&self, top: usize, live: usize) {
        let (Ok(top), Ok(live)) = (T::try_from(top), T::try_from(live)) else {
            arch::trap(c"the shared-memory stack's book-keeping overflowed");
        };
        // SAFETY: as in `get`.
        unsafe { *self.usage = Usage { top, live } };
    }

    fn push(&self, bytes: usize) -> Option<*mut u8> {
        let units = bytes.div_ceil(ALIGNMENT);
        let (top, live) = self.get();
        if units > self.bytes / ALIGNMENT - top {
            return None;
        }
        self.set(top + units, live + units);
        // SAFETY: `top + units` units lie within the part.
        Some(unsafe { self.base.add(top * ALIGNMENT) })
    }

    fn owns(&self, pointer: *mut u8) -> bool {
        (pointer as usize).wrapping_sub(self.base as usize) < self.bytes
    }

    fn pop(&self, pointer: *mut u8, bytes: usize) {
        let units = bytes.div_ceil(ALIGNMENT);
        let (top, live) = self.get();
        let first = (pointer as usize - self.base as usize) / ALIGNMENT;
        arch::debug_check(
            live >= units,
            c"a shared local was freed twice or with another size",
        );
        let live = live.saturating_sub(units);
        let top = if live == 0 {
            0
        } else if first + units == top {
            first
        } else {
            top
        };
        self.set(top, live);
    }
}

/// In a kernel that is SPMD as written, all threads run the team's sequential code, allocations
/// included: the variable is one all the same. So each keeps the book of the same part, and comes to
/// the same addresses.
fn common_part() -> Part<u8> {
    // SAFETY: this thread's own entry.
    let usage = unsafe { own_entry(shared::stack_common()) };
    Part {
        base: shared::stack().cast(),
        bytes: MASTER_STACK,
        usage,
    }
}

/// This thread's entry of an array with one for each thread of the block.
///
/// # Safety
/// `array` is live.
unsafe fn own_entry(array: *mut [Usage<u8>; MAX_THREADS]) -> *mut Usage<u8> {
    // SAFETY: thread numbers are below MAX_THREADS.
    unsafe { array.cast::<Usage<u8>>().add(arch::thread_id() as usize) }
}

fn is_common() -> bool {
    Nest::load() == Nest::PURE_SEQUENTIAL
}

fn master_part() -> Part<u32> {
    Part {
        base: shared::stack().cast(),
        bytes: MASTER_STACK,
        usage: shared::stack_master(),
    }
}

fn thread_part() -> Part<u8> {
    let thread = arch::thread_id() as usize;
    // A part's size is the same for all threads, so that each can find its own.
    let bytes = (THREAD_STACKS / (arch::block_threads() as usize).max(1) / ALIGNMENT * ALIGNMENT)
        .min(255 * ALIGNMENT);
    // SAFETY: `thread` is below `block_threads`, and that below MAX_THREADS.
    unsafe {
        Part {
            base: shared::stack()
                .cast::<u8>()
                .add(MASTER_STACK + thread * bytes),
            bytes,
            usage: own_entry(shared::stack_threads()),
        }
    }
}

/// Whether this thread runs the team's sequential code, and so owns the master's part.
fn runs_sequential() -> bool {
    if arch::is_spmd() {
        arch::thread_id() == 0 && !Nest::load().is_active()
    } else {
        kernel::is_master()
    }
}

/// Readies this thread's part of the stack.
#[inline(always)]
pub fn init_thread() {
    // SAFETY: this thread's own entry.
    unsafe { own_entry(shared::stack_threads()).write(Usage { top: 0, live: 0 }) };
}

/// Readies this thread's view of the common part.
#[inline(always)]
pub fn init_common() {
    // SAFETY: this thread's own entry.
    unsafe { own_entry(shared::stack_common()).write(Usage { top: 0, live: 0 }) };
}

/// Readies the master's part of the stack.
#[inline(always)]
pub fn init_master() {
    if !arch::is_spmd() || arch::thread_id() == 0 {
        // SAFETY: only this thread uses it.
        unsafe { *shared::stack_master() = Usage { top: 0, live: 0 } };
    }
}

/// Memory that every thread of the team can reach, for a local variable.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_alloc_shared(bytes: usize) -> *mut c_void {
    let common = is_common();
    let pushed = if common {
        common_part().push(bytes)
    } else if runs_sequential() {
        master_part().push(bytes)
    } else {
        thread_part().push(bytes)
    };
    match pushed {
        Some(pointer) => pointer.cast(),
        None if common => broadcast(|| from_heap(bytes)),
        None => from_heap(bytes),
    }
}

fn from_heap(bytes: usize) -> *mut c_void {
    let pointer = arch::allocate(bytes.max(1));
    if pointer.is_null() {
        arch::trap(c"out of device heap: no memory for a local variable shared with the team");
    }
    pointer
}

/// What thread 0 makes, for all threads of the block.
fn broadcast(make: impl FnOnce() -> *mut c_void) -> *mut c_void {
    // SAFETY: barriers on both sides of the reading.
    unsafe {
        if arch::thread_id() == 0 {
            arch::send(shared::broadcast(), make());
        }
        arch::block_barrier();
        let pointer = arch::receive(shared::broadcast());
        arch::block_barrier();
        pointer
    }
}

/// Gives back what [`__kmpc_alloc_shared`] gave.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_free_shared(pointer: *mut c_void, bytes: usize) {
    if is_common() {
        let common = common_part();
        if common.owns(pointer.cast()) {
            return common.pop(pointer.cast(), bytes);
        }
        // Not before all are done with it.
        arch::block_barrier();
        if arch::thread_id() == 0 {
            // SAFETY: thread 0 took it from the heap.
            unsafe { arch::release(pointer) };
        }
        return;
    }
    let master = master_part();
    if master.owns(pointer.cast()) {
        return master.pop(pointer.cast(), bytes);
    }
    let thread = thread_part();
    if thread.owns(pointer.cast()) {
        return thread.pop(pointer.cast(), bytes);
    }
    // SAFETY: not from the stack, so from the heap.
    unsafe { arch::release(pointer) };
}

/// A list for `count` references: shared memory up to 20 of them, else the heap.
pub fn begin(count: usize) -> *mut *mut c_void {
    let list: *mut *mut c_void = if count <= SHARED_REFERENCES {
        shared::reference_list().cast()
    } else {
        arch::allocate(count * size_of::<*mut c_void>()).cast()
    };
    if list.is_null() {
        arch::trap(c"out of device heap: no memory for a parallel region's captured references");
    }
    // SAFETY: the workers wait for the next region.
    unsafe { arch::send(shared::references(), list) };
    list
}

/// Ends the list of the region that has ended.
pub fn end() {
    // SAFETY: the workers are back in the pool, `begin` wrote the list.
    unsafe {
        let list = arch::receive(shared::references());
        if list != shared::reference_list().cast() {
            arch::release(list.cast());
        }
    }
}

/// The references of the region a worker has been sent.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_get_shared_variables(list: &mut *mut *mut c_void) {
    if Nest::load().has_private()
        && let Some(node) = private::find_here(private::Kind::References)
    {
        // SAFETY: this thread's own node.
        *list = unsafe { (*node).references };
        return;
    }
    // SAFETY: the master wrote it before it released the pool.
    *list = unsafe { arch::receive(shared::references()) };
}

/// The launch's dynamic shared memory.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_get_dynamic_shared() -> *mut c_void {
    arch::dynamic_shared()
}

/// The launch's dynamic shared memory, by its public name; null if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn llvm_omp_target_dynamic_shared_alloc() -> *mut c_void {
    if arch::dynamic_shared_size() == 0 {
        core::ptr::null_mut()
    } else {
        arch::dynamic_shared()
    }
}

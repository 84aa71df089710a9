//! Data sharing (*sharing* paper): the references a region captured, and storage for local variables
//! that other threads see.
//!
//! Both take what they need, for as long as they need it, from the first of three places that has room: shared memory,
//! the team's state buffer (generic kernels of NVIDIA GPUs), the device heap.

use core::ffi::c_void;

use crate::arch;
use crate::memory::heap;
use crate::memory::pool::Pool;
use crate::team::nest::Nest;
use crate::team::shared::{
    self, FEW_REFERENCES, MANY_REFERENCES, MOST_REFERENCES, POOL, SHARED_REFERENCES,
};
use crate::team::state;
use crate::team::state_buffer;
use crate::team::thread_state::{self, Kind, Payload};

/// What `__kmpc_alloc_shared` aligns to: the strictest fundamental alignment.
const ALIGNMENT: usize = 16;

/// The captured references of a serialised region, whose list is the thread's alone.
#[derive(Debug)]
pub struct References {
    /// The list, on the heap.
    pub list: *mut *mut c_void,
}

// SAFETY: the one payload of this kind.
unsafe impl Payload for References {
    const KIND: Kind = Kind::References;
}

fn pool() -> Pool {
    Pool {
        base: shared::pool().cast(),
        unit: const { ALIGNMENT.ilog2() },
        units: (POOL / ALIGNMENT) as u32,
        used: shared::pool_used(),
    }
}

/// Initialises the pool. In generic kernels all threads may use it after the master has called this. In SPMD kernels
/// only thread 0 may, because they start without a barrier.
#[inline(always)]
pub fn init() {
    if !arch::is_spmd() || arch::thread_id() == 0 {
        pool().clear();
    }
}

/// Whether all threads of the team are here: in a kernel that is SPMD as written they all run the sequential code,
/// allocations included. The variable must be one all the same.
fn is_common() -> bool {
    arch::is_spmd() && Nest::load().is_pure_sequential()
}

/// `void *(u64 bytes)`: memory that every thread of the team can reach, for a local variable that a region captures
/// (clang: `CGOpenMPRuntimeGPU::emitGenericVarsProlog`, `getKmpcAllocShared`; OpenMP 5.2, §5.1).
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C" fn __kmpc_alloc_shared(bytes: usize) -> *mut c_void {
    if is_common() {
        broadcast(|| allocate(bytes))
    } else {
        allocate(bytes)
    }
}

/// `void (void *, u64 bytes)`: gives back what [`__kmpc_alloc_shared`] gave (clang:
/// `CGOpenMPRuntimeGPU::emitGenericVarsEpilog`, `getKmpcFreeShared`; OpenMP 5.2, §5.1).
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C" fn __kmpc_free_shared(pointer: *mut c_void, bytes: usize) {
    if is_common() {
        // Not before all are done with it.
        arch::block_barrier();
        if arch::thread_id() != 0 {
            return;
        }
    }
    release(pointer, bytes);
}

/// `void ()`: a barrier for threads that all execute a team's sequential code; nothing for one that executes it
/// alone. Around regions that write what they captured (codegen-llvm: `device/shared_captures.rs`; OpenMP 5.2,
/// §5.1.1).
#[unsafe(no_mangle)]
pub extern "C" fn __omptarget_sequential_barrier() {
    if is_common() {
        arch::block_barrier();
    }
}

fn allocate(bytes: usize) -> *mut c_void {
    if !arch::is_spmd() || (arch::thread_id() == 0 && !Nest::load().is_active()) {
        let here = pool().take(bytes);
        if !here.is_null() {
            return here.cast();
        }
    }
    allocate_elsewhere(bytes)
}

/// Memory that shared memory has no room for.
#[cold]
#[inline(never)]
fn allocate_elsewhere(bytes: usize) -> *mut c_void {
    if !arch::SIMPLE_HEAP && !arch::is_spmd() && bytes <= state_buffer::OVERFLOW {
        let pointer = state_buffer::overflow(state::need()).take(bytes);
        if !pointer.is_null() {
            return pointer.cast();
        }
    }
    heap::need(
        bytes.max(1),
        heap::purpose!("variables that the threads of a team share"),
    )
}

fn release(pointer: *mut c_void, bytes: usize) {
    let pool = pool();
    if pool.owns(pointer.cast()) {
        pool.give_back(pointer.cast(), bytes);
    } else {
        release_elsewhere(pointer, bytes);
    }
}

#[cold]
#[inline(never)]
fn release_elsewhere(pointer: *mut c_void, bytes: usize) {
    if !arch::SIMPLE_HEAP && !arch::is_spmd() {
        let state = state::current();
        let overflow = state_buffer::overflow(state);
        if !state.is_null() && overflow.owns(pointer.cast()) {
            return overflow.give_back(pointer.cast(), bytes);
        }
    }
    // SAFETY: from neither of the other places, so from the heap.
    unsafe { arch::release(pointer) };
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

/// A list for `count` references, which the workers get.
///
/// Inlined, so that a region whose number of variables the compiler knows pays for the one list that it uses.
#[inline(always)]
pub fn begin(count: usize) -> *mut *mut c_void {
    publish(if count <= SHARED_REFERENCES {
        short_list(count)
    } else if count <= MANY_REFERENCES {
        shared::many_references().cast()
    } else if count <= MOST_REFERENCES {
        shared::most_references().cast()
    } else {
        long_list(count)
    })
}

/// The same where the compiler does not know the number: only a short list is taken from shared memory.
pub fn begin_any(count: usize) -> *mut *mut c_void {
    publish(if count <= SHARED_REFERENCES {
        short_list(count)
    } else {
        long_list(count)
    })
}

#[inline(always)]
fn short_list(count: usize) -> *mut *mut c_void {
    if count <= FEW_REFERENCES {
        shared::few_references().cast()
    } else {
        shared::reference_list().cast()
    }
}

#[inline(always)]
fn publish(list: *mut *mut c_void) -> *mut *mut c_void {
    // SAFETY: the workers wait for the next region.
    unsafe { arch::send(shared::references(), list) };
    list
}

/// Ends the list that [`begin`] gave, of the region that has ended.
#[inline(always)]
pub fn end(list: *mut *mut c_void, count: usize) {
    if count > MOST_REFERENCES {
        end_long_list(list);
    }
}

/// Ends the list that [`begin_any`] gave: only the list itself knows how long it is.
pub fn end_last() {
    // SAFETY: the workers are back in the pool, `begin_any` wrote the list.
    let list = unsafe { arch::receive(shared::references()) };
    if list != shared::few_references().cast() && list != shared::reference_list().cast() {
        end_long_list(list);
    }
}

/// A list that shared memory has no room for. Its size stands in front of it.
fn long_list(count: usize) -> *mut *mut c_void {
    let bytes = count
        .saturating_add(1)
        .saturating_mul(size_of::<*mut c_void>());
    let list = allocate_elsewhere(bytes).cast::<usize>();
    // SAFETY: fresh memory of that size.
    unsafe {
        list.write(bytes);
        list.add(1).cast()
    }
}

fn end_long_list(list: *mut *mut c_void) {
    // SAFETY: `long_list` made it.
    unsafe {
        let start = list.cast::<usize>().sub(1);
        release_elsewhere(start.cast(), *start);
    }
}

/// `void (list *)`: the references of the region a worker has been sent (clang:
/// `CGOpenMPRuntimeGPU::createParallelDataSharingWrapper`; OpenMP 5.2, §5.1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_get_shared_variables(list: &mut *mut *mut c_void) {
    if let Some(node) = thread_state::find_here::<References>() {
        // SAFETY: this thread's own node.
        *list = unsafe { (*node).payload.list };
        return;
    }
    // SAFETY: the master wrote it before it released the pool.
    *list = unsafe { arch::receive(shared::references()) };
}

/// `void *()`: the launch's dynamic shared memory, by the name LLVM's device runtime has for it; clang 22 emits no
/// call.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_get_dynamic_shared() -> *mut c_void {
    arch::dynamic_shared()
}

/// `void *()`: the launch's dynamic shared memory (`ompx_dyn_cgroup_mem`), by LLVM's public name, which programs call;
/// null if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn llvm_omp_target_dynamic_shared_alloc() -> *mut c_void {
    if arch::dynamic_shared_size() == 0 {
        core::ptr::null_mut()
    } else {
        arch::dynamic_shared()
    }
}

//! `copyprivate`: what one thread's private variables hold, the others' get.
//!
//! Private variables live in memory that other threads cannot read (on hardware), or that compilers know they do not
//! (openmp-opt). So the values go through the device heap: the thread that has them copies them there, the others copy
//! from there, all with the function clang generated. That function alone knows the variables' sizes, and the list of
//! pointers it takes tells nothing of them. The optimiser knows most: the variables are locals of the function that
//! this one is inlined into. Of the others, those in a thread's own memory are no larger than that, and the rest
//! (references) lie where all threads can read them.

use core::ffi::c_void;

use crate::Ident;
use crate::arch;
use crate::memory::heap;
use crate::sync::barrier::team_barrier;
use crate::team::nest::Nest;
use crate::team::shared;

/// The most memory of its own that a thread has: 512 KiB on NVIDIA GPUs (CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability"), less on AMD's and on the virtual GPU.
const OWN_MEMORY: usize = 512 << 10;

/// Copies the variables of one list to those of another.
type Copy = unsafe extern "C" fn(*mut c_void, *mut c_void);

/// Memory that all threads can read, for a copy of a variable; zeroed, because an object's assignment operator may look
/// at what it replaces.
fn shared_copy(variable: *mut c_void) -> *mut c_void {
    let bytes = match arch::object_size(variable) {
        Some(size) => size,
        None if arch::is_own(variable) => OWN_MEMORY,
        None => return variable,
    };
    let copy = heap::need(bytes.max(1), heap::purpose!("copyprivate")).cast::<u8>();
    // SAFETY: fresh memory of that size.
    unsafe { copy.write_bytes(0, bytes) };
    copy.cast()
}

/// `void (ident_t *, i32 thread, size_t bytes, list *, copy function *, i32 did_it)`: `copyprivate`; `did_it` tells the
/// thread that ran the `single`, `bytes` is the list's size (clang: `emitSingleRegion`; OpenMP 5.2, §5.7.2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_copyprivate(
    _location: *const Ident,
    _thread: i32,
    size: usize,
    data: *mut *mut c_void,
    copy: Copy,
    did_it: i32,
) {
    if !Nest::load().in_team() {
        return;
    }
    let count = size / size_of::<*mut c_void>();
    if did_it != 0 {
        let list: *mut *mut c_void = heap::need(size, heap::purpose!("copyprivate")).cast();
        // SAFETY: clang's function, with a list of as many variables; the others read after the barrier.
        unsafe {
            for i in 0..count {
                list.add(i).write(shared_copy(*data.add(i)));
            }
            copy(list.cast(), data.cast());
            arch::send(shared::broadcast(), list.cast());
        }
    }
    team_barrier();
    // SAFETY: sent before the barrier; released when all have copied.
    unsafe {
        let list = arch::receive(shared::broadcast());
        if did_it == 0 {
            copy(data.cast(), list);
        }
        team_barrier();
        if did_it != 0 {
            release(list.cast(), data, count);
        }
    }
}

/// Gives back the copies and their list.
///
/// # Safety
/// The list is one of [`shared_copy`]s for the variables of `data`, and nobody uses it any more.
#[inline(never)]
unsafe fn release(list: *mut *mut c_void, data: *mut *mut c_void, count: usize) {
    // SAFETY: the caller's promise.
    unsafe {
        for i in 0..count {
            if *list.add(i) != *data.add(i) {
                arch::release(*list.add(i));
            }
        }
        arch::release(list.cast());
    }
}

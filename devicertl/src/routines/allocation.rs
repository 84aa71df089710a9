//! Allocation routines in device code (OpenMP 5.2, §18.13). Every allocator serves from the device heap; memory that a
//! team shares (`omp_cgroup_mem_alloc` and the like) clang places in shared memory itself where it is static.

use core::ffi::c_void;

use crate::arch;
use crate::routines::allocator::{self, Allocator, Fallback};
use crate::team::icv::Icvs;

/// The header in front of every allocation. It lets one function free allocations of every alignment.
#[repr(C)]
#[derive(Clone, Copy)]
struct Header {
    start: *mut c_void,
    bytes: usize,
    /// Whose pool it counts to; null for none.
    allocator: *const Allocator,
}

/// What the heap aligns to.
const HEAP_ALIGNMENT: usize = 16;

/// From an allocator, or what it falls back to; null if there is no memory. `handle` 0 is def-allocator-var.
fn allocate(alignment: usize, bytes: usize, handle: usize) -> *mut c_void {
    let mut handle = if handle == 0 {
        Icvs::current().allocator
    } else {
        handle
    };
    // Ends: an allocator was made after the one it falls back to.
    while let Some(own) = allocator::of_handle(handle) {
        // SAFETY: the program's allocator, which lives until it destroys it.
        let own = unsafe { &*own };
        if own.reserve(bytes) {
            let pointer = from_heap(alignment.max(own.alignment), bytes, own);
            if !pointer.is_null() {
                return pointer;
            }
            own.give_back(bytes);
        }
        match own.fallback {
            Fallback::Null => return core::ptr::null_mut(),
            Fallback::Abort => {
                arch::trap(c"an allocator with the trait omp_atv_abort_fb is out of memory")
            }
            Fallback::Allocator(next) => handle = next,
            Fallback::Default => break,
        }
    }
    from_heap(alignment, bytes, core::ptr::null())
}

fn from_heap(alignment: usize, bytes: usize, allocator: *const Allocator) -> *mut c_void {
    let alignment = alignment.max(HEAP_ALIGNMENT);
    let Some(total) = bytes.checked_add(alignment + size_of::<Header>()) else {
        return core::ptr::null_mut();
    };
    if bytes == 0 || !alignment.is_power_of_two() {
        return core::ptr::null_mut();
    }
    let start = arch::allocate(total);
    if start.is_null() {
        return start;
    }
    let after_header = start as usize + size_of::<Header>();
    let offset = after_header.next_multiple_of(alignment) - start as usize;
    // SAFETY: `offset` leaves room for the header before and `bytes` after it.
    unsafe {
        let pointer = start.cast::<u8>().add(offset);
        pointer.cast::<Header>().sub(1).write(Header {
            start,
            bytes,
            allocator,
        });
        pointer.cast()
    }
}

unsafe fn release(pointer: *mut c_void) {
    if !pointer.is_null() {
        // SAFETY: `from_heap` wrote the header; allocators outlive what they gave.
        unsafe {
            let header = *pointer.cast::<Header>().sub(1);
            if let Some(allocator) = header.allocator.as_ref() {
                allocator.give_back(header.bytes);
            }
            arch::release(header.start);
        }
    }
}

unsafe fn clear(pointer: *mut c_void, bytes: usize) -> *mut c_void {
    if !pointer.is_null() {
        // SAFETY: the caller has just got that many bytes.
        unsafe { pointer.cast::<u8>().write_bytes(0, bytes) };
    }
    pointer
}

/// `void *(i32 thread, u64 bytes, allocator)`: `allocate` directive and clause (clang: `getAddressOfLocalVariable`,
/// `emitTaskInit`; OpenMP 5.2, §6.5 and §6.6).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_alloc(_thread: i32, bytes: usize, allocator: usize) -> *mut c_void {
    allocate(HEAP_ALIGNMENT, bytes, allocator)
}

/// `void *(i32 thread, u64 alignment, u64 bytes, allocator)`: the same with the `align` modifier or clause (clang:
/// `getAddressOfLocalVariable`; OpenMP 5.2, §6.3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_aligned_alloc(
    _thread: i32,
    alignment: usize,
    bytes: usize,
    allocator: usize,
) -> *mut c_void {
    allocate(alignment, bytes, allocator)
}

/// `void (i32 thread, void *, allocator)`: frees what those gave, where the variable's scope ends (clang:
/// `getAddressOfLocalVariable`, as a cleanup; OpenMP 5.2, §6.5 and §6.6).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_free(_thread: i32, pointer: *mut c_void, _allocator: usize) {
    // SAFETY: the caller's promise.
    unsafe { release(pointer) }
}

/// `omp_alloc` (OpenMP 5.2, §18.13.6).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_alloc(bytes: usize, allocator: usize) -> *mut c_void {
    allocate(HEAP_ALIGNMENT, bytes, allocator)
}

/// `omp_aligned_alloc` (OpenMP 5.2, §18.13.6).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_aligned_alloc(
    alignment: usize,
    bytes: usize,
    allocator: usize,
) -> *mut c_void {
    allocate(alignment, bytes, allocator)
}

/// `omp_calloc` (OpenMP 5.2, §18.13.8).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_calloc(count: usize, bytes: usize, allocator: usize) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { omp_aligned_calloc(HEAP_ALIGNMENT, count, bytes, allocator) }
}

/// `omp_aligned_calloc` (OpenMP 5.2, §18.13.8).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_aligned_calloc(
    alignment: usize,
    count: usize,
    bytes: usize,
    allocator: usize,
) -> *mut c_void {
    let Some(total) = count.checked_mul(bytes) else {
        return core::ptr::null_mut();
    };
    // SAFETY: fresh memory of that size.
    unsafe { clear(allocate(alignment, total, allocator), total) }
}

/// `omp_realloc` (OpenMP 5.2, §18.13.9).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_realloc(
    pointer: *mut c_void,
    bytes: usize,
    allocator: usize,
    _free_allocator: usize,
) -> *mut c_void {
    let moved = allocate(HEAP_ALIGNMENT, bytes, allocator);
    // SAFETY: the header says how much there was; a failed allocation leaves the old memory alone.
    unsafe {
        if !pointer.is_null() && (!moved.is_null() || bytes == 0) {
            let old = (*pointer.cast::<Header>().sub(1)).bytes;
            moved
                .cast::<u8>()
                .copy_from_nonoverlapping(pointer.cast(), old.min(bytes));
            release(pointer);
        }
    }
    moved
}

/// `omp_free` (OpenMP 5.2, §18.13.7).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_free(pointer: *mut c_void, _allocator: usize) {
    // SAFETY: the caller's promise.
    unsafe { release(pointer) }
}

macro_rules! kmp_names {
    ($($(#[$doc:meta])* $name:ident($($parameter:ident: $type:ty),*) $(-> $result:ty)? = $call:expr;)*) => {
        $($(#[$doc])* #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($parameter: $type),*) $(-> $result)? {
            // SAFETY: the caller's promise.
            unsafe { $call }
        })*
    };
}

kmp_names! {
    /// `kmp_malloc` of LLVM's `omp.h`, an extension: `malloc` (ISO C17, §7.22.3.4) of the default allocator.
    kmp_malloc(bytes: usize) -> *mut c_void = omp_alloc(bytes, 0);
    /// `kmp_aligned_malloc` of LLVM's `omp.h`, likewise.
    kmp_aligned_malloc(bytes: usize, alignment: usize) -> *mut c_void = omp_aligned_alloc(alignment, bytes, 0);
    /// `kmp_calloc` of LLVM's `omp.h`, likewise.
    kmp_calloc(count: usize, bytes: usize) -> *mut c_void = omp_calloc(count, bytes, 0);
    /// `kmp_realloc` of LLVM's `omp.h`, likewise.
    kmp_realloc(pointer: *mut c_void, bytes: usize) -> *mut c_void = omp_realloc(pointer, bytes, 0, 0);
    /// `kmp_free` of LLVM's `omp.h`: what those gave.
    kmp_free(pointer: *mut c_void) = omp_free(pointer, 0);
}

//! OpenMP allocators in device code. Every allocator serves from the device heap; memory that a team
//! shares (`omp_cgroup_mem_alloc` and the like) clang places in shared memory itself.

use core::ffi::c_void;

use crate::arch;

/// Stands right before every allocation, so that one way of freeing serves every alignment.
#[repr(C)]
struct Header {
    start: *mut c_void,
    bytes: usize,
}

/// What the heap aligns to.
const HEAP_ALIGNMENT: usize = 16;

fn allocate(alignment: usize, bytes: usize) -> *mut c_void {
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
        pointer
            .cast::<Header>()
            .sub(1)
            .write(Header { start, bytes });
        pointer.cast()
    }
}

unsafe fn release(pointer: *mut c_void) {
    if !pointer.is_null() {
        // SAFETY: `allocate` wrote the header.
        unsafe { arch::release((*pointer.cast::<Header>().sub(1)).start) };
    }
}

unsafe fn clear(pointer: *mut c_void, bytes: usize) -> *mut c_void {
    if !pointer.is_null() {
        // SAFETY: the caller has just got that many bytes.
        unsafe { pointer.cast::<u8>().write_bytes(0, bytes) };
    }
    pointer
}

/// `allocate` directive and clause.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_alloc(
    _thread: i32,
    bytes: usize,
    _allocator: *mut c_void,
) -> *mut c_void {
    allocate(HEAP_ALIGNMENT, bytes)
}

/// `allocate` with `align`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_aligned_alloc(
    _thread: i32,
    alignment: usize,
    bytes: usize,
    _allocator: *mut c_void,
) -> *mut c_void {
    allocate(alignment, bytes)
}

/// Frees what those gave.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_free(_thread: i32, pointer: *mut c_void, _allocator: *mut c_void) {
    // SAFETY: the caller's promise.
    unsafe { release(pointer) }
}

/// `omp_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_alloc(bytes: usize, _allocator: usize) -> *mut c_void {
    allocate(HEAP_ALIGNMENT, bytes)
}

/// `omp_aligned_alloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_aligned_alloc(
    alignment: usize,
    bytes: usize,
    _allocator: usize,
) -> *mut c_void {
    allocate(alignment, bytes)
}

/// `omp_calloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_calloc(count: usize, bytes: usize, allocator: usize) -> *mut c_void {
    // SAFETY: the caller's promise.
    unsafe { omp_aligned_calloc(HEAP_ALIGNMENT, count, bytes, allocator) }
}

/// `omp_aligned_calloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_aligned_calloc(
    alignment: usize,
    count: usize,
    bytes: usize,
    _allocator: usize,
) -> *mut c_void {
    let Some(total) = count.checked_mul(bytes) else {
        return core::ptr::null_mut();
    };
    // SAFETY: fresh memory of that size.
    unsafe { clear(allocate(alignment, total), total) }
}

/// `omp_realloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_realloc(
    pointer: *mut c_void,
    bytes: usize,
    _allocator: usize,
    _free_allocator: usize,
) -> *mut c_void {
    let moved = allocate(HEAP_ALIGNMENT, bytes);
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

/// `omp_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_free(pointer: *mut c_void, _allocator: usize) {
    // SAFETY: the caller's promise.
    unsafe { release(pointer) }
}

/// `omp_init_allocator`: traits change nothing here, so the memory space stands for the allocator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_init_allocator(
    space: usize,
    _count: i32,
    _traits: *const c_void,
) -> usize {
    space.max(1)
}

/// `omp_destroy_allocator`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_destroy_allocator(_allocator: usize) {}

/// `uses_allocators` with traits.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_init_allocator(
    _thread: i32,
    space: usize,
    _count: i32,
    _traits: *const c_void,
) -> usize {
    space.max(1)
}

/// Ends it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_destroy_allocator(_thread: i32, _allocator: usize) {}

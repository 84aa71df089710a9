//! Allocators that a program makes itself (OpenMP 5.2, §6.2 and §18.13), and def-allocator-var.
//!
//! The handle of a predefined allocator is a small number; that of one made here is its address. Of the traits,
//! alignment, pool size and fallback matter: all memory comes from the device heap.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::arch;
use crate::team::icv::{DEFAULT_ALLOCATOR, Icvs};

/// What to do when there is no memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fallback {
    /// Serve from the default memory space.
    Default,
    /// Give a null pointer.
    Null,
    /// End the program.
    Abort,
    /// Ask another allocator.
    Allocator(usize),
}

/// An allocator with traits.
#[derive(Debug)]
pub struct Allocator {
    /// Of everything it gives.
    pub alignment: usize,
    /// Bytes it may have given at a time.
    pool: u64,
    given: AtomicU64,
    /// See [`Fallback`].
    pub fallback: Fallback,
}

/// `omp_alloctrait_t`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Trait {
    key: i32,
    value: usize,
}

/// `omp_alloctrait_key_t`.
const ALIGNMENT: i32 = 2;
const POOL_SIZE: i32 = 4;
const FALLBACK: i32 = 5;
const FALLBACK_DATA: i32 = 6;
/// `omp_alloctrait_value_t`.
const VALUE_NULL: usize = 12;
const VALUE_ABORT: usize = 13;
const VALUE_ALLOCATOR: usize = 14;
/// `omp_atv_default`: what would hold without the trait.
const VALUE_DEFAULT: usize = usize::MAX;

/// Handles below are predefined (`omp_allocator_handle_t`, whose largest is 102).
const FIRST_ADDRESS: usize = 4096;

impl Allocator {
    /// Counts bytes to the pool, if they fit.
    pub fn reserve(&self, bytes: usize) -> bool {
        let before = self.given.fetch_add(bytes as u64, Relaxed);
        let fits = before
            .checked_add(bytes as u64)
            .is_some_and(|all| all <= self.pool);
        if !fits {
            self.give_back(bytes);
        }
        fits
    }

    /// Takes bytes off the pool's count.
    pub fn give_back(&self, bytes: usize) {
        self.given.fetch_sub(bytes as u64, Relaxed);
    }

    /// `None`: the traits make no sense.
    fn new(traits: &[Trait]) -> Option<Allocator> {
        let mut this = Allocator {
            alignment: 1,
            pool: u64::MAX,
            given: AtomicU64::new(0),
            fallback: Fallback::Default,
        };
        let mut next = 0;
        for one in traits.iter().filter(|one| one.value != VALUE_DEFAULT) {
            match one.key {
                ALIGNMENT if one.value.is_power_of_two() => this.alignment = one.value,
                ALIGNMENT => return None,
                POOL_SIZE => this.pool = one.value as u64,
                FALLBACK => {
                    this.fallback = match one.value {
                        VALUE_NULL => Fallback::Null,
                        VALUE_ABORT => Fallback::Abort,
                        VALUE_ALLOCATOR => Fallback::Allocator(DEFAULT_ALLOCATOR),
                        _ => Fallback::Default,
                    }
                }
                FALLBACK_DATA => next = one.value,
                _ => (),
            }
        }
        if next != 0 && matches!(this.fallback, Fallback::Allocator(_)) {
            this.fallback = Fallback::Allocator(next);
        }
        Some(this)
    }
}

/// The allocator of a handle, unless it is a predefined one.
pub fn of_handle(handle: usize) -> Option<*mut Allocator> {
    (handle >= FIRST_ADDRESS).then_some(handle as *mut Allocator)
}

/// `omp_get_default_allocator` (OpenMP 5.2, §18.13.5).
#[unsafe(no_mangle)]
pub extern "C" fn omp_get_default_allocator() -> usize {
    Icvs::current().allocator
}

/// `omp_set_default_allocator` (OpenMP 5.2, §18.13.4): for the calling thread's task and the regions it meets.
#[unsafe(no_mangle)]
pub extern "C" fn omp_set_default_allocator(allocator: usize) {
    if allocator != 0 {
        Icvs::change(|icvs| icvs.allocator = allocator);
    }
}

/// `omp_init_allocator` (OpenMP 5.2, §18.13.2): 0 if it cannot be made. Without traits the memory space's predefined
/// allocator serves.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_init_allocator(
    _space: usize,
    count: i32,
    traits: *const Trait,
) -> usize {
    if count <= 0 || traits.is_null() {
        return DEFAULT_ALLOCATOR;
    }
    // SAFETY: the caller's array of that many.
    let Some(allocator) =
        Allocator::new(unsafe { core::slice::from_raw_parts(traits, count as usize) })
    else {
        return 0;
    };
    let memory = arch::allocate(size_of::<Allocator>()).cast::<Allocator>();
    if !memory.is_null() {
        // SAFETY: fresh memory of that size.
        unsafe { memory.write(allocator) };
    }
    memory as usize
}

/// `omp_destroy_allocator` (OpenMP 5.2, §18.13.3).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn omp_destroy_allocator(allocator: usize) {
    if let Some(own) = of_handle(allocator) {
        // SAFETY: the caller's promise: nothing it gave is in use.
        unsafe { arch::release(own.cast()) };
    }
}

/// `allocator (i32 thread, memory space, i32 traits, traits *)`: an allocator of a `uses_allocators` clause with traits
/// (clang: `emitUsesAllocatorsInit`; OpenMP 5.2, §6.8).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_init_allocator(
    _thread: i32,
    space: usize,
    count: i32,
    traits: *const Trait,
) -> usize {
    // SAFETY: the caller's promise.
    unsafe { omp_init_allocator(space, count, traits) }
}

/// `void (i32 thread, allocator)`: ends it with the region (clang: `emitUsesAllocatorsFini`; OpenMP 5.2, §6.8).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_destroy_allocator(_thread: i32, allocator: usize) {
    // SAFETY: the caller's promise.
    unsafe { omp_destroy_allocator(allocator) }
}

macro_rules! spaces {
    ($($(#[$doc:meta])* $name:ident($($parameter:ident: $type:ty),*) -> $value:expr;)*) => {
        $($(#[$doc])* #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($parameter: $type),*) -> usize { $value })*
    };
}

// OpenMP 6.0, §27.1, §27.4 and §27.8: memory spaces and allocators of devices. In device code there is one heap.
spaces! {
    /// `omp_get_device_memspace` (OpenMP 6.0, §27.1.2).
    omp_get_device_memspace(_device: i32, space: usize) -> space;
    /// `omp_get_devices_memspace` (OpenMP 6.0, §27.1.1).
    omp_get_devices_memspace(_count: i32, _devices: *const i32, space: usize) -> space;
    /// `omp_get_device_and_host_memspace` (OpenMP 6.0, §27.1.4).
    omp_get_device_and_host_memspace(_device: i32, space: usize) -> space;
    /// `omp_get_devices_and_host_memspace` (OpenMP 6.0, §27.1.3).
    omp_get_devices_and_host_memspace(_count: i32, _devices: *const i32, space: usize) -> space;
    /// `omp_get_devices_all_memspace` (OpenMP 6.0, §27.1.5).
    omp_get_devices_all_memspace(space: usize) -> space;
    /// `omp_get_submemspace` (OpenMP 6.0, §27.4): all resources are one.
    omp_get_submemspace(space: usize, _count: i32, _resources: *const i32) -> space;
    /// `omp_get_device_allocator` (OpenMP 6.0, §27.8.2).
    omp_get_device_allocator(_device: i32, _space: usize) -> DEFAULT_ALLOCATOR;
    /// `omp_get_devices_allocator` (OpenMP 6.0, §27.8.1).
    omp_get_devices_allocator(_count: i32, _devices: *const i32, _space: usize) -> DEFAULT_ALLOCATOR;
    /// `omp_get_device_and_host_allocator` (OpenMP 6.0, §27.8.4).
    omp_get_device_and_host_allocator(_device: i32, _space: usize) -> DEFAULT_ALLOCATOR;
    /// `omp_get_devices_and_host_allocator` (OpenMP 6.0, §27.8.3).
    omp_get_devices_and_host_allocator(_count: i32, _devices: *const i32, _space: usize) -> DEFAULT_ALLOCATOR;
    /// `omp_get_devices_all_allocator` (OpenMP 6.0, §27.8.5).
    omp_get_devices_all_allocator(_space: usize) -> DEFAULT_ALLOCATOR;
}

/// `omp_get_memspace_num_resources` (OpenMP 6.0, §27.2): the heap.
#[unsafe(no_mangle)]
pub extern "C" fn omp_get_memspace_num_resources(_space: usize) -> i32 {
    1
}

//! Atomic accesses to objects that the hardware has no instruction for: those of odd sizes, of more than 8 bytes, or
//! not aligned to their size. clang calls these for `atomic` constructs and `__atomic_*` builtins on such objects
//! (LLVM, "Atomic Instructions and Concurrency Guide", libcalls).
//!
//! One of some locks, chosen by the address, guards each object. Objects that the hardware can access at once never
//! take it, because other code accesses them without.

use core::ffi::c_void;
use core::sync::atomic::{
    AtomicU8, AtomicU16, AtomicU32, AtomicU64,
    Ordering::{Relaxed, SeqCst},
};

use crate::arch::{self, atomic};
use crate::sync::critical::exclusively;

static LOCKS: [atomic::AtomicU32; 64] = [const { atomic::AtomicU32::new(0) }; 64];

/// Runs `access` while no other thread accesses that object.
fn guarded<R>(object: *const c_void, access: impl FnOnce() -> R) -> R {
    // Neighbours in an array of 16-byte objects have different locks.
    let lock = &LOCKS[(object as usize / 16) % LOCKS.len()];
    exclusively(lock, access)
}

fn is_aligned(object: *const c_void, bytes: usize) -> bool {
    (object as usize).is_multiple_of(bytes)
}

unsafe fn copy(to: *mut c_void, from: *const c_void, bytes: usize) {
    // SAFETY: the caller's objects, which do not overlap. Volatile, so that no call of `memcpy` comes of it.
    unsafe {
        for i in 0..bytes {
            let byte = from.cast::<u8>().add(i).read_volatile();
            to.cast::<u8>().add(i).write_volatile(byte);
        }
    }
}

unsafe fn equal(one: *const c_void, other: *const c_void, bytes: usize) -> bool {
    // SAFETY: the caller's objects.
    unsafe {
        (0..bytes).all(|i| {
            one.cast::<u8>().add(i).read_volatile() == other.cast::<u8>().add(i).read_volatile()
        })
    }
}

/// Calls `$natural!` with the atomic type of an object that the hardware can access at once, else takes `$otherwise`.
macro_rules! by_size {
    ($bytes:ident, $object:ident, $natural:ident, $otherwise:expr) => {
        match $bytes {
            1 => $natural!(AtomicU8, u8),
            2 if is_aligned($object, 2) => $natural!(AtomicU16, u16),
            4 if is_aligned($object, 4) => $natural!(AtomicU32, u32),
            8 if is_aligned($object, 8) => $natural!(AtomicU64, u64),
            _ => $otherwise,
        }
    };
}

/// `void (size_t bytes, object *, result *, int order)`: `*result = *object` (clang: `EmitAtomicExpr`, LLVM:
/// `AtomicExpand`; OpenMP 5.2, §15.8.4).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __atomic_load(
    bytes: usize,
    object: *const c_void,
    result: *mut c_void,
    _order: i32,
) {
    macro_rules! natural {
        ($atomic:ty, $int:ty) => {
            result
                .cast::<$int>()
                .write_unaligned((*object.cast::<$atomic>()).load(SeqCst))
        };
    }
    // SAFETY: clang's objects of that size; all orders are the strongest.
    unsafe {
        by_size!(
            bytes,
            object,
            natural,
            guarded(object, || copy(result, object, bytes))
        );
    }
}

/// `void (size_t bytes, object *, value *, int order)`: `*object = *value` (clang: `EmitAtomicExpr`, LLVM:
/// `AtomicExpand`; OpenMP 5.2, §15.8.4).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __atomic_store(
    bytes: usize,
    object: *mut c_void,
    value: *const c_void,
    _order: i32,
) {
    macro_rules! natural {
        ($atomic:ty, $int:ty) => {
            (*object.cast::<$atomic>()).store(value.cast::<$int>().read_unaligned(), SeqCst)
        };
    }
    // SAFETY: as in `__atomic_load`.
    unsafe {
        by_size!(
            bytes,
            object,
            natural,
            guarded(object, || copy(object, value, bytes))
        );
    }
}

/// `void (size_t bytes, object *, value *, result *, int order)`: `*result = *object, *object = *value`
/// (clang: `EmitAtomicExpr`, LLVM: `AtomicExpand`; OpenMP 5.2, §15.8.4).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __atomic_exchange(
    bytes: usize,
    object: *mut c_void,
    value: *const c_void,
    result: *mut c_void,
    _order: i32,
) {
    macro_rules! natural {
        ($atomic:ty, $int:ty) => {{
            let new = value.cast::<$int>().read_unaligned();
            let old = (*object.cast::<$atomic>()).swap(new, SeqCst);
            result.cast::<$int>().write_unaligned(old);
        }};
    }
    // SAFETY: as in `__atomic_load`.
    unsafe {
        by_size!(
            bytes,
            object,
            natural,
            guarded(object, || {
                copy(result, object, bytes);
                copy(object, value, bytes);
            })
        );
    }
}

/// `bool (size_t bytes, object *, expected *, desired *, int order, int order on failure)`: if `*object == *expected`
/// (byte for byte), `*object = *desired` and true, else `*expected = *object` and false (clang: `EmitAtomicExpr`, LLVM:
/// `AtomicExpand`; OpenMP 5.2, §15.8.4).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __atomic_compare_exchange(
    bytes: usize,
    object: *mut c_void,
    expected: *mut c_void,
    desired: *const c_void,
    _success: i32,
    _failure: i32,
) -> bool {
    macro_rules! natural {
        ($atomic:ty, $int:ty) => {{
            let old = expected.cast::<$int>().read_unaligned();
            let new = desired.cast::<$int>().read_unaligned();
            match (*object.cast::<$atomic>()).compare_exchange(old, new, SeqCst, Relaxed) {
                Ok(_) => true,
                Err(found) => {
                    arch::fence_device();
                    expected.cast::<$int>().write_unaligned(found);
                    false
                }
            }
        }};
    }
    // SAFETY: as in `__atomic_load`.
    unsafe {
        by_size!(
            bytes,
            object,
            natural,
            guarded(object, || {
                let equal = equal(object, expected, bytes);
                if equal {
                    copy(object, desired, bytes);
                } else {
                    copy(expected, object, bytes);
                }
                equal
            })
        )
    }
}

/// `bool (size_t bytes, object *)`: whether the object (null: any well aligned one of that size) needs no lock (clang:
/// `EmitAtomicExpr`, for `__atomic_is_lock_free` of a size that it does not decide itself).
#[unsafe(no_mangle)]
pub extern "C" fn __atomic_is_lock_free(bytes: usize, object: *const c_void) -> bool {
    matches!(bytes, 1 | 2 | 4 | 8) && is_aligned(object, bytes)
}

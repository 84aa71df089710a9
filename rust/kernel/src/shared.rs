//! Shared memory: what the threads of a block have in common.
//!
//! Rust has no address spaces. A [`Shared`] static lies in a section, and dynamic shared memory has the name of a
//! symbol that nobody defines; omptarget's compiler knows both, and moves them
//! (`codegen-llvm/src/device/shared_statics.rs`).

use core::cell::UnsafeCell;
use core::mem::MaybeUninit;

use crate::intrinsics;

/// A variable of every block, without contents when the block starts. [`shared!`](crate::shared!) declares one.
#[repr(transparent)]
pub struct Shared<T>(UnsafeCell<MaybeUninit<T>>);

// SAFETY: it only gives its address. Whoever uses that orders the block's threads.
unsafe impl<T> Sync for Shared<T> {}

impl<T: Copy> Shared<T> {
    /// The variable. It must be a static that [`shared!`](crate::shared!) declares: any other is no shared memory.
    #[doc(hidden)]
    pub const fn declared() -> Shared<T> {
        Shared(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// Its address in this block's shared memory.
    #[inline(always)]
    pub const fn as_mut_ptr(&self) -> *mut T {
        self.0.get().cast()
    }
}

impl<E: Copy, const N: usize> Shared<[E; N]> {
    /// The address of element `index`. It traps where there is no such element.
    #[inline(always)]
    pub const fn element(&self, index: usize) -> *mut E {
        assert!(index < N);
        // SAFETY: the element lies in the array.
        unsafe { self.0.get().cast::<E>().add(index) }
    }
}

/// Declares static shared memory:
///
/// ```text
/// omptarget_kernel::shared! {
///     /// A sum per thread.
///     static SUMS: [f32; 256];
/// }
/// ```
#[macro_export]
macro_rules! shared {
    ($($(#[$meta:meta])* $visibility:vis static $name:ident: $type:ty;)*) => {
        $(
            $(#[$meta])*
            // LLVM must not take it for a thread's own variable, which nobody but that thread writes.
            #[used]
            #[unsafe(link_section = ".omptarget.shared")]
            $visibility static $name: $crate::Shared<$type> = $crate::Shared::declared();
        )*
    };
}

/// Sixteen bytes is the alignment of dynamic shared memory.
#[repr(C, align(16))]
struct Start([u8; 0]);

unsafe extern "C" {
    #[link_name = "__omptarget_dynamic_shared"]
    static START: Start;
}

/// The start of the block's dynamic shared memory, aligned to 16 bytes. The launch says how large it is.
#[inline(always)]
pub fn dynamic_shared<T: Copy>() -> *mut T {
    (&raw const START).cast_mut().cast()
}

/// Bytes of the block's dynamic shared memory.
#[inline(always)]
pub fn dynamic_shared_size() -> usize {
    intrinsics::dynamic_shared_size() as usize
}

//! loom's atomics behind core's interface.
//!
//! loom explores the interleavings of few threads, and what weakly ordered memory may show them. It wants atomics to be
//! objects of its own that exist before the threads that share them. Here the first access to an address makes the
//! object that stands for it, and [`check`] forgets all objects after every execution. A model therefore touches its
//! own atomics once before it starts threads. Those in shared memory begin where the runtime initialises them
//! ([`begin_u32`](super::atomic::begin_u32) and its like).

use std::any::Any;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use loom::cell::UnsafeCell;
pub use loom::sync::atomic::Ordering;

thread_local! {
    // One per thread of the operating system: loom runs all threads of a model on one.
    static OBJECTS: RefCell<HashMap<usize, Rc<dyn Any>>> = RefCell::default();
}

/// The object of an address.
fn object<T: 'static>(address: usize, make: impl FnOnce() -> T) -> Rc<T> {
    let known = OBJECTS.with_borrow(|objects| objects.get(&address).cloned());
    let object = known.unwrap_or_else(|| {
        let object: Rc<dyn Any> = Rc::new(make());
        OBJECTS.with_borrow_mut(|objects| objects.insert(address, object.clone()));
        object
    });
    object
        .downcast()
        .expect("an address is used as one type of atomic or as plain memory")
}

/// Explores the interleavings of `model`, each thread being preempted up to `preemptions` times.
pub fn check(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 100_000;
    builder.check(move || {
        model();
        OBJECTS.with_borrow_mut(HashMap::clear);
    });
}

/// Plain memory at this address is read: whoever writes it must be ordered before or after.
pub fn reads<T>(address: *const T) {
    object(address as usize, || UnsafeCell::new(())).with(|_| ());
}

/// Plain memory at this address is written.
pub fn writes<T>(address: *mut T) {
    object(address as usize, || UnsafeCell::new(())).with_mut(|_| ());
}

/// The atomic at this address begins anew, with what the memory holds.
///
/// # Safety
/// It is live.
pub unsafe fn begins<A: Atomic>(address: *mut A) {
    OBJECTS.with_borrow_mut(|objects| objects.remove(&(address as usize)));
    // SAFETY: the caller's promise.
    unsafe { (*address).begin() };
}

/// An atomic of this module.
pub trait Atomic {
    /// Makes loom's object.
    fn begin(&self);
}

macro_rules! atomic {
    ($name:ident $(<$parameter:ident>)?, $value:ty, $loom:ty) => {
        /// As core's.
        #[repr(transparent)]
        #[derive(Debug)]
        pub struct $name $(<$parameter>)? {
            initial: core::cell::UnsafeCell<$value>,
        }

        // SAFETY: the initial value is only read; everything else is loom's.
        unsafe impl $(<$parameter>)? Sync for $name $(<$parameter>)? {}

        impl $(<$parameter: 'static>)? Atomic for $name $(<$parameter>)? {
            fn begin(&self) {
                self.loom();
            }
        }

        #[allow(dead_code, reason = "core's interface, as far as the runtime uses it of one type or another")]
        impl $(<$parameter: 'static>)? $name $(<$parameter>)? {
            /// As core's.
            pub const fn new(value: $value) -> Self {
                Self { initial: core::cell::UnsafeCell::new(value) }
            }

            /// As core's.
            ///
            /// # Safety
            /// `pointer` is live for `'a`, and other threads access it as this type.
            pub unsafe fn from_ptr<'a>(pointer: *mut $value) -> &'a Self {
                // SAFETY: the caller's promise; the type is transparent.
                unsafe { &*pointer.cast() }
            }

            fn loom(&self) -> Rc<$loom> {
                let address = self.initial.get();
                // SAFETY: nobody writes it while loom's object stands for it.
                object(address as usize, || <$loom>::new(unsafe { *address }))
            }

            /// As core's.
            pub fn load(&self, order: Ordering) -> $value {
                self.loom().load(order)
            }

            /// As core's.
            pub fn store(&self, value: $value, order: Ordering) {
                self.loom().store(value, order);
            }

            /// As core's.
            pub fn compare_exchange(
                &self, old: $value, new: $value, success: Ordering, failure: Ordering,
            ) -> Result<$value, $value> {
                self.loom().compare_exchange(old, new, success, failure)
            }

            /// As core's.
            pub fn compare_exchange_weak(
                &self, old: $value, new: $value, success: Ordering, failure: Ordering,
            ) -> Result<$value, $value> {
                self.loom().compare_exchange_weak(old, new, success, failure)
            }
        }
    };
}
atomic!(AtomicU32, u32, loom::sync::atomic::AtomicU32);
atomic!(AtomicU64, u64, loom::sync::atomic::AtomicU64);
atomic!(AtomicPtr<T>, *mut T, loom::sync::atomic::AtomicPtr<T>);

macro_rules! arithmetic {
    ($($name:ident: $value:ty;)*) => {
        $(#[allow(dead_code, reason = "as above")]
        impl $name {
            /// As core's.
            pub fn fetch_add(&self, value: $value, order: Ordering) -> $value {
                self.loom().fetch_add(value, order)
            }

            /// As core's.
            pub fn fetch_sub(&self, value: $value, order: Ordering) -> $value {
                self.loom().fetch_sub(value, order)
            }

            /// As core's.
            pub fn fetch_and(&self, value: $value, order: Ordering) -> $value {
                self.loom().fetch_and(value, order)
            }

            /// As core's.
            pub fn fetch_or(&self, value: $value, order: Ordering) -> $value {
                self.loom().fetch_or(value, order)
            }
        })*
    };
}
arithmetic! { AtomicU32: u32; AtomicU64: u64; }

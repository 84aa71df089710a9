//! Handles: what programs hold of objects.
//!
//! A handle is the address of a pointer to the dispatch table, because the ICD loader reads that of every handle. Heads
//! are never freed: a handle that was released too often leads to an error, not into freed memory. A program counts its
//! references (`clRetain…`, `clRelease…`). An object lives while the program or another object refers to it.

use std::collections::{HashMap, VecDeque};
use std::ffi::c_void;
use std::ops::Deref;
use std::sync::{Arc, Weak};

use parking_lot::{Mutex, RwLock};

use crate::codes::{Code, Result};
use crate::dispatch::{TABLE, Table};

/// What a program holds.
pub type Raw = *mut c_void;

/// What a handle points at.
#[repr(C)]
struct Head {
    dispatch: &'static Table,
}

/// A sort of objects.
pub trait Kind: Send + Sync + Sized + 'static {
    /// What a call with a handle that is none of this sort returns.
    const INVALID: Code;
    /// The objects of the sort.
    fn handles() -> &'static Handles<Self>;
}

/// An object with its handle.
pub struct Owned<T: Kind> {
    handle: usize,
    value: T,
}

/// A reference to an object.
pub type Ref<T> = Arc<Owned<T>>;

/// The objects of a sort, by their handles.
pub struct Handles<T: Kind> {
    entries: RwLock<Option<HashMap<usize, Entry<T>>>>,
}

struct Entry<T: Kind> {
    object: Weak<Owned<T>>,
    /// The program's share, as long as it has references.
    kept: Option<Ref<T>>,
    references: u32,
}

/// Heads whose objects are gone, oldest first: an address is used again as late as possible.
static FREE: Mutex<VecDeque<usize>> = Mutex::new(VecDeque::new());
/// So many heads wait before the first is used again.
const REST: usize = 4096;

fn new_head() -> usize {
    let mut free = FREE.lock();
    match free.len() > REST {
        true => free.pop_front().expect("it is not empty"),
        false => Box::leak(Box::new(Head { dispatch: &TABLE })) as *mut Head as usize,
    }
}

impl<T: Kind> Handles<T> {
    /// No objects.
    pub const fn new() -> Handles<T> {
        Handles {
            entries: RwLock::new(None),
        }
    }

    fn change<R>(&self, change: impl FnOnce(&mut HashMap<usize, Entry<T>>) -> R) -> R {
        change(self.entries.write().get_or_insert_default())
    }
}

/// Makes an object to which the program has one reference.
pub fn create<T: Kind>(value: T) -> Ref<T> {
    let object = Arc::new(Owned {
        handle: new_head(),
        value,
    });
    let entry = Entry {
        object: Arc::downgrade(&object),
        kept: Some(object.clone()),
        references: 1,
    };
    T::handles().change(|entries| entries.insert(object.handle, entry));
    object
}

/// The object of a handle.
pub fn get<T: Kind>(raw: Raw) -> Result<Ref<T>> {
    let entries = T::handles().entries.read();
    let entry = entries.as_ref().and_then(|all| all.get(&(raw as usize)));
    entry
        .and_then(|entry| entry.object.upgrade())
        .ok_or(T::INVALID)
}

/// The objects of a list of handles.
///
/// # Safety
/// `list` has `count` handles, unless it is null.
pub unsafe fn get_all<T: Kind>(count: u32, list: *const Raw) -> Result<Vec<Ref<T>>> {
    if list.is_null() {
        return Ok(Vec::new());
    }
    (0..count as usize)
        // SAFETY: the caller's contract.
        .map(|index| get(unsafe { *list.add(index) }))
        .collect()
}

/// `clRetain…`.
pub fn retain<T: Kind>(raw: Raw) -> Result<()> {
    let object = get::<T>(raw)?;
    T::handles().change(|entries| {
        let entry = entries.get_mut(&(raw as usize)).ok_or(T::INVALID)?;
        entry.references += 1;
        entry.kept = Some(object);
        Ok(())
    })
}

/// `clRelease…`.
pub fn release<T: Kind>(raw: Raw) -> Result<()> {
    // What is dropped is dropped behind the lock.
    let _last = T::handles().change(|entries| {
        let entry = entries.get_mut(&(raw as usize)).ok_or(T::INVALID)?;
        if entry.references == 0 {
            return Err(T::INVALID);
        }
        entry.references -= 1;
        Ok(match entry.references {
            0 => entry.kept.take(),
            _ => None,
        })
    })?;
    Ok(())
}

impl<T: Kind> Owned<T> {
    /// The handle.
    pub fn raw(&self) -> Raw {
        self.handle as Raw
    }

    /// The program's references (`CL_…_REFERENCE_COUNT`).
    pub fn references(&self) -> u32 {
        let entries = T::handles().entries.read();
        let entry = entries.as_ref().and_then(|all| all.get(&self.handle));
        entry.map_or(0, |entry| entry.references)
    }
}

impl<T: Kind> Deref for Owned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Kind> Drop for Owned<T> {
    fn drop(&mut self) {
        let entry = T::handles().change(|entries| entries.remove(&self.handle));
        drop(entry);
        FREE.lock().push_back(self.handle);
    }
}

/// States what a sort's error is.
#[macro_export]
#[doc(hidden)]
macro_rules! kind {
    ($sort:ty, $invalid:ident) => {
        impl $crate::handle::Kind for $sort {
            const INVALID: $crate::codes::Code = $crate::codes::Code::$invalid;

            fn handles() -> &'static $crate::handle::Handles<$sort> {
                static HANDLES: $crate::handle::Handles<$sort> = $crate::handle::Handles::new();
                &HANDLES
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Thing;
    kind!(Thing, INVALID_VALUE);

    #[test]
    fn references_are_counted_and_stale_handles_refused() {
        let raw = create(Thing).raw();
        retain::<Thing>(raw).unwrap();
        assert_eq!(get::<Thing>(raw).unwrap().references(), 2);
        release::<Thing>(raw).unwrap();
        let internal = get::<Thing>(raw).unwrap();
        release::<Thing>(raw).unwrap();
        assert_eq!(internal.references(), 0);
        assert!(release::<Thing>(raw).is_err());
        drop(internal);
        assert!(get::<Thing>(raw).is_err());
        assert!(retain::<Thing>(std::ptr::null_mut()).is_err());
    }
}

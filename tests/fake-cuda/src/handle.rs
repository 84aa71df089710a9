//! Handles: numbers that look like pointers, and the objects that they stand for. No number is reused, so that
//! stale handles are detected.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use parking_lot::{Mutex, MutexGuard};

use crate::result::{Failure, Outcome};

/// A `CUcontext`, `CUmodule`, `CUfunction`, `CUstream`, `CUevent` or `CUmemoryPool`.
pub type Handle = usize;

type Object = Arc<dyn Any + Send + Sync>;

#[derive(Default)]
struct Handles {
    last: Handle,
    objects: HashMap<Handle, Object>,
}

fn handles() -> MutexGuard<'static, Handles> {
    static HANDLES: OnceLock<Mutex<Handles>> = OnceLock::new();
    let handles = HANDLES.get_or_init(Mutex::default);
    handles.lock()
}

/// A handle for an object.
pub fn add(object: Object) -> Handle {
    let mut handles = handles();
    // Not a valid address, in case a caller dereferences it.
    handles.last += 0x10;
    let handle = 0x1000 + handles.last;
    handles.objects.insert(handle, object);
    handle
}

/// The object of a handle.
pub fn get<T: Send + Sync + 'static>(handle: Handle) -> Outcome<Arc<T>> {
    let object = handles().objects.get(&handle).cloned();
    let typed = object.and_then(|object| object.downcast().ok());
    typed.ok_or(Failure::INVALID_HANDLE)
}

/// Invalidates a handle. Gives its object.
pub fn remove<T: Send + Sync + 'static>(handle: Handle) -> Outcome<Arc<T>> {
    let object = get(handle)?;
    handles().objects.remove(&handle);
    Ok(object)
}

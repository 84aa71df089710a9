//! Handles: numbers that look like pointers, and what each stands for. None is used twice, so that a stale one is found.

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
    // Not valid as an address, should anybody follow it.
    handles.last += 0x10;
    let handle = 0x1000 + handles.last;
    handles.objects.insert(handle, object);
    handle
}

/// What a handle stands for.
pub fn get<T: Send + Sync + 'static>(handle: Handle) -> Outcome<Arc<T>> {
    let object = handles().objects.get(&handle).cloned();
    let typed = object.and_then(|object| object.downcast().ok());
    typed.ok_or(Failure::INVALID_HANDLE)
}

/// Ends a handle; gives what it stood for.
pub fn remove<T: Send + Sync + 'static>(handle: Handle) -> Outcome<Arc<T>> {
    let object = get(handle)?;
    handles().objects.remove(&handle);
    Ok(object)
}

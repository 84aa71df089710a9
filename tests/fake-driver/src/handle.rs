//! Handles: numbers that look like pointers, and the objects that they stand for. No number is reused, so that
//! stale handles are detected.

use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

use parking_lot::{Mutex, MutexGuard};

/// What a library calls its objects.
pub type Handle = usize;

/// No object of the wanted kind has this handle.
#[derive(Debug)]
pub struct Stale;

type Object = Arc<dyn Any + Send + Sync>;

#[derive(Default)]
struct Handles {
    last: Handle,
    objects: HashMap<Handle, (&'static str, Object)>,
}

fn handles() -> MutexGuard<'static, Handles> {
    static HANDLES: OnceLock<Mutex<Handles>> = OnceLock::new();
    let handles = HANDLES.get_or_init(Mutex::default);
    handles.lock()
}

/// A handle for an object.
pub fn add<T: Send + Sync + 'static>(object: Arc<T>) -> Handle {
    let mut handles = handles();
    // Not a valid address, in case a caller dereferences it.
    handles.last += 0x10;
    let handle = 0x1000 + handles.last;
    let kind = std::any::type_name::<T>();
    let kind = kind.rsplit("::").next().unwrap_or(kind);
    handles.objects.insert(handle, (kind, object));
    handle
}

/// The object of a handle.
pub fn get<T: Send + Sync + 'static>(handle: Handle) -> Result<Arc<T>, Stale> {
    let object = handles()
        .objects
        .get(&handle)
        .map(|(_, object)| object.clone());
    let typed = object.and_then(|object| object.downcast().ok());
    typed.ok_or(Stale)
}

/// Invalidates a handle. Gives its object.
pub fn remove<T: Send + Sync + 'static>(handle: Handle) -> Result<Arc<T>, Stale> {
    let object = get(handle)?;
    handles().objects.remove(&handle);
    Ok(object)
}

/// The kinds of the objects that have handles, and how many of each kind there are.
pub fn count() -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for (kind, _) in handles().objects.values() {
        *counts.entry(*kind).or_default() += 1;
    }
    counts
}

//! Interop objects (OpenMP 5.2, 14.1): a device and, for `targetsync`, a stream of it. A program holds one from
//! `interop init` to `interop destroy`.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_void};
use std::sync::Arc;

use parking_lot::Mutex;
use plugin_api::{Completion, Foreign};

use crate::device::omp_device::OmpDevice;
use crate::device::stream_pool::StreamInUse;
use crate::report::error::{Error, Result};

/// What an object is for, as clang numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `init(target: …)`: a device.
    Target,
    /// `init(targetsync: …)`: a device and a stream that orders the work on it.
    TargetSync,
}

impl Kind {
    /// The kind clang means.
    pub fn from_number(number: i32) -> Option<Kind> {
        match number {
            1 => Some(Kind::Target),
            2 => Some(Kind::TargetSync),
            _ => None,
        }
    }
}

/// `ompx_interop_cb_t` and its data.
pub type Callback = (unsafe extern "C" fn(*mut c_void, *mut c_void), usize);

/// An interop object.
pub struct Interop {
    /// Its device.
    pub device: &'static OmpDevice,
    /// What it is for.
    pub kind: Kind,
    /// The stream of a `targetsync` object.
    pub stream: Option<StreamInUse<'static>>,
    /// The thread (libomp's number) that a `dispatch` construct made it for.
    owner: Option<i32>,
    /// Name of the foreign runtime, or of the family of devices if there is none.
    runtime_name: CString,
    /// How the foreign runtime identifies the device.
    foreign: Option<Foreign>,
    callbacks: Mutex<Vec<Callback>>,
}

/// All objects by address. Programs hold the address as a handle.
static OBJECTS: Mutex<BTreeMap<usize, Arc<Interop>>> = Mutex::new(BTreeMap::new());

/// The object with this handle.
pub fn find(handle: *const c_void) -> Option<Arc<Interop>> {
    OBJECTS.lock().get(&handle.addr()).cloned()
}

/// The object that owns the stream with this handle.
pub fn with_stream(handle: *const c_void) -> Option<Arc<Interop>> {
    let handle = Some(handle.cast_mut()).filter(|handle| !handle.is_null())?;
    let all = OBJECTS.lock();
    let mut all = all.values();
    all.find(|object| object.stream_handle() == Some(handle))
        .cloned()
}

/// Removes an object: later look-ups do not find it.
pub fn remove(handle: *const c_void) -> Option<Arc<Interop>> {
    OBJECTS.lock().remove(&handle.addr())
}

impl Interop {
    /// Makes an object and returns its handle.
    pub fn create(
        device: &'static OmpDevice,
        kind: Kind,
        owner: Option<i32>,
    ) -> Result<*mut c_void> {
        let stream = match kind {
            Kind::Target => None,
            Kind::TargetSync => {
                let stream = device
                    .streams
                    .take(&device.device, Completion::Asynchronous);
                Some(stream.map_err(|source| Error::Device {
                    what: "making the stream of an interop object".into(),
                    source,
                })?)
            }
        };
        let foreign = device.device.foreign().map_err(|source| Error::Device {
            what: "using the device for an interop object".into(),
            source,
        })?;
        // `vgpu-0` is device 0 of the family `vgpu`.
        let uid = device.uid.to_string_lossy();
        let family = uid.rsplit_once('-').map_or(&*uid, |(family, _)| family);
        let object = Arc::new(Interop {
            device,
            kind,
            stream,
            owner,
            runtime_name: match foreign {
                Some(foreign) => foreign.name.into(),
                None => CString::new(family).unwrap_or_default(),
            },
            foreign,
            callbacks: Mutex::default(),
        });
        let handle = Arc::as_ptr(&object).cast_mut();
        OBJECTS.lock().insert(handle.addr(), object);
        Ok(handle.cast())
    }

    /// The object that an earlier `dispatch` construct of this thread made, or a new one.
    pub fn implicit(device: &'static OmpDevice, kind: Kind, thread: i32) -> Result<*mut c_void> {
        let fits = |object: &Arc<Interop>| {
            object.owner == Some(thread)
                && object.kind == kind
                && std::ptr::eq(object.device, device)
        };
        let known = OBJECTS
            .lock()
            .values()
            .find(|object| fits(object))
            .map(Arc::as_ptr);
        match known {
            Some(handle) => Ok(handle.cast_mut().cast()),
            None => Interop::create(device, kind, Some(thread)),
        }
    }

    /// Waits for the work on the object's stream, then calls the registered callbacks.
    pub fn synchronize(&self, handle: *mut c_void) -> Result<()> {
        if let Some(stream) = &self.stream {
            stream.synchronize().map_err(|source| Error::Device {
                what: "waiting for the stream of an interop object".into(),
                source,
            })?;
        }
        let callbacks = std::mem::take(&mut *self.callbacks.lock());
        for (function, data) in callbacks {
            // SAFETY: the program registered the function with this data.
            unsafe { function(handle, std::ptr::with_exposed_provenance_mut(data)) };
        }
        Ok(())
    }

    /// Registers a function for the next wait on the object.
    pub fn add_callback(&self, callback: Callback) {
        self.callbacks.lock().push(callback);
    }

    /// An opaque handle of the device, the same for all objects of it.
    pub fn device_handle(&self) -> *mut c_void {
        std::ptr::from_ref(self.device).cast_mut().cast()
    }

    /// How the foreign runtime identifies the device, if there is one.
    pub fn foreign(&self) -> Option<Foreign> {
        self.foreign
    }

    /// The foreign runtime's handle of the stream, or an opaque one if there is no foreign runtime.
    pub fn stream_handle(&self) -> Option<*mut c_void> {
        let stream = self.stream.as_ref()?;
        if let Some(address) = stream.foreign() {
            return Some(std::ptr::with_exposed_provenance_mut(address));
        }
        Some(std::ptr::from_ref(stream).cast_mut().cast())
    }

    /// The foreign runtime's name.
    pub fn runtime_name(&self) -> &CStr {
        &self.runtime_name
    }
}

/// Waits for the objects that `dispatch` constructs of this thread have made.
pub fn synchronize_implicit(thread: i32) -> Result<()> {
    let all = OBJECTS.lock();
    let own = all
        .iter()
        .filter(|(_, object)| object.owner == Some(thread));
    let own: Vec<_> = own
        .map(|(handle, object)| (*handle, object.clone()))
        .collect();
    // A callback may itself look objects up.
    drop(all);
    for (handle, object) in own {
        object.synchronize(std::ptr::with_exposed_provenance_mut(handle))?;
    }
    Ok(())
}

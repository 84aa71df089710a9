//! Contexts.

use std::ffi::{CString, c_char, c_void};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::codes::{Code, Result};
use crate::device::Device;
use crate::handle::Ref;
use crate::kind;
use crate::message::report;

/// `pfn_notify` of `clCreateContext`.
pub type Notify = unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void);

/// A context.
pub struct Context {
    /// Its devices.
    pub devices: Vec<Ref<Device>>,
    /// What the program gave as properties, with the final zero.
    pub properties: Vec<isize>,
    /// The program's function for errors, and its argument.
    pub notify: Option<(Notify, usize)>,
    /// Functions to call when the context ends (`clSetContextDestructorCallback`).
    pub destructors: Mutex<Vec<Box<dyn FnOnce() + Send>>>,
    /// Shared virtual memory: addresses and sizes.
    pub shared: Mutex<Vec<(usize, usize)>>,
}

kind!(Context, INVALID_CONTEXT);

impl Context {
    /// Its first device, which has the memory objects. Virtual GPUs and managed memory reach those of others.
    pub fn home(&self) -> &Arc<dyn plugin_api::Device> {
        &self.devices[0].raw
    }

    /// One of its devices.
    pub fn device(&self, device: &Ref<Device>) -> Result<()> {
        let mut all = self.devices.iter();
        match all.any(|own| Arc::ptr_eq(own, device)) {
            true => Ok(()),
            false => Err(Code::INVALID_DEVICE),
        }
    }

    /// Tells the user of a failure, and the program, if it wants to know.
    pub fn tell(&self, what: &str, why: &str) {
        report(what, &why);
        if let Some((notify, argument)) = self.notify {
            let text = CString::new(format!("{what}: {why}").replace('\0', " "));
            let text = text.expect("the text has no NUL");
            // SAFETY: the program promised a function that may be called at any time.
            unsafe { notify(text.as_ptr(), std::ptr::null(), 0, argument as *mut c_void) };
        }
    }

    /// An error of the device as a code; the user is told.
    pub fn failed(&self, what: &str, error: &plugin_api::Error) -> Code {
        self.tell(what, &error.to_string());
        Code::of(error)
    }

    /// The shared virtual memory that has an address, and how many bytes follow there.
    pub fn shared_at(&self, address: usize) -> Option<usize> {
        let shared = self.shared.lock();
        shared
            .iter()
            .find(|(start, size)| (*start..start + size).contains(&address))
            .map(|(start, size)| start + size - address)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        for destructor in self.destructors.get_mut().drain(..).rev() {
            destructor();
        }
        for (address, _) in self.shared.get_mut().drain(..) {
            let freed = self.devices[0]
                .raw
                .free(plugin_api::DevicePtr(address as u64));
            if let Err(error) = freed {
                report("shared memory cannot be freed", &error);
            }
        }
    }
}

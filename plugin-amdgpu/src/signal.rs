//! Signals: how the host and the device learn that an operation is complete.

use std::collections::HashSet;
use std::sync::Arc;

use parking_lot::Mutex;
use plugin_api::Result;

use crate::driver::HsaSignal;
use crate::gpu::Gpu;

/// The signal of an operation: 1 until the operation is complete, 0 then, negative if it failed.
pub struct Signal {
    gpu: Arc<Gpu>,
    /// What the operation waits for, until it is complete.
    dependences: Mutex<Vec<Arc<Signal>>>,
    /// The runtime's handle.
    pub handle: HsaSignal,
}

impl Signal {
    /// The signal of a new operation, from the pool of idle ones if there is any.
    pub fn new(gpu: &Arc<Gpu>) -> Result<Arc<Signal>> {
        let driver = gpu.runtime.driver;
        let handle = match gpu.opened()?.signals.take() {
            Some(idle) => {
                // SAFETY: nothing uses an idle signal.
                unsafe { driver.signal_store(idle, 1) };
                idle
            }
            None => {
                let mut signal = HsaSignal::NULL;
                // SAFETY: `signal` is writable. Without consumers named, every agent may use it.
                gpu.check(unsafe { driver.signal_create(1, 0, std::ptr::null(), &mut signal) })?;
                signal
            }
        };
        Ok(Arc::new(Signal {
            gpu: gpu.clone(),
            dependences: Mutex::default(),
            handle,
        }))
    }

    fn value(&self) -> i64 {
        // SAFETY: the signal lives as long as this.
        unsafe { self.gpu.runtime.driver.signal_load(self.handle) }
    }

    /// Whether the operation is complete or has failed.
    pub fn has_happened(&self) -> bool {
        self.value() < 1
    }

    /// Notes what the operation waits for. It stays alive until then.
    pub fn depends_on(&self, dependences: Vec<Arc<Signal>>) {
        *self.dependences.lock() = dependences;
    }

    /// Lets go of what the operation waited for.
    pub fn forget_dependences(&self) {
        drop(std::mem::take(&mut *self.dependences.lock()));
    }

    /// Whether the operation will never be complete, because one that it waits for has failed.
    pub fn waits_for_failure(&self) -> bool {
        let mut open = self.dependences.lock().clone();
        // Several operations may wait for the same one.
        let mut seen = HashSet::new();
        while let Some(signal) = open.pop() {
            if !seen.insert(signal.handle) {
                continue;
            }
            match signal.value() {
                value if value < 0 => return true,
                0 => {}
                _ => open.extend(signal.dependences.lock().iter().cloned()),
            }
        }
        false
    }

    /// Whether the device still answers; if not, the operation may never be complete.
    pub fn alive(&self) -> Result<()> {
        self.gpu.alive()
    }

    /// Gives the signal back: its operation could not be enqueued.
    pub fn unused(self: Arc<Signal>) {
        // SAFETY: the signal lives as long as this, and nothing waits for it.
        unsafe { self.gpu.runtime.driver.signal_store(self.handle, 0) };
    }

    /// Says that the operation is complete, for one that the host does. The caller lets go of it first: whoever sees
    /// that it is complete may then give the device up, and be sure that it is gone.
    pub fn complete(self: Arc<Signal>) {
        let (driver, handle) = (self.gpu.runtime.driver, self.handle);
        drop(self);
        // SAFETY: a signal that is not complete is not returned to the pool, and its stream has it until it is.
        unsafe { driver.signal_store(handle, 0) };
    }

    /// Waits until the operation is complete. An error means that the device is lost.
    pub fn wait(&self) -> Result<()> {
        self.gpu.wait(self)
    }
}

impl Drop for Signal {
    /// Returns the signal to the pool. Only at 0 nothing waits for it any more; any other is the device's for ever,
    /// because it may still be written.
    fn drop(&mut self) {
        if let Some(opened) = self.gpu.in_use()
            && self.value() == 0
        {
            opened.signals.put_back(self.handle);
        }
    }
}

//! A block of device memory, and the stream that uses it.

use std::sync::{Arc, Weak};

use parking_lot::{Mutex, MutexGuard};
use plugin_api::{DevicePtr, MemoryKind};

use crate::stream::Queue;
use crate::{Device, Error, Result};

/// Device memory. A stream that uses it keeps it, so it is freed when nothing uses it any more.
pub struct Allocation {
    pub device: Device,
    pub address: DevicePtr,
    /// The stream that used it last.
    user: Mutex<Weak<Queue>>,
}

impl Allocation {
    pub fn new(device: &Device, bytes: u64) -> Result<Arc<Allocation>> {
        let address = device
            .raw
            .alloc(bytes, MemoryKind::Device)
            .map_err(Error::device("allocating a buffer"))?;
        Ok(Arc::new(Allocation {
            device: device.clone(),
            address,
            user: Mutex::default(),
        }))
    }

    /// Waits until no stream uses the memory. A stream's own errors are for those who wait for the stream.
    pub fn settle(&self) -> Result<()> {
        let user = self.user.lock().upgrade();
        user.map_or(Ok(()), |queue| queue.wait_here())
    }

    /// The stream that used it last. While the lock is held, no stream gets work with this memory.
    pub fn user(&self) -> MutexGuard<'_, Weak<Queue>> {
        self.user.lock()
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // A device that is lost after a fault frees nothing.
        if let Err(error) = self.device.raw.free(self.address) {
            log::debug!("freeing a buffer: {error}");
        }
    }
}

//! The memory of the record that a kernel leaves when it traps.
//!
//! After a trap the context is unusable, including device memory. So the record is in host memory that the device
//! can reach.

use std::ffi::c_void;

use plugin_api::Result;
use vendor_driver::{RECORD_SIZE, Trap};

use crate::driver::{CuDevicePtr, CuHostAllocFlags, Driver, Outcome};
use crate::gpu::Gpu;

/// The memory of the record.
pub struct TrapRecord {
    host: *mut u8,
    /// Its device address.
    pub device: CuDevicePtr,
}

// SAFETY: the memory belongs to the process. It is only read, and `state` orders the reads.
unsafe impl Send for TrapRecord {}
// SAFETY: as above.
unsafe impl Sync for TrapRecord {}

impl TrapRecord {
    /// An empty record, for the current context.
    pub fn new(gpu: &Gpu) -> Result<TrapRecord> {
        let mut host: *mut c_void = std::ptr::null_mut();
        let mut device = 0;
        let flags = CuHostAllocFlags::PORTABLE | CuHostAllocFlags::DEVICE_MAP;
        // SAFETY: both variables are writable. The memory is fresh and large enough.
        gpu.check(unsafe {
            gpu.driver
                .mem_host_alloc(&mut host, RECORD_SIZE, flags)
                .and_then(|()| {
                    host.write_bytes(0, RECORD_SIZE);
                    gpu.driver.mem_host_get_device_pointer(&mut device, host, 0)
                })
        })?;
        Ok(TrapRecord {
            host: host.cast(),
            device,
        })
    }

    /// The trap that a kernel has recorded, if any.
    pub fn read(&self) -> Option<Trap> {
        // SAFETY: the memory was allocated with this size, is aligned to a page, and was zeroed.
        unsafe { Trap::read(self.host) }
    }

    /// Frees the memory.
    ///
    /// # Safety
    /// No kernel that knows its address is running.
    pub unsafe fn free(&self, driver: &Driver) -> Outcome {
        // SAFETY: allocated by `new`; caller.
        unsafe { driver.mem_free_host(self.host.cast()) }
    }
}

//! The memory of the record that a kernel leaves when it traps: the host's, which is legible whatever becomes of the
//! device.

use std::time::Duration;

use plugin_api::Result;
use vendor_driver::{RECORD_SIZE, Trap};

use crate::driver::Driver;
use crate::gpu::Gpu;

/// How often, and how long each time, the reader waits for a record that is being written. Waves go on for a moment
/// when another one has trapped.
const ATTEMPTS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(1);

/// The memory of a device's record.
pub struct TrapRecord(*mut u8);

// SAFETY: the memory belongs to the process. It is only read, and its state orders the reads.
unsafe impl Send for TrapRecord {}
// SAFETY: as above.
unsafe impl Sync for TrapRecord {}

impl TrapRecord {
    /// An empty record.
    pub fn new(gpu: &Gpu) -> Result<TrapRecord> {
        let memory = gpu.allocate(gpu.runtime.pools.fine, RECORD_SIZE);
        let memory = memory.map_err(|failure| gpu.error(failure))?;
        // SAFETY: allocated above with this size.
        unsafe { memory.write_bytes(0, RECORD_SIZE) };
        Ok(TrapRecord(memory.cast()))
    }

    /// Its address, which is the same for the device.
    pub fn address(&self) -> u64 {
        self.0.expose_provenance() as u64
    }

    /// The trap that a kernel has recorded, if any.
    pub fn read(&self) -> Option<Trap> {
        for _ in 0..ATTEMPTS {
            // SAFETY: the memory has this size, is aligned to a page, and was zeroed.
            let (trap, is_coming) = unsafe { (Trap::read(self.0), Trap::is_coming(self.0)) };
            if trap.is_some() || !is_coming {
                return trap;
            }
            std::thread::sleep(PAUSE);
        }
        None
    }

    /// Frees the memory.
    ///
    /// # Safety
    /// No kernel that knows its address is running.
    pub unsafe fn free(&self, driver: &Driver) {
        // SAFETY: allocated by `new`; caller.
        let _freed = unsafe { driver.pool_free(self.0.cast()) };
    }
}

//! Pinned host memory that stages small writes.
//!
//! A copy from pageable memory may first wait for the stream (CUDA Driver API, "API synchronization behavior").
//! And the caller may change the bytes as soon as the call returns.

use std::ffi::c_void;

use plugin_api::Result;

use crate::driver::{CuHostAllocFlags, Driver, Outcome};
use crate::gpu::Gpu;

/// Bytes per stream.
const SIZE: usize = 16 << 10;
/// Staged copies begin at multiples of this.
const ALIGNMENT: usize = 16;

/// The staging memory of one stream, created on first use.
#[derive(Default)]
pub struct Staging {
    memory: Option<*mut u8>,
    used: usize,
}

// SAFETY: the memory belongs to the process and has no other owner.
unsafe impl Send for Staging {}

impl Staging {
    /// Stages a copy of `bytes` that is valid until [`Staging::clear`]. `None` if there is no room for it.
    pub fn keep(&mut self, gpu: &Gpu, bytes: &[u8]) -> Result<Option<*const u8>> {
        if bytes.len() > SIZE - self.used {
            return Ok(None);
        }
        let memory = match self.memory {
            Some(memory) => memory,
            None => *self.memory.insert(allocate(gpu)?),
        };
        let place = memory.wrapping_add(self.used);
        // SAFETY: the place has room for the bytes, and nothing else uses it.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len()) };
        self.used = (self.used + bytes.len())
            .next_multiple_of(ALIGNMENT)
            .min(SIZE);
        Ok(Some(place))
    }

    /// Discards all staged bytes.
    pub fn clear(&mut self) {
        self.used = 0;
    }

    /// Frees the memory.
    ///
    /// # Safety
    /// No copy from it is in flight.
    pub unsafe fn free(&self, driver: &Driver) -> Outcome {
        match self.memory {
            // SAFETY: the driver allocated it; caller.
            Some(memory) => unsafe { driver.mem_free_host(memory.cast()) },
            None => Ok(()),
        }
    }
}

fn allocate(gpu: &Gpu) -> Result<*mut u8> {
    let _entered = gpu.enter()?;
    let mut memory: *mut c_void = std::ptr::null_mut();
    // SAFETY: `memory` is writable, the context is current.
    gpu.check(unsafe {
        gpu.driver
            .mem_host_alloc(&mut memory, SIZE, CuHostAllocFlags::PORTABLE)
    })?;
    Ok(memory.cast())
}

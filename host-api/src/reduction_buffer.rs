//! Launch environments of kernels with cross-team reductions (docs/abi.md, "Kernel launch
//! environment"): a 16-byte header and the buffer the teams leave their partial results in. Kept
//! and reused; two launches in flight never share one.

use std::sync::{Mutex, PoisonError};

use plugin_api::{Device, DevicePtr, MemoryKind};

/// Bytes from the header to the buffer.
const HEADER: u64 = 256;

/// Launch environments that no launch uses right now.
#[derive(Debug, Default)]
pub struct ReductionBuffers {
    idle: Mutex<Vec<ReductionBuffer>>,
}

/// One launch environment with its buffer.
#[derive(Debug)]
pub struct ReductionBuffer {
    header: DevicePtr,
    capacity: u64,
}

impl ReductionBuffer {
    /// What the kernel gets as its first parameter.
    pub fn launch_environment(&self) -> DevicePtr {
        self.header
    }
}

impl ReductionBuffers {
    /// A fresh launch environment with a buffer of at least `size` bytes.
    pub fn take(&self, device: &dyn Device, size: u64) -> plugin_api::Result<ReductionBuffer> {
        let known = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            idle.iter()
                .position(|buffer| buffer.capacity >= size)
                .map(|index| idle.swap_remove(index))
        };
        let buffer = match known {
            Some(buffer) => buffer,
            None => {
                let header = device.alloc(HEADER + size, MemoryKind::Device)?;
                ReductionBuffer {
                    header,
                    capacity: size,
                }
            }
        };
        let mut bytes = [0u8; 16];
        bytes[8..].copy_from_slice(&(buffer.header.0 + HEADER).to_le_bytes());
        // SAFETY: `bytes` is readable for its length.
        unsafe { device.write(buffer.header, bytes.as_ptr(), bytes.len())? };
        Ok(buffer)
    }

    /// Gives one back after its launch.
    pub fn put_back(&self, buffer: ReductionBuffer) {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(buffer);
    }
}

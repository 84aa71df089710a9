//! Launch environments of kernels with cross-team reductions (docs/abi.md, "Kernel launch environment"). Each is a
//! 16-byte header and a buffer for the teams' partial results. They are reused. Two launches in flight never share one.

use findings::Finished;
use parking_lot::Mutex;
use plugin_api::{Device, DevicePtr, MemoryKind, Stream};

/// Bytes from the header to the buffer.
const HEADER: u64 = 256;

/// Idle launch environments.
#[derive(Debug, Default)]
pub struct ReductionBuffers {
    idle: Mutex<Vec<ReductionBuffer>>,
}

/// One launch environment with its buffer.
#[derive(Debug)]
pub struct ReductionBuffer {
    header: DevicePtr,
    capacity: u64,
    /// For the checker: what is complete when the buffer is idle. Whoever takes it comes after that.
    known: Finished,
}

impl ReductionBuffer {
    /// The first parameter of the kernel.
    pub fn launch_environment(&self) -> DevicePtr {
        self.header
    }
}

impl ReductionBuffers {
    /// A launch environment with a buffer of at least `size` bytes, initialised on `stream`.
    pub fn take(
        &self,
        device: &dyn Device,
        stream: &dyn Stream,
        size: u64,
    ) -> plugin_api::Result<ReductionBuffer> {
        let known = {
            let mut idle = self.idle.lock();
            idle.iter()
                .position(|buffer| buffer.capacity >= size)
                .map(|index| idle.swap_remove(index))
        };
        let buffer = match known {
            Some(buffer) => {
                findings::host_learns(&buffer.known);
                buffer
            }
            None => {
                let header = device.alloc(HEADER + size, MemoryKind::Device)?;
                ReductionBuffer {
                    header,
                    capacity: size,
                    known: Finished::default(),
                }
            }
        };
        let mut bytes = [0u8; 16];
        bytes[8..].copy_from_slice(&(buffer.header.0 + HEADER).to_le_bytes());
        stream.write_copied(buffer.header, &bytes)?;
        Ok(buffer)
    }

    /// Returns one when its kernel has ended.
    pub fn put_back(&self, mut buffer: ReductionBuffer) {
        buffer.known = findings::known_to_host();
        self.idle.lock().push(buffer);
    }
}

//! Launch environments of kernels with cross-team reductions (docs/abi.md, "Kernel launch environment"). Each is a
//! 16-byte header and a buffer for the teams' partial results. They are reused. Two launches in flight never share one.
//!
//! Our device runtime leaves the header as it found it. So it is written when the memory is new, and not again: a copy
//! to the device takes as long as a third of an empty launch.

use findings::Finished;
use parking_lot::Mutex;
use plugin_api::{Device, DevicePtr, MemoryKind, Stream};

use crate::device::device_runtime::DeviceRuntime;

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
    /// Whether the header is as a launch needs it.
    is_ready: bool,
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
    /// A launch environment with a buffer of at least `size` bytes, initialised on `stream`, for a kernel with this
    /// device runtime.
    pub fn take(
        &self,
        device: &dyn Device,
        stream: &dyn Stream,
        size: u64,
        runtime: DeviceRuntime,
    ) -> plugin_api::Result<ReductionBuffer> {
        let known = {
            let mut idle = self.idle.lock();
            idle.iter()
                .position(|buffer| buffer.capacity >= size)
                .map(|index| idle.swap_remove(index))
        };
        let mut buffer = match known {
            Some(buffer) => {
                findings::host_learns(&buffer.known);
                buffer
            }
            None => {
                let header = device.alloc(HEADER + size, MemoryKind::Device)?;
                ReductionBuffer {
                    header,
                    capacity: size,
                    is_ready: false,
                    known: Finished::default(),
                }
            }
        };
        if !buffer.is_ready {
            let mut bytes = [0u8; 16];
            bytes[8..].copy_from_slice(&(buffer.header.0 + HEADER).to_le_bytes());
            stream.write_copied(buffer.header, &bytes)?;
        }
        buffer.is_ready = runtime == DeviceRuntime::Ours;
        Ok(buffer)
    }

    /// Returns one when its kernel has ended.
    pub fn put_back(&self, mut buffer: ReductionBuffer) {
        buffer.known = findings::known_to_host();
        self.idle.lock().push(buffer);
    }
}

#[cfg(test)]
mod tests {
    use plugin_api::ImmediateStream;

    use super::*;
    use crate::tests::fake_device::FakeDevice;

    #[test]
    fn a_header_is_written_when_a_launch_needs_it() {
        let fake = FakeDevice::new(1 << 16);
        let stream = ImmediateStream::new(fake.clone());
        let buffers = ReductionBuffers::default();
        let take = |runtime| buffers.take(&*fake, &stream, 64, runtime).unwrap();
        let at_first = |buffer: &ReductionBuffer| fake.peek_pointer(buffer.launch_environment());

        let buffer = take(DeviceRuntime::Ours);
        let header = buffer.launch_environment();
        assert_eq!(at_first(&buffer), 0);
        assert_eq!(fake.peek_pointer(header.offset(8)), header.0 + HEADER);
        // What a kernel left in the counters shows who writes them.
        fake.poke(header, &[9; 8]);
        buffers.put_back(buffer);

        let buffer = take(DeviceRuntime::Llvm);
        assert_ne!(at_first(&buffer), 0, "our runtime leaves it as it was");
        buffers.put_back(buffer);

        let buffer = take(DeviceRuntime::Ours);
        assert_eq!(at_first(&buffer), 0, "LLVM's does not");
        assert_eq!(fake.live(), 1);
    }
}

//! Operations that are complete when the call returns.

use std::sync::Arc;

use plugin_api::{DevicePtr, Result, Stream};

use crate::gpu::Gpu;
use crate::stream::CudaStream;

/// Enqueues operations on a stream of their own and waits for them.
pub fn run_synchronously(
    gpu: &Arc<Gpu>,
    enqueue: impl FnOnce(&CudaStream) -> Result<()>,
) -> Result<()> {
    let stream = CudaStream::new(gpu)?;
    enqueue(&stream)?;
    stream.synchronize()
}

/// Copies host to device.
pub fn write(gpu: &Arc<Gpu>, dst: DevicePtr, bytes: &[u8]) -> Result<()> {
    // SAFETY: a slice is readable for its length and outlives the call.
    run_synchronously(gpu, |stream| unsafe {
        stream.write(dst, bytes.as_ptr(), bytes.len())
    })
}

/// Copies device to host.
pub fn read(gpu: &Arc<Gpu>, bytes: &mut [u8], src: DevicePtr) -> Result<()> {
    // SAFETY: a slice is writable for its length and outlives the call.
    run_synchronously(gpu, |stream| unsafe {
        stream.read(bytes.as_mut_ptr(), src, bytes.len())
    })
}

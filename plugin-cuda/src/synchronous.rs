//! Operations that are complete when the call returns.

use std::sync::Arc;

use plugin_api::{DevicePtr, Result};
use vendor_driver::{read_synchronously, run_synchronously as run, write_synchronously};

use crate::gpu::Gpu;
use crate::stream::CudaStream;

/// Enqueues operations on a stream of their own and waits for them.
pub fn run_synchronously(
    gpu: &Arc<Gpu>,
    enqueue: impl FnOnce(&CudaStream) -> Result<()>,
) -> Result<()> {
    run(CudaStream::new(gpu, None)?, enqueue)
}

/// Copies host to device.
pub fn write(gpu: &Arc<Gpu>, dst: DevicePtr, bytes: &[u8]) -> Result<()> {
    write_synchronously(CudaStream::new(gpu, None)?, dst, bytes)
}

/// Copies device to host.
pub fn read(gpu: &Arc<Gpu>, bytes: &mut [u8], src: DevicePtr) -> Result<()> {
    read_synchronously(CudaStream::new(gpu, None)?, bytes, src)
}

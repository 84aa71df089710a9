//! Operations that are complete when the call returns.

use plugin_api::{DevicePtr, Result, Stream};

/// Enqueues operations on a stream of their own and waits for them.
pub fn run_synchronously<S: Stream>(
    stream: S,
    enqueue: impl FnOnce(&S) -> Result<()>,
) -> Result<()> {
    enqueue(&stream)?;
    stream.synchronize()
}

/// Copies host to device.
pub fn write_synchronously(stream: impl Stream, dst: DevicePtr, bytes: &[u8]) -> Result<()> {
    // SAFETY: a slice is readable for its length and outlives the call.
    run_synchronously(stream, |stream| unsafe {
        stream.write(dst, bytes.as_ptr(), bytes.len())
    })
}

/// Copies device to host.
pub fn read_synchronously(stream: impl Stream, bytes: &mut [u8], src: DevicePtr) -> Result<()> {
    // SAFETY: a slice is writable for its length and outlives the call.
    run_synchronously(stream, |stream| unsafe {
        stream.read(bytes.as_mut_ptr(), src, bytes.len())
    })
}

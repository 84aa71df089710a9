//! Copies and fills. Each end on the device must lie in one allocation.
//!
//! Pageable memory follows the reference ("API synchronization behavior", Memcpy, Asynchronous): copies from it
//! to the device are staged first, and copies to it return only when they are complete.

use std::ffi::c_void;
use std::sync::Arc;

use plugin_api::{Device as _, DevicePtr};

use crate::context::{Context, current};
use crate::memory::Kind;
use crate::result::{Failure, Outcome};
use crate::stream_calls::stream;
use fake_driver::handle::{self, Handle};
use fake_driver::pointer::bytes;

/// A host address that a stream may use later.
struct HostAddress(*mut u8);

// SAFETY: the caller keeps the memory valid until the stream has passed the copy.
unsafe impl Send for HostAddress {}

impl HostAddress {
    /// The address. A method, so that closures capture the whole wrapper.
    fn get(&self) -> *mut u8 {
        self.0
    }
}

fn in_one_block(context: &Context, address: u64, length: usize) -> Outcome {
    let found = context.memory().find(address, length);
    found.map(drop).ok_or(Failure::INVALID_VALUE)
}

/// Whether memory is pinned or managed, so that it is read and written in stream order.
fn is_pinned(context: &Context, address: u64, length: usize) -> bool {
    let found = context.memory().find(address, length);
    found.is_some_and(|(.., kind)| matches!(kind, Kind::Host | Kind::Managed))
}

fn to_failure(outcome: plugin_api::Result<()>) -> Outcome {
    outcome.map_err(|_| Failure::ILLEGAL_ADDRESS)
}

fn copy_between(
    (dst, to): (u64, Arc<Context>),
    (src, from): (u64, Arc<Context>),
    length: usize,
) -> Outcome {
    let mut staged = vec![0u8; length];
    // SAFETY: `staged` has that many bytes.
    to_failure(unsafe { from.gpu.read(staged.as_mut_ptr(), DevicePtr(src), length) })?;
    // SAFETY: as above.
    to_failure(unsafe { to.gpu.write(DevicePtr(dst), staged.as_ptr(), length) })
}

fake_driver::functions! {
    /// Host to device.
    fn cuMemcpyHtoDAsync_v2(dst: u64, src: *const c_void, length: usize, on: Handle) in with_context {
        let (stream, context) = (stream(on)?, current()?);
        in_one_block(&context, dst, length)?;
        if is_pinned(&context, src as u64, length) {
            let src = HostAddress(src.cast_mut().cast());
            return stream.enqueue(move || {
                // SAFETY: the caller keeps the source until the stream has passed the copy.
                to_failure(unsafe { context.gpu.write(DevicePtr(dst), src.get(), length) })
            });
        }
        let staged = bytes(src.cast(), length)?.to_vec();
        stream.enqueue(move || {
            // SAFETY: `staged` has that many bytes.
            to_failure(unsafe { context.gpu.write(DevicePtr(dst), staged.as_ptr(), length) })
        })
    }

    /// Device to host.
    fn cuMemcpyDtoHAsync_v2(dst: *mut c_void, src: u64, length: usize, on: Handle) in with_context {
        let (stream, context) = (stream(on)?, current()?);
        in_one_block(&context, src, length)?;
        if dst.is_null() {
            return Err(Failure::INVALID_VALUE);
        }
        let pinned = is_pinned(&context, dst as u64, length);
        let (dst, own) = (HostAddress(dst.cast()), context.clone());
        stream.enqueue(move || {
            // SAFETY: the caller keeps the destination until the stream has passed the copy.
            to_failure(unsafe { own.gpu.read(dst.get(), DevicePtr(src), length) })
        })?;
        if !pinned {
            stream.wait();
            context.check()?;
        }
        Ok(())
    }

    /// Within the device. The reference leaves overlapping ranges undefined; this driver refuses them.
    fn cuMemcpyDtoDAsync_v2(dst: u64, src: u64, length: usize, on: Handle) in with_context {
        let (stream, context) = (stream(on)?, current()?);
        in_one_block(&context, dst, length)?;
        in_one_block(&context, src, length)?;
        if dst.abs_diff(src) < length as u64 {
            return Err(Failure::INVALID_VALUE);
        }
        stream.enqueue(move || to_failure(context.gpu.copy(DevicePtr(dst), DevicePtr(src), length)))
    }

    /// Between two devices.
    fn cuMemcpyPeerAsync(dst: u64, to: Handle, src: u64, from: Handle, length: usize, on: Handle) in with_context {
        let context = |raw| handle::get::<Context>(raw).map_err(|_| Failure::INVALID_CONTEXT);
        let (stream, to, from) = (stream(on)?, context(to)?, context(from)?);
        in_one_block(&to, dst, length)?;
        in_one_block(&from, src, length)?;
        stream.enqueue(move || copy_between((dst, to), (src, from), length))
    }

    /// Sets bytes.
    fn cuMemsetD8Async(dst: u64, value: u8, length: usize, on: Handle) in with_context {
        let (stream, context) = (stream(on)?, current()?);
        in_one_block(&context, dst, length)?;
        stream.enqueue(move || to_failure(context.gpu.fill(DevicePtr(dst), value, length)))
    }
}

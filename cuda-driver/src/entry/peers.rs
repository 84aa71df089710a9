//! Memory of other devices.

use std::ffi::{c_int, c_void};

use cudart::entry::peers::{cudaDeviceDisablePeerAccess, cudaDeviceEnablePeerAccess};
use cudart::error::{Code, Result, without_trace};

use crate::contexts;
use crate::entry::{forward, outcome, started};
use crate::status::answer;

/// The number of a context's device.
fn device(context: *mut c_void) -> Result<c_int> {
    let current = contexts::current()?;
    let peer = contexts::context(context as usize)?.device;
    match peer.number == current.number {
        // A device has no access to take of itself.
        true => Err(Code::DEVICE_UNINITIALIZED),
        false => Ok(peer.number as c_int),
    }
}

/// Has kernels of the current context reach memory of another one.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxEnablePeerAccess(context: *mut c_void, flags: u32) -> i32 {
    let enable = |peer| outcome(without_trace(|| cudaDeviceEnablePeerAccess(peer, flags)));
    answer(device(context).and_then(enable))
}

/// Ends that.
#[unsafe(no_mangle)]
pub extern "C" fn cuCtxDisablePeerAccess(context: *mut c_void) -> i32 {
    let disable = |peer| outcome(without_trace(|| cudaDeviceDisablePeerAccess(peer)));
    answer(device(context).and_then(disable))
}

forward! {
    started;
    /// Whether kernels of a device reach memory of another one.
    cuDeviceCanAccessPeer = peers::cudaDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int);
    /// What is known about two devices.
    cuDeviceGetP2PAttribute = peers::cudaDeviceGetP2PAttribute(
        value: *mut c_int, attribute: c_int, device: c_int, peer: c_int
    );
}

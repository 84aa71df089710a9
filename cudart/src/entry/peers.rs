//! Memory of other devices. Kernels reach it where the devices do; copies between devices go on their own.

use std::ffi::c_int;

use crate::cuda_device::CudaDevice;
use crate::entry::place;
use crate::error::{Code, Result, answer};
use crate::runtime::runtime;

/// Two devices that differ.
fn pair(device: c_int, peer: c_int) -> Result<[&'static CudaDevice; 2]> {
    let runtime = runtime();
    let (device, peer) = (
        runtime.device_numbered(device)?,
        runtime.device_numbered(peer)?,
    );
    match device.number == peer.number {
        true => Err(Code::INVALID_DEVICE),
        false => Ok([device, peer]),
    }
}

/// Whether kernels of a device reach memory of another one.
fn reaches(device: &CudaDevice, peer: &CudaDevice) -> bool {
    device.number != peer.number && device.raw.reaches_memory_of(&*peer.raw)
}

/// Whether kernels of a device reach memory of another one.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaDeviceCanAccessPeer(
    can: *mut c_int,
    device: c_int,
    peer: c_int,
) -> i32 {
    let ask = || {
        // SAFETY: caller.
        let place = unsafe { place(can)? };
        let runtime = runtime();
        let (device, peer) = (
            runtime.device_numbered(device)?,
            runtime.device_numbered(peer)?,
        );
        *place = reaches(device, peer).into();
        Ok(())
    };
    answer(ask())
}

/// The current device, and another one.
fn current_and(peer: c_int) -> Result<[&'static CudaDevice; 2]> {
    pair(runtime().device()?.number as c_int, peer)
}

/// Has kernels of the current device reach memory of another one.
pub extern "C" fn cudaDeviceEnablePeerAccess(peer: c_int, flags: u32) -> i32 {
    let enable = || {
        let [device, peer] = current_and(peer)?;
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        if !reaches(device, peer) {
            return Err(Code::NO_PEER_ACCESS);
        }
        match device.peers.lock().insert(peer.number) {
            true => Ok(()),
            false => Err(Code::PEER_ENABLED),
        }
    };
    answer(enable())
}

/// Ends that. (A kernel that goes on to access the memory finds it: devices of one window cannot keep it away.)
pub extern "C" fn cudaDeviceDisablePeerAccess(peer: c_int) -> i32 {
    let disable = || {
        let [device, peer] = current_and(peer)?;
        match device.peers.lock().remove(&peer.number) {
            true => Ok(()),
            false => Err(Code::PEER_NOT_ENABLED),
        }
    };
    answer(disable())
}

/// What one device can do with another one's memory.
///
/// # Safety
/// The address is null or valid.
pub unsafe extern "C" fn cudaDeviceGetP2PAttribute(
    value: *mut c_int,
    attribute: c_int,
    device: c_int,
    peer: c_int,
) -> i32 {
    let ask = || {
        // SAFETY: caller.
        let place = unsafe { place(value)? };
        let [device, peer] = pair(device, peer)?;
        match attribute {
            // The rank among the device's ways to others, and arrays: there is one way, and arrays have no address.
            1 | 4 => *place = 0,
            // Access, and atomic operations.
            2 | 3 => *place = reaches(device, peer).into(),
            _ => return Err(Code::INVALID_VALUE),
        }
        Ok(())
    };
    answer(ask())
}

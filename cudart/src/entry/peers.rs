//! Memory of other devices and of other processes. Kernels reach neither; copies between devices go on their own.

use std::ffi::{c_int, c_void};

use crate::entry::place;
use crate::error::{Code, Result, answer, report};
use crate::runtime::runtime;

/// Two devices that differ.
fn pair(device: c_int, peer: c_int) -> Result<()> {
    let runtime = runtime();
    let (device, peer) = (
        runtime.device_numbered(device)?,
        runtime.device_numbered(peer)?,
    );
    match device.number == peer.number {
        true => Err(Code::INVALID_DEVICE),
        false => Ok(()),
    }
}

/// Whether kernels of a device reach memory of another one: they do not.
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
        runtime.device_numbered(device)?;
        runtime.device_numbered(peer)?;
        *place = 0;
        Ok(())
    };
    answer(ask())
}

/// Has kernels of the current device reach memory of another one, which they cannot.
pub extern "C" fn cudaDeviceEnablePeerAccess(peer: c_int, flags: u32) -> i32 {
    let enable = || {
        pair(runtime().device()?.number as c_int, peer)?;
        match flags {
            0 => Err(Code::NO_PEER_ACCESS),
            _ => Err(Code::INVALID_VALUE),
        }
    };
    answer(enable())
}

/// Ends what was never enabled.
pub extern "C" fn cudaDeviceDisablePeerAccess(peer: c_int) -> i32 {
    let disable = || {
        pair(runtime().device()?.number as c_int, peer)?;
        Err(Code::PEER_NOT_ENABLED)
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
        pair(device, peer)?;
        match attribute {
            1..=4 => *place = 0,
            _ => return Err(Code::INVALID_VALUE),
        }
        Ok(())
    };
    answer(ask())
}

/// The 64 bytes of a handle for other processes.
#[repr(C)]
pub struct Foreign {
    /// They mean nothing here.
    pub bytes: [u8; 64],
}

fn not_shared(what: &str) -> i32 {
    report(
        "not supported",
        &format!("{what} cannot be shared with other processes"),
    );
    answer(Err(Code::NOT_SUPPORTED))
}

/// A handle of an event for other processes: there are none.
pub extern "C" fn cudaIpcGetEventHandle(_handle: *mut Foreign, _event: *mut c_void) -> i32 {
    not_shared("events")
}

/// An event of another process: there are none.
pub extern "C" fn cudaIpcOpenEventHandle(_event: *mut *mut c_void, _handle: Foreign) -> i32 {
    not_shared("events")
}

/// A handle of memory for other processes: there are none.
pub extern "C" fn cudaIpcGetMemHandle(_handle: *mut Foreign, _memory: *mut c_void) -> i32 {
    not_shared("memory")
}

/// Memory of another process: there is none.
pub extern "C" fn cudaIpcOpenMemHandle(
    _memory: *mut *mut c_void,
    _handle: Foreign,
    _flags: u32,
) -> i32 {
    not_shared("memory")
}

/// Closes what was never opened.
pub extern "C" fn cudaIpcCloseMemHandle(_memory: *mut c_void) -> i32 {
    answer(Err(Code::INVALID_VALUE))
}

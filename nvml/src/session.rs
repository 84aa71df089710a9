//! Starts and ends of the library, and handles of devices.

use std::ffi::c_void;
use std::sync::Arc;

use cudart::cuda_device::CudaDevice;
use cudart::properties::DeviceProperties;
use cudart::runtime::runtime;
use parking_lot::Mutex;

use crate::status::{Result, Status};

/// How often the program has started the library and not ended it.
static USERS: Mutex<usize> = Mutex::new(0);

/// `NVML_INIT_FLAG_NO_GPUS`: to have no device is no error.
const NO_DEVICES: u32 = 1;

/// Starts the library.
pub fn start(flags: u32) -> Result<()> {
    if flags & NO_DEVICES == 0 && runtime().devices().is_empty() {
        return Err(Status::DRIVER_NOT_LOADED);
    }
    *USERS.lock() += 1;
    Ok(())
}

/// Ends it.
pub fn end() -> Result<()> {
    let mut users = USERS.lock();
    *users = users.checked_sub(1).ok_or(Status::UNINITIALIZED)?;
    Ok(())
}

/// The devices.
pub fn devices() -> Result<&'static [Arc<CudaDevice>]> {
    match *USERS.lock() {
        0 => Err(Status::UNINITIALIZED),
        _ => Ok(runtime().devices()),
    }
}

/// The handle of the device with this number: no null, and no address.
pub fn handle(number: usize) -> *mut c_void {
    (number + 1) as *mut c_void
}

/// The device of a handle.
pub fn device(handle: *mut c_void) -> Result<&'static CudaDevice> {
    let number = (handle as usize).checked_sub(1);
    let devices = devices()?;
    let found = number.and_then(|number| devices.get(number));
    found
        .map(|device| &**device)
        .ok_or(Status::INVALID_ARGUMENT)
}

/// What the device of a handle is.
pub fn properties(handle: *mut c_void) -> Result<DeviceProperties> {
    Ok(DeviceProperties::of(device(handle)?))
}

/// A place that the program gives for a result.
///
/// # Safety
/// The address is null or valid for a `T`.
pub unsafe fn place<'a, T>(address: *mut T) -> Result<&'a mut T> {
    // SAFETY: caller.
    unsafe { address.as_mut() }.ok_or(Status::INVALID_ARGUMENT)
}

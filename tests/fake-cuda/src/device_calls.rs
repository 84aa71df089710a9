//! The driver itself, and its devices.

use std::ffi::{c_char, c_int, c_uint};

use crate::call::{initialise, settings};
use crate::device;
use crate::result::{Failure, name_and_description};
use fake_driver::handle::Handle;
use fake_driver::pointer::{store, store_text};

fake_driver::functions! {
    /// "Currently, the Flags parameter must be 0."
    fn cuInit(flags: c_uint) in any_time {
        if flags != 0 {
            return Err(Failure::INVALID_VALUE);
        }
        let config = settings()?;
        if config.capabilities.is_empty() {
            return Err(Failure::NO_DEVICE);
        }
        initialise(config)
    }

    /// 1000 × major + 10 × minor.
    fn cuDriverGetVersion(version: *mut c_int) in any_time {
        store(version, settings()?.version as c_int)
    }

    /// `CUDA_ERROR_…`, NUL-terminated.
    fn cuGetErrorName(error: u32, name: *mut *const c_char) in any_time {
        let known = name_and_description(error).ok_or(Failure::INVALID_VALUE)?;
        store(name, known.0.as_ptr().cast())
    }

    /// A description, NUL-terminated.
    fn cuGetErrorString(error: u32, text: *mut *const c_char) in any_time {
        let known = name_and_description(error).ok_or(Failure::INVALID_VALUE)?;
        store(text, known.1.as_ptr().cast())
    }

    /// The number of devices.
    fn cuDeviceGetCount(count: *mut c_int) in initialised {
        store(count, device::count()? as c_int)
    }

    /// The device with this ordinal. The numbers are equal.
    fn cuDeviceGet(device: *mut c_int, ordinal: c_int) in initialised {
        device::get(ordinal)?;
        store(device, ordinal)
    }

    /// Its name.
    fn cuDeviceGetName(name: *mut c_char, length: c_int, device: c_int) in initialised {
        let (major, minor) = device::get(device)?.capability;
        let length = usize::try_from(length).map_err(|_| Failure::INVALID_VALUE)?;
        store_text(name, length, &format!("Fake GPU {device} (sm_{major}{minor})"))
    }

    /// One of its properties.
    fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: c_int) in initialised {
        let device = device::get(device)?;
        store(value, crate::attributes::value(&device, attribute)?)
    }

    /// Its memory.
    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: c_int) in initialised {
        device::get(device)?;
        store(bytes, device::description()?.memory as usize)
    }

    /// 16 bytes that identify a device. They are the same in every run.
    fn cuDeviceGetUuid_v2(uuid: *mut [u8; 16], device: c_int) in initialised {
        let number = device::get(device)?.number;
        let mut bytes = *b"fake CUDA device";
        bytes[15] = number as u8;
        store(uuid, bytes)
    }

    /// The device's pool.
    fn cuDeviceGetDefaultMemPool(pool: *mut Handle, device: c_int) in initialised {
        if !settings()?.pools {
            return Err(Failure::NOT_SUPPORTED);
        }
        store(pool, device::get(device)?.pool)
    }

    /// Virtual GPUs share an address window, so each can access the others' memory.
    fn cuDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int) in initialised {
        let (device, peer) = (device::get(device)?, device::get(peer)?);
        store(can, (device.number != peer.number).into())
    }

    /// The context that the whole process shares.
    fn cuDevicePrimaryCtxRetain(context: *mut Handle, device: c_int) in initialised {
        store(context, device::get(device)?.retain()?)
    }

    /// Releases it.
    fn cuDevicePrimaryCtxRelease_v2(device: c_int) in initialised {
        device::get(device)?.release()
    }
}

//! What a device is.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use cudart::properties::DeviceProperties;

use crate::session::{place, properties};
use crate::status::{Status, answer};
use crate::text;

/// The UUID of a device as a text.
pub fn uuid(properties: &DeviceProperties) -> String {
    let hex: String = properties
        .uuid
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let [a, b, c, d, e] = [
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..],
    ];
    format!("GPU-{a}-{b}-{c}-{d}-{e}")
}

/// Its place on the bus: domain, bus, device, function.
pub fn bus(properties: &DeviceProperties) -> String {
    let [bus, device, domain] = properties.pci;
    format!("{domain:08X}:{bus:02X}:{device:02X}.0")
}

/// The name.
///
/// # Safety
/// The buffer has so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetName(
    handle: *mut c_void,
    buffer: *mut c_char,
    room: c_uint,
) -> i32 {
    let tell = || {
        let properties = properties(handle)?;
        // SAFETY: the name ends in its array.
        let name = unsafe { CStr::from_ptr(properties.name.as_ptr()) };
        // SAFETY: caller.
        unsafe { text::write(buffer, room, &name.to_string_lossy()) }
    };
    answer(tell())
}

/// The UUID.
///
/// # Safety
/// The buffer has so many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetUUID(
    handle: *mut c_void,
    buffer: *mut c_char,
    room: c_uint,
) -> i32 {
    let uuid = properties(handle).map(|properties| uuid(&properties));
    // SAFETY: caller.
    answer(uuid.and_then(|uuid| unsafe { text::write(buffer, room, &uuid) }))
}

/// `nvmlPciInfo_t`.
#[repr(C)]
pub struct Place {
    short: [c_char; 16],
    domain: c_uint,
    bus: c_uint,
    device: c_uint,
    device_id: c_uint,
    subsystem_id: c_uint,
    long: [c_char; 32],
}

/// `nvmlPciInfo_v2_t`, which older programs know.
#[repr(C)]
pub struct OldPlace {
    short: [c_char; 16],
    numbers: [c_uint; 5],
    reserved: [c_uint; 4],
}

const _: () = assert!(size_of::<Place>() == 68 && size_of::<OldPlace>() == 52);

/// The place on the bus.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPciInfo_v3(handle: *mut c_void, found: *mut Place) -> i32 {
    let tell = || {
        // SAFETY: caller.
        let place = unsafe { place(found)? };
        let properties = properties(handle)?;
        let text = bus(&properties);
        let [bus, device, domain] = properties.pci.map(|number| number as c_uint);
        *place = Place {
            short: text::array(&text[4..]),
            domain,
            bus,
            device,
            device_id: 0,
            subsystem_id: 0,
            long: text::array(&text),
        };
        Ok(())
    };
    answer(tell())
}

/// The same for older programs.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPciInfo_v2(handle: *mut c_void, found: *mut OldPlace) -> i32 {
    let tell = || {
        // SAFETY: caller.
        let place = unsafe { place(found)? };
        let properties = properties(handle)?;
        let [bus, device, domain] = properties.pci.map(|number| number as c_uint);
        *place = OldPlace {
            short: text::array(&self::bus(&properties)[4..]),
            numbers: [domain, bus, device, 0, 0],
            reserved: [0; 4],
        };
        Ok(())
    };
    answer(tell())
}

/// The same under its oldest name.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetPciInfo(handle: *mut c_void, found: *mut OldPlace) -> i32 {
    // SAFETY: caller.
    unsafe { nvmlDeviceGetPciInfo_v2(handle, found) }
}

/// The compute capability.
///
/// # Safety
/// The addresses are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetCudaComputeCapability(
    handle: *mut c_void,
    major: *mut c_int,
    minor: *mut c_int,
) -> i32 {
    let tell = || {
        // SAFETY: caller.
        let (major, minor) = unsafe { (place(major)?, place(minor)?) };
        let properties = properties(handle)?;
        (*major, *minor) = (properties.major, properties.minor);
        Ok(())
    };
    answer(tell())
}

/// `nvmlDeviceArchitecture_t` of a compute capability.
fn architecture(major: i32, minor: i32) -> Option<c_uint> {
    Some(match (major, minor) {
        (3, _) => 2,
        (5, _) => 3,
        (6, _) => 4,
        (7, 0..5) => 5,
        (7, _) => 6,
        (8, 9) => 8,
        (8, _) => 7,
        (9, _) => 9,
        (10.., _) => 10,
        _ => return None,
    })
}

/// The architecture.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn nvmlDeviceGetArchitecture(handle: *mut c_void, found: *mut c_uint) -> i32 {
    let tell = || {
        // SAFETY: caller.
        let place = unsafe { place(found)? };
        let properties = properties(handle)?;
        let known = architecture(properties.major, properties.minor);
        *place = known.ok_or(Status::NOT_SUPPORTED)?;
        Ok(())
    };
    answer(tell())
}

/// What the device always is.
macro_rules! constant {
    ($($(#[$doc:meta])* $name:ident = $value:literal;)*) => { $(
        $(#[$doc])*
        ///
        /// # Safety
        /// The address is null or valid.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(handle: *mut c_void, found: *mut c_uint) -> i32 {
            let known = properties(handle).map(drop);
            // SAFETY: caller.
            answer(known.and_then(|()| unsafe { place(found) }).map(|place| *place = $value))
        }
    )* };
}

constant! {
    /// Who may use it (`nvmlComputeMode_t`): everybody.
    nvmlDeviceGetComputeMode = 0;
    /// Whether the driver stays without programs.
    nvmlDeviceGetPersistenceMode = 0;
    /// The brand (`nvmlBrandType_t`): an unknown one.
    nvmlDeviceGetBrand = 0;
    /// Whether other devices are on its board.
    nvmlDeviceGetMultiGpuBoard = 0;
    /// The parts that it may be divided into.
    nvmlDeviceGetMaxMigDeviceCount = 0;
    /// Whether it is such a part.
    nvmlDeviceIsMigDeviceHandle = 0;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn architectures() {
        assert_eq!(architecture(8, 0), Some(7));
        assert_eq!(architecture(7, 5), Some(6));
        assert_eq!(architecture(12, 0), Some(10));
        assert_eq!(architecture(1, 0), None);
    }
}

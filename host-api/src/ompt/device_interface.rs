//! Events of devices and images, and the functions that a tool may call for a device.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, OnceLock};
use std::time::Instant;

use super::connection::tool;

/// The zero of the device time. No device is used earlier.
static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// What a tool may ask about a device.
pub struct ToolDevice {
    /// Its name.
    pub name: CString,
    /// How many multiprocessors it has.
    pub multiprocessors: u32,
}

/// All devices, by number.
static DEVICES: OnceLock<Vec<ToolDevice>> = OnceLock::new();

/// Sets the devices. The runtime calls this as soon as it has found them.
pub fn set_devices(devices: Vec<ToolDevice>) {
    // Later calls have no effect: devices are found once.
    let _known = DEVICES.set(devices);
}

fn devices() -> &'static [ToolDevice] {
    DEVICES.get().map_or(&[], |devices| devices)
}

/// The host's device number: one past the last device.
pub(super) fn host_number() -> c_int {
    devices().len() as c_int
}

/// Whether the tool was told about the devices.
static INITIALIZED: AtomicBool = AtomicBool::new(false);

/// The first use of the devices is imminent.
pub fn devices_are_used() {
    let Some(callback) = tool().and_then(|tool| tool.device_initialize) else {
        return;
    };
    if INITIALIZED.swap(true, Ordering::Relaxed) {
        return;
    }
    LazyLock::force(&BEGIN);
    for (number, device) in devices().iter().enumerate() {
        let opaque = std::ptr::without_provenance_mut(number + 1);
        let kind = device.name.as_ptr();
        // SAFETY: the tool's callback; it copies the strings if it wants to keep them.
        unsafe { callback(number as c_int, kind, opaque, lookup, c"".as_ptr()) };
    }
}

/// The last program is gone; the devices are not used any more.
pub fn devices_go() {
    let Some(callback) = tool().and_then(|tool| tool.device_finalize) else {
        return;
    };
    if !INITIALIZED.swap(false, Ordering::Relaxed) {
        return;
    }
    for number in 0..devices().len() {
        // SAFETY: the tool's callback.
        unsafe { callback(number as c_int) };
    }
}

/// A device has loaded an image from this memory of the process.
pub fn image_loaded(device: usize, module: usize, image: &[u8]) {
    /// The image's offset in a file is not known.
    const UNKNOWN: i64 = -1;
    if let Some(callback) = tool().and_then(|tool| tool.device_load) {
        let (none, null) = (std::ptr::null(), std::ptr::null_mut());
        let host = image.as_ptr().cast_mut().cast();
        // SAFETY: the tool's callback.
        unsafe {
            callback(
                device as c_int,
                none,
                UNKNOWN,
                null,
                image.len(),
                host,
                null,
                module as u64,
            )
        };
    }
}

/// A device has dropped an image.
pub fn image_dropped(device: usize, module: usize) {
    if let Some(callback) = tool().and_then(|tool| tool.device_unload) {
        // SAFETY: the tool's callback.
        unsafe { callback(device as c_int, module as u64) };
    }
}

/// The functions of a device. Tracing functions are missing: all events are callbacks.
///
/// # Safety
/// `name` is a C string.
unsafe extern "C" fn lookup(name: *const c_char) -> *const c_void {
    // SAFETY: caller.
    match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"ompt_get_device_num_procs" => num_procs as *const c_void,
        b"ompt_get_device_time" => device_time as *const c_void,
        b"ompt_translate_time" => translate_time as *const c_void,
        _ => std::ptr::null(),
    }
}

/// `ompt_get_device_num_procs`: the device's multiprocessors; 0 for an unknown device.
extern "C" fn num_procs(device: *mut c_void) -> c_int {
    let index = device.addr().checked_sub(1);
    let found = index.and_then(|index| devices().get(index));
    found.map_or(0, |device| device.multiprocessors as c_int)
}

/// `ompt_get_device_time`: nanoseconds.
extern "C" fn device_time(_device: *mut c_void) -> u64 {
    BEGIN.elapsed().as_nanos() as u64
}

/// `ompt_translate_time`: to seconds.
extern "C" fn translate_time(_device: *mut c_void, time: u64) -> f64 {
    time as f64 / 1e9
}

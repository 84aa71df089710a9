//! The routine that returns a device's own counters.

use crate::entry::routine::answer;
use crate::runtime::runtime;

/// Returned for a device without counters.
const NOT_COUNTED: i32 = 1;

/// Counts what the ended kernels of a device have done since the program began (docs/vgpu.md, "Counting"): executed
/// instructions (0 if they are not counted), and how often a multiprocessor switched to another thread. Returns 0 on
/// success. Returns another value, and writes nothing, if the device has no counters, is the host or does not exist.
/// Either pointer may be null.
///
/// # Safety
/// The pointers are null or writable.
pub unsafe extern "C" fn ompx_get_device_counters(
    device: i32,
    instructions: *mut u64,
    switches: *mut u64,
) -> i32 {
    let runtime = runtime();
    if device == runtime.initial_device() || device == -1 {
        return NOT_COUNTED;
    }
    let device = match runtime.device(device.into()) {
        Ok(device) => device,
        Err(error) => return answer("ompx_get_device_counters", Err(error)),
    };
    let Some(counters) = device.device.counters() else {
        return NOT_COUNTED;
    };
    for (pointer, count) in [
        (instructions, counters.instructions),
        (switches, counters.switches),
    ] {
        if !pointer.is_null() {
            // SAFETY: the caller's contract.
            unsafe { *pointer = count };
        }
    }
    0
}

//! The routine that tells what a device counts of itself.

use crate::entry::routine::answer;
use crate::runtime::runtime;

/// What the routine returns for a device that does not count.
const NOT_COUNTED: i32 = 1;

/// What the kernels of a device that have ended did, since the program began (docs/vgpu.md, "Counting"): instructions executed,
/// 0 if they are not counted, and the times a multiprocessor went on with another thread. 0 on success; not 0, and nothing
/// written, if the device does not count, is the host or does not exist. Either pointer may be null.
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

//! The processes that use a device. Virtual GPUs are in the process that uses them: it knows of itself alone.

use std::ffi::{c_uint, c_void};

use cudart::runtime::runtime;

use crate::session::{device, place};
use crate::status::{Result, Status, answer};

/// `nvmlProcessInfo_v1_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct OldProcess {
    number: c_uint,
    used: u64,
}

/// `nvmlProcessInfo_t`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Process {
    number: c_uint,
    used: u64,
    /// Parts of the device: none.
    parts: [c_uint; 2],
}

const _: () = assert!(size_of::<OldProcess>() == 16 && size_of::<Process>() == 24);

const NO_PART: c_uint = c_uint::MAX;

impl From<OldProcess> for Process {
    fn from(process: OldProcess) -> Process {
        Process {
            number: process.number,
            used: process.used,
            parts: [NO_PART; 2],
        }
    }
}

/// The processes that compute on the device.
fn computing(handle: *mut c_void) -> Result<Vec<OldProcess>> {
    let number = device(handle)?.number;
    let used = runtime().allocations.bytes_of(number);
    let this = OldProcess {
        number: std::process::id(),
        used,
    };
    Ok(if used == 0 { Vec::new() } else { vec![this] })
}

/// Gives processes to the program, if there is room for them.
///
/// # Safety
/// The count is null or valid, and so is the list for as many entries.
unsafe fn give<T: From<OldProcess>>(
    processes: &[OldProcess],
    count: *mut c_uint,
    list: *mut T,
) -> Result<()> {
    // SAFETY: caller.
    let count = unsafe { place(count)? };
    let room = std::mem::replace(count, processes.len() as c_uint) as usize;
    if processes.len() > room {
        return Err(Status::INSUFFICIENT_SIZE);
    }
    if !processes.is_empty() && list.is_null() {
        return Err(Status::INVALID_ARGUMENT);
    }
    for (index, process) in processes.iter().enumerate() {
        // SAFETY: there is room (caller).
        unsafe { list.add(index).write((*process).into()) };
    }
    Ok(())
}

/// Functions that list processes.
macro_rules! listing {
    ($($name:ident: $type:ty = $processes:expr;)*) => { $(
        /// Lists processes.
        ///
        /// # Safety
        /// The count is null or valid, and so is the list for as many entries.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(handle: *mut c_void, count: *mut c_uint, list: *mut $type) -> i32 {
            let processes: Result<Vec<OldProcess>> = $processes(handle);
            // SAFETY: caller.
            answer(processes.and_then(|processes| unsafe { give(&processes, count, list) }))
        }
    )* };
}

fn none(handle: *mut c_void) -> Result<Vec<OldProcess>> {
    device(handle).map(|_| Vec::new())
}

listing! {
    nvmlDeviceGetComputeRunningProcesses: OldProcess = computing;
    nvmlDeviceGetComputeRunningProcesses_v2: Process = computing;
    nvmlDeviceGetComputeRunningProcesses_v3: Process = computing;
    nvmlDeviceGetGraphicsRunningProcesses: OldProcess = none;
    nvmlDeviceGetGraphicsRunningProcesses_v2: Process = none;
    nvmlDeviceGetGraphicsRunningProcesses_v3: Process = none;
    nvmlDeviceGetMPSComputeRunningProcesses: OldProcess = none;
    nvmlDeviceGetMPSComputeRunningProcesses_v2: Process = none;
    nvmlDeviceGetMPSComputeRunningProcesses_v3: Process = none;
}

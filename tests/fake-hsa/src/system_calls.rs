//! The runtime itself, and the handler of system events.

use std::ffi::{c_char, c_void};
use std::time::{SystemTime, UNIX_EPOCH};

use fake_driver::pointer::store;

use crate::attribute::{self, byte, halves, long, words};
use crate::call::{initialise, refuse, settings, shut_down};
use crate::fault::{self, SystemHandler};
use crate::status::{Failure, description};

fake_driver::functions! {
    /// Starts the runtime, or counts one user more.
    fn hsa_init() in any_time {
        initialise()
    }

    /// Counts one user less. The last one's call ends the runtime.
    fn hsa_shut_down() in any_time {
        shut_down()
    }

    /// A description, NUL-terminated.
    fn hsa_status_string(status: u32, text: *mut *const c_char) in any_time {
        let known = description(status).ok_or(Failure::ERROR_INVALID_ARGUMENT)?;
        store(text, known.as_ptr().cast())
    }

    /// A property of the system.
    fn hsa_system_get_info(attribute: u32, value: *mut c_void) in running {
        let own = match attribute {
            // VERSION_MAJOR, VERSION_MINOR
            0 | 1 => halves(&[1]),
            // TIMESTAMP, TIMESTAMP_FREQUENCY
            2 => long(nanoseconds()),
            3 => long(1_000_000_000),
            // SIGNAL_MAX_WAIT, MACHINE_MODEL (large)
            4 => long(u64::MAX),
            6 => words(&[1]),
            // SVM_SUPPORTED, SVM_ACCESSIBLE_BY_DEFAULT
            0x201 => byte(true),
            0x202 => {
                let settings = settings()?;
                let mut isas = settings.isas.iter();
                byte(isas.all(|isa| settings.follows_host_pointers(isa)))
            }
            _ => {
                let what = format!("system attribute {attribute:#x} is not emulated");
                return Err(refuse(Failure::ERROR_INVALID_ARGUMENT, &what));
            }
        };
        attribute::store(value, &own)
    }

    /// The handler of memory faults. There is one at most.
    fn hsa_amd_register_system_event_handler(
        handler: Option<fault::SystemCallback>, data: *mut c_void,
    ) in running {
        let callback = handler.ok_or(Failure::ERROR_INVALID_ARGUMENT)?;
        fault::register(SystemHandler { callback, data: data as usize })
    }
}

fn nanoseconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |time| time.as_nanos() as u64)
}

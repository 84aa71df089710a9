//! Faults of kernels, as the runtime tells of them: to the handler of system events, and to the queue's function.

use std::ffi::c_void;
use std::sync::atomic::Ordering;

use fake_driver::handle::Handle;
use parking_lot::Mutex;
use plugin_api::{Error, FaultKind};

use crate::agent;
use crate::call::{refuse, settings, tell};
use crate::queue::Queue;
use crate::signal;
use crate::status::{Failure, Outcome};

/// `hsa_amd_event_t`
#[repr(C)]
pub struct Event {
    kind: u32,
    agent: Handle,
    address: u64,
    reasons: u32,
}

/// `HSA_AMD_GPU_MEMORY_FAULT_EVENT`
const MEMORY_FAULT: u32 = 0;
/// `HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT`
const NOT_PRESENT: u32 = 1;

/// The program's function for system events. Anything but success ends the process.
pub type SystemCallback = unsafe extern "C" fn(*const Event, *mut c_void) -> u32;

/// That function and its argument, an address.
#[derive(Clone, Copy)]
pub struct SystemHandler {
    /// The function.
    pub callback: SystemCallback,
    /// Its argument.
    pub data: usize,
}

static HANDLER: Mutex<Option<SystemHandler>> = Mutex::new(None);

/// `hsa_amd_register_system_event_handler`: "An event handler has already been registered" is an error.
pub fn register(handler: SystemHandler) -> Outcome {
    let mut registered = HANDLER.lock();
    if registered.is_some() {
        return Err(refuse(
            Failure::ERROR,
            "there is a handler of system events already",
        ));
    }
    *registered = Some(handler);
    Ok(())
}

/// Why a kernel ended.
pub enum Cause {
    /// What the virtual GPU says.
    Error(Error),
    /// An argument points to memory that the agent has no access to.
    Inaccessible(u64),
}

/// Ends the queue of a kernel that did not end well.
pub fn report(queue: &Queue, index: u64, kernel: &str, cause: Cause) {
    let fault = match cause {
        Cause::Inaccessible(address) => {
            tell(&format!(
                "{kernel}: an argument points to {address:#x}, which the agent may not access"
            ));
            return memory_fault(queue, address);
        }
        Cause::Error(Error::Fault(fault)) => fault,
        Cause::Error(error) => {
            let refusal = (Failure::ERROR_INVALID_PACKET_FORMAT, error.to_string());
            return queue.refuse(index, refusal);
        }
    };
    match &fault.kind {
        FaultKind::WildAccess { address, .. } => memory_fault(queue, *address),
        FaultKind::Trap { .. } => queue.fail(Failure::ERROR_EXCEPTION),
        FaultKind::StackOverflow => queue.fail(Failure::ERROR_MEMORY_APERTURE_VIOLATION),
        // A GPU would wait for ever, or compute nonsense.
        _ => {
            tell(&fault.to_string());
            queue.fail(Failure::ERROR_EXCEPTION);
        }
    }
}

fn memory_fault(queue: &Queue, address: u64) {
    let handler = *HANDLER.lock();
    let event = Event {
        kind: MEMORY_FAULT,
        agent: agent::handle_of(queue.agent.number).unwrap_or(0),
        // Faults are known by page.
        address: address & !0xfff,
        reasons: NOT_PRESENT,
    };
    // SAFETY: the caller's contract: the function may be called from a thread of the runtime.
    let handled = handler.is_some_and(|SystemHandler { callback, data }| unsafe {
        callback(&raw const event, data as *mut c_void) == 0
    });
    if !handled {
        tell(&format!(
            "memory access fault by agent {} at {address:#x}, and no handler",
            queue.agent.number
        ));
        std::process::abort();
    }
    if settings().is_ok_and(|settings| settings.quiet_memory_faults) {
        signal::change(|| queue.inactive.store(true, Ordering::Release));
    } else {
        queue.fail(Failure::ERROR_MEMORY_FAULT);
    }
}

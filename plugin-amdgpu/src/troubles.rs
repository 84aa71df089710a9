//! What the runtime reports of a device while kernels run, from threads of its own.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::driver::{
    Driver, EVENT_MEMORY_FAULT, HsaAgent, HsaEvent, HsaMemoryFault, HsaQueue, HsaStatus,
};

/// What went wrong on a device. The first of each kind is kept.
#[derive(Default)]
pub struct Troubles {
    /// Whether there is any, for those who ask often.
    any: AtomicBool,
    state: Mutex<State>,
}

#[derive(Clone, Copy, Default)]
struct State {
    queue: Option<HsaStatus>,
    fault: Option<HsaMemoryFault>,
}

/// The trouble that a device is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A queue failed with this status: what its kernel did wrong.
    Queue(HsaStatus),
    /// A kernel used an address that it may not use.
    Memory {
        /// The address, exact to a page.
        address: u64,
        /// `HsaFaultReasons`
        reasons: u32,
    },
}

impl Troubles {
    /// The trouble that says most.
    pub fn worst(&self) -> Option<Trouble> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        let state = *self.state.lock();
        let memory = state.fault.map(|fault| Trouble::Memory {
            address: fault.address,
            reasons: fault.reasons,
        });
        memory.or(state.queue.map(Trouble::Queue))
    }

    fn queue_failed(&self, status: HsaStatus) {
        self.state.lock().queue.get_or_insert(status);
        self.any.store(true, Ordering::Release);
    }

    fn memory_fault(&self, fault: HsaMemoryFault) {
        self.state.lock().fault.get_or_insert(fault);
        self.any.store(true, Ordering::Release);
    }
}

/// What a queue calls when it fails. Its data is a [`Troubles`] that outlives the queue.
pub unsafe extern "C" fn queue_failed(status: HsaStatus, _: *mut HsaQueue, data: *mut c_void) {
    // A queue may also report that it ended well.
    if status != HsaStatus::SUCCESS {
        // SAFETY: whoever makes a queue keeps this alive until the queue is destroyed.
        unsafe { &*data.cast::<Troubles>() }.queue_failed(status);
    }
}

/// The devices in use, for the handler of events, of which a process has one.
static DEVICES: Mutex<Vec<(HsaAgent, Weak<Troubles>)>> = Mutex::new(Vec::new());

/// Registers a device with the handler of memory faults.
pub fn watch(agent: HsaAgent, troubles: &Arc<Troubles>) {
    let mut devices = DEVICES.lock();
    devices.retain(|(_, troubles)| troubles.strong_count() > 0);
    devices.push((agent, Arc::downgrade(troubles)));
}

/// How often the runtime is in use, which has one handler for all of that.
static USERS: Mutex<u32> = Mutex::new(0);

/// Registers the handler with the runtime, which was just started. If other code of the process was faster, that gets
/// the faults.
pub fn register_handler(driver: &Driver) {
    let mut users = USERS.lock();
    *users += 1;
    if *users > 1 {
        return;
    }
    // SAFETY: the handler is a function of this library, which is never unloaded while the runtime runs.
    let registered = unsafe { driver.register_event_handler(event, std::ptr::null_mut()) };
    if let Err(failure) = registered {
        log::debug!("{} failed: {:#x}", failure.call, failure.result.0);
    }
}

/// The runtime is about to be shut down.
pub fn forget_handler() {
    *USERS.lock() -= 1;
}

/// The handler of events.
unsafe extern "C" fn event(event: *const HsaEvent, _: *mut c_void) -> HsaStatus {
    // SAFETY: the runtime passes an event; one of another kind may be shorter, so only its kind is read first.
    let fault = unsafe {
        if (&raw const (*event).kind).read() != EVENT_MEMORY_FAULT {
            return HsaStatus::SUCCESS;
        }
        (&raw const (*event).fault).read()
    };
    let devices = DEVICES.lock();
    let known = devices.iter().filter(|(agent, _)| *agent == fault.agent);
    known
        .filter_map(|(_, troubles)| troubles.upgrade())
        .for_each(|troubles| troubles.memory_fault(fault));
    HsaStatus::SUCCESS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_fault_says_more_than_the_queue() {
        let troubles = Arc::new(Troubles::default());
        assert_eq!(troubles.worst(), None);
        let data = Arc::as_ptr(&troubles).cast_mut().cast();
        // SAFETY: the data is what the function expects.
        unsafe {
            queue_failed(HsaStatus::SUCCESS, std::ptr::null_mut(), data);
            queue_failed(HsaStatus::EXCEPTION, std::ptr::null_mut(), data);
            queue_failed(HsaStatus::MEMORY_FAULT, std::ptr::null_mut(), data);
        }
        assert_eq!(troubles.worst(), Some(Trouble::Queue(HsaStatus::EXCEPTION)));
        let agent = HsaAgent(0x7001);
        DEVICES.lock().push((agent, Arc::downgrade(&troubles)));
        let fault = HsaEvent {
            kind: EVENT_MEMORY_FAULT,
            fault: HsaMemoryFault {
                agent,
                address: 0x1000,
                reasons: 1,
            },
        };
        // SAFETY: an event.
        unsafe { event(&fault, std::ptr::null_mut()) };
        let found = Trouble::Memory {
            address: 0x1000,
            reasons: 1,
        };
        assert_eq!(troubles.worst(), Some(found));
    }
}

//! Constructs with `nowait` that the device still works on, where it has threads of its own or is hardware.
//!
//! Such a construct runs in a task of libomp. The entry point queues the work and leaves a handle in the task. libomp
//! then does not complete the task but gives it to one of its helper threads again. The helper calls
//! [`__tgt_target_nowait_query`](crate::entry::registration) instead of the task's code, and so on until the handle is
//! gone. So one helper serves any number of constructs, and none of them blocks it.
//!
//! One round through libomp's queues costs tens of microseconds and wakes other helpers. So a helper first waits about
//! that long for its construct. A helper that asks in vain naps until a construct ends: its own, or one that nobody
//! waits for. The nap is short, because the helper may be needed to start other constructs.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use plugin_api::Completion;

use crate::construct::by_helper;
use crate::construct::context::Construct;
use crate::construct::device_work::DeviceWork;
use crate::device::omp_device::OmpDevice;
use crate::host_library::{self, TaskHandle};
use crate::report::error::Result;
use crate::runtime::runtime;

/// How long a helper waits for the construct it has started: about what another query costs.
const FIRST_WAIT: Duration = Duration::from_micros(200);
/// The longest nap of a helper that asks in vain.
const LONGEST_NAP: Duration = Duration::from_millis(1);
/// How often in a row a helper may ask in vain without a nap because some construct has ended. A helper that asked
/// without end would take the processor from the device.
const MOST_TRIES: u32 = 256;
/// How long the helpers may take at the end of a program to collect the constructs that are over. They ask all the
/// time, but the waiting thread may be one of them.
const COLLECTION_TIMEOUT: Duration = Duration::from_secs(1);

/// The constructs of all devices, by device number and address.
type Constructs = BTreeMap<(usize, usize), Arc<Pending>>;

static IN_FLIGHT: Mutex<Constructs> = Mutex::new(BTreeMap::new());
/// Signalled when a device has no construct in flight any more.
static EMPTIED: Condvar = Condvar::new();

/// The constructs of one device.
fn of_device(all: &Constructs, device: usize) -> impl Iterator<Item = &Arc<Pending>> {
    let range = (device, usize::MIN)..=(device, usize::MAX);
    all.range(range).map(|(_, pending)| pending)
}

/// Waits for all constructs of `device` and reports their errors. Their code is about to be unloaded, perhaps because
/// the program ends. libomp does not end while one of its tasks waits, but it stops asking for such tasks once it has
/// begun to end.
pub fn complete_all(device: &OmpDevice) {
    let all: Vec<_> = of_device(&IN_FLIGHT.lock(), device.number)
        .cloned()
        .collect();
    all.iter().for_each(|pending| pending.complete());
    let mut left = IN_FLIGHT.lock();
    let any_left = |left: &mut Constructs| of_device(left, device.number).next().is_some();
    // The caller goes on even if some are left when the time is up.
    let _timeout = EMPTIED.wait_while_for(&mut left, any_left, COLLECTION_TIMEOUT);
    drop(left);
    by_helper::wait_for_all(device);
}

fn remove(pending: &Pending) {
    let mut all = IN_FLIGHT.lock();
    all.remove(&pending.key());
    if of_device(&all, pending.device.number).next().is_none() {
        EMPTIED.notify_all();
    }
}

/// One construct.
pub struct Pending {
    device: &'static OmpDevice,
    /// `None` when the construct is over.
    open: Mutex<Option<Open>>,
    /// Whether the device is done or has failed.
    ended: AtomicBool,
    /// Whether [`Waiting::uncollected`] counts it; changed only with that locked.
    uncollected: AtomicBool,
}

struct Open {
    work: DeviceWork<'static>,
    construct: Construct,
}

/// Which helpers wait for constructs, and how many constructs need one.
struct Waiting {
    /// Sleeping helpers, each with the key of the construct that it waits for.
    napping: Vec<((usize, usize), Thread)>,
    /// Number of constructs that ended while nobody waited for them. Some helper will be asked for them next.
    uncollected: usize,
}

thread_local! {
    /// How often in a row this thread has asked in vain.
    static IN_VAIN: Cell<u32> = const { Cell::new(0) };
}

static WAITING: Mutex<Waiting> = Mutex::new(Waiting {
    napping: Vec::new(),
    uncollected: 0,
});

/// Announces the end of a construct: when the device reaches it, or when a failed stream drops it.
struct Notice(Arc<Pending>);

impl Drop for Notice {
    fn drop(&mut self) {
        let key = self.0.key();
        let mut waiting = WAITING.lock();
        self.0.ended.store(true, Ordering::Release);
        let own = waiting.napping.iter().position(|(other, _)| *other == key);
        if own.is_none() {
            waiting.uncollected += 1;
            self.0.uncollected.store(true, Ordering::Relaxed);
        }
        // Wake any other helper to look for the construct.
        let index = own.or_else(|| waiting.napping.len().checked_sub(1));
        let woken = index.map(|index| waiting.napping.swap_remove(index).1);
        drop(waiting);
        if let Some(thread) = woken {
            thread.unpark();
        }
    }
}

/// Queues what `body` does. If the device is not done soon, the construct's task waits.
pub fn begin<T>(
    construct: &Construct,
    device: &'static OmpDevice,
    task: TaskHandle,
    body: impl FnOnce(&mut DeviceWork<'static>) -> Result<T>,
) -> Result<T> {
    let mut work = DeviceWork::new(device, Completion::Asynchronous)?;
    let outcome = body(&mut work);
    if outcome.is_err() || work.is_done() {
        return work.complete(outcome);
    }
    let pending = Arc::new(Pending {
        device,
        open: Mutex::new(None),
        ended: AtomicBool::new(false),
        uncollected: AtomicBool::new(false),
    });
    let notice = Notice(pending.clone());
    let queued = work.stream().call(Box::new(move || drop(notice)));
    if queued.is_err() || pending.nap(FIRST_WAIT, 0) {
        return work.complete(outcome);
    }
    *pending.open.lock() = Some(Open {
        work,
        construct: *construct,
    });
    host_library::search_whole_queues();
    let mut in_flight = IN_FLIGHT.lock();
    if runtime().registry.is_empty() {
        // The program is ending ([`complete_all`]).
        drop(in_flight);
        pending.complete();
        return outcome;
    }
    in_flight.insert(pending.key(), pending.clone());
    task.set(Arc::into_raw(pending).cast());
    outcome
}

impl Pending {
    fn key(&self) -> (usize, usize) {
        (self.device.number, std::ptr::from_ref(self).addr())
    }

    /// Waits for the device if need be, runs the remaining actions and reports errors.
    fn complete(&self) {
        // Locked to the end, so that a second caller does not believe it is over too early.
        let mut open = self.open.lock();
        let Some(Open {
            mut work,
            construct,
        }) = open.take()
        else {
            return;
        };
        let outcome = work.complete(Ok(()));
        self.collect(&mut WAITING.lock());
        if let Err(error) = outcome {
            construct.fail(&error, runtime(), self.device.number as i64);
        }
    }

    /// Whether the device is done. If so, nobody needs to look for the construct any more.
    fn collect(&self, waiting: &mut Waiting) -> bool {
        if self.uncollected.swap(false, Ordering::Relaxed) {
            waiting.uncollected -= 1;
        }
        self.ended.load(Ordering::Acquire)
    }

    /// Whether the device has failed without a notice.
    fn has_failed(&self) -> bool {
        self.open
            .lock()
            .as_mut()
            .is_none_or(|open| open.work.is_done())
    }

    /// Whether the device is done, after a nap of at most `at_most`. `tries`: how often in a row this thread has asked
    /// in vain.
    fn nap(&self, at_most: Duration, tries: u32) -> bool {
        {
            let mut waiting = WAITING.lock();
            let ended = self.collect(&mut waiting);
            if ended || (waiting.uncollected > 0 && tries < MOST_TRIES) {
                return ended;
            }
            waiting.napping.push((self.key(), thread::current()));
        }
        thread::park_timeout(at_most);
        let mut waiting = WAITING.lock();
        let me = thread::current().id();
        waiting.napping.retain(|(_, thread)| thread.id() != me);
        self.collect(&mut waiting)
    }
}

/// Checks the construct that a task waits for. Empties the task's handle if it is over.
///
/// # Safety
/// `handle` is a task's handle, null or filled by [`begin`]. No other thread uses it meanwhile.
pub unsafe fn query(handle: TaskHandle) {
    let raw = handle.get().cast::<Pending>();
    if raw.is_null() {
        return;
    }
    // SAFETY: a handle that is not null owns a reference count (`begin`).
    let pending = unsafe { &*raw };
    let tries = IN_VAIN.replace(0);
    if pending.nap(LONGEST_NAP, tries) || pending.has_failed() {
        pending.complete();
        handle.set(std::ptr::null());
        remove(pending);
        // SAFETY: as above; the handle is gone.
        drop(unsafe { Arc::from_raw(raw) });
    } else {
        IN_VAIN.set(if tries < MOST_TRIES { tries + 1 } else { 0 });
    }
}

//! Constructs with `nowait` that the device still works on.
//!
//! Such a construct runs in a task of libomp's. The entry point queues the work and leaves a handle in the task; libomp
//! then does not complete the task but gives it to one of its helper threads again, which asks
//! [`__tgt_target_nowait_query`](crate::entry::registration) instead of running the task's code, and so on until the
//! handle is gone. A helper thus serves any number of constructs, none of which blocks it.
//!
//! Going round through libomp's queues costs tens of microseconds and wakes other helpers. So a helper first waits about
//! that long for its construct to end, and one that asks in vain naps until a construct ends, its own or one that
//! nobody waits for; though not long, as it may be needed to start others.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;

use plugin_api::Completion;

use crate::construct::context::Construct;
use crate::construct::device_work::DeviceWork;
use crate::device::omp_device::OmpDevice;
use crate::host_library::TaskHandle;
use crate::report::error::Result;
use crate::runtime::runtime;

/// How long a helper waits for the construct it has started: what it costs to have another one ask later.
const PATIENCE: Duration = Duration::from_micros(200);
/// How long one that asks in vain naps at the most.
const NAP: Duration = Duration::from_millis(1);
/// So often in succession a helper asks in vain without a nap because some construct has ended: it may have been asking
/// for others all the time, and takes the processor from the device.
const TRIES: u32 = 256;
/// How long the helpers may take, when a program ends, to ask for constructs that are over. They ask all the time; but the
/// thread that waits may be one of them.
const LAST_QUESTIONS: Duration = Duration::from_secs(1);

/// The constructs of one device.
#[derive(Default)]
pub struct InFlight {
    pending: Mutex<HashMap<usize, Arc<Pending>>>,
    emptied: Condvar,
}

impl InFlight {
    fn lock(&self) -> MutexGuard<'_, HashMap<usize, Arc<Pending>>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for all of them, and reports their errors: their code is about to go, and perhaps the program. libomp does
    /// not end while one of its tasks waits, but nobody asks for such a task any more once it has begun to.
    pub fn settle(&self) {
        let all: Vec<_> = self.lock().values().cloned().collect();
        all.iter().for_each(|pending| pending.settle());
        let pending = self.lock();
        drop(
            self.emptied
                .wait_timeout_while(pending, LAST_QUESTIONS, |pending| !pending.is_empty())
                .unwrap_or_else(PoisonError::into_inner),
        );
    }

    fn remove(&self, pending: &Pending) {
        let mut all = self.lock();
        all.remove(&pending.key());
        if all.is_empty() {
            self.emptied.notify_all();
        }
    }
}

/// One construct.
pub struct Pending {
    device: &'static OmpDevice,
    /// `None` when it is over.
    open: Mutex<Option<Open>>,
    /// Whether the device has done everything, or given up.
    ended: AtomicBool,
    /// Whether it is among [`Waiting::unsettled`]; changed with that locked.
    unsettled: AtomicBool,
}

struct Open {
    work: DeviceWork<'static>,
    construct: Construct,
}

/// Who waits for constructs, and who should.
struct Waiting {
    /// Helpers asleep, and the construct each would like to end.
    napping: Vec<(usize, Thread)>,
    /// Constructs that have ended while nobody waited for them: some helper will be asked for them next.
    unsettled: usize,
}

thread_local! {
    /// How often in succession this thread has asked in vain.
    static IN_VAIN: Cell<u32> = const { Cell::new(0) };
}

static WAITING: Mutex<Waiting> = Mutex::new(Waiting {
    napping: Vec::new(),
    unsettled: 0,
});

fn waiting() -> MutexGuard<'static, Waiting> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Tells of the end of a construct when the device has come to it, or when a failed stream drops what it has left.
struct Notice(Arc<Pending>);

impl Drop for Notice {
    fn drop(&mut self) {
        let key = self.0.key();
        let mut waiting = waiting();
        self.0.ended.store(true, Ordering::Release);
        let own = waiting.napping.iter().position(|(other, _)| *other == key);
        if own.is_none() {
            waiting.unsettled += 1;
            self.0.unsettled.store(true, Ordering::Relaxed);
        }
        // Any other helper is woken to look for the construct.
        let index = own.or_else(|| waiting.napping.len().checked_sub(1));
        let woken = index.map(|index| waiting.napping.swap_remove(index).1);
        drop(waiting);
        if let Some(thread) = woken {
            thread.unpark();
        }
    }
}

/// Queues what `body` does. If the device is not done with it then, the construct's task is left to wait.
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
        unsettled: AtomicBool::new(false),
    });
    let notice = Notice(pending.clone());
    let told = work.stream().call(Box::new(move || drop(notice)));
    if told.is_err() || pending.nap(PATIENCE, 0) {
        return work.complete(outcome);
    }
    *pending.lock() = Some(Open {
        work,
        construct: *construct,
    });
    let mut in_flight = device.in_flight.lock();
    if runtime().registry.is_empty() {
        // The program is ending (`InFlight::settle`).
        drop(in_flight);
        pending.settle();
        return outcome;
    }
    in_flight.insert(pending.key(), pending.clone());
    task.set(Arc::into_raw(pending).cast());
    outcome
}

impl Pending {
    fn key(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does what is left when the device is done, waiting for it if need be. Reports its errors.
    fn settle(&self) {
        // Held to the end: a second caller must not believe it is over earlier.
        let mut open = self.lock();
        let Some(Open {
            mut work,
            construct,
        }) = open.take()
        else {
            return;
        };
        let outcome = work.complete(Ok(()));
        self.collect(&mut waiting());
        if let Err(error) = outcome {
            construct.fail(&error, runtime(), self.device.number as i64);
        }
    }

    /// Whether the device is done; if so, nobody need look for the construct any more.
    fn collect(&self, waiting: &mut Waiting) -> bool {
        if self.unsettled.swap(false, Ordering::Relaxed) {
            waiting.unsettled -= 1;
        }
        self.ended.load(Ordering::Acquire)
    }

    /// Whether the device has failed in a way that nobody told of.
    fn has_failed(&self) -> bool {
        self.lock().as_mut().is_none_or(|open| open.work.is_done())
    }

    /// Whether the device is done, if need be after a nap of at most so long. `tries`: how often in succession
    /// this thread has asked in vain.
    fn nap(&self, at_most: Duration, tries: u32) -> bool {
        {
            let mut waiting = waiting();
            let ended = self.collect(&mut waiting);
            if ended || (waiting.unsettled > 0 && tries < TRIES) {
                return ended;
            }
            waiting.napping.push((self.key(), thread::current()));
        }
        thread::park_timeout(at_most);
        let mut waiting = waiting();
        let me = thread::current().id();
        waiting.napping.retain(|(_, thread)| thread.id() != me);
        self.collect(&mut waiting)
    }
}

/// Asks after the construct a task waits for; empties the task's handle if it is over.
///
/// # Safety
/// `handle` is a task's handle, filled by [`begin`] or null, that no other thread uses meanwhile.
pub unsafe fn query(handle: TaskHandle) {
    let raw = handle.get().cast::<Pending>();
    if raw.is_null() {
        return;
    }
    // SAFETY: a handle that is not null owns a count (`begin`).
    let pending = unsafe { &*raw };
    let tries = IN_VAIN.replace(0);
    if pending.nap(NAP, tries) || pending.has_failed() {
        pending.settle();
        handle.set(std::ptr::null());
        pending.device.in_flight.remove(pending);
        // SAFETY: as above, and nobody has the handle any more.
        drop(unsafe { Arc::from_raw(raw) });
    } else {
        IN_VAIN.set(if tries < TRIES { tries + 1 } else { 0 });
    }
}

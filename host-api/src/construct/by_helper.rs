//! Constructs with `nowait` that a helper thread of libomp does by itself.
//!
//! Where blocking streams are immediate, the thread that queues work does it: on the virtual GPU and on the host as a
//! device. A helper that does so needs no other thread. To hand the work to a thread of the device, and to be woken at
//! its end, takes tens of microseconds, many times as long as a small kernel. Where there is only one helper, it waits
//! for hardware, too.
//!
//! A helper at work cannot start another construct. So where there are more multiprocessors than helpers, one helper is
//! left to start constructs that the device's threads do ([`crate::construct::in_flight`]).

use parking_lot::{Condvar, Mutex};

use crate::device::omp_device::OmpDevice;
use crate::thread_number::ThreadNumber;

/// The helpers at work, each with the number of its device.
static AT_WORK: Mutex<Vec<(usize, ThreadNumber)>> = Mutex::new(Vec::new());
/// Signalled when a helper has done its work.
static DONE: Condvar = Condvar::new();

/// The calling thread, a helper at work. Dropped when its work is done.
pub struct AtWork {
    device: usize,
}

/// Lets the calling thread, one of `helpers`, do the work of a construct on `device` by itself. `None`: the device's
/// threads must do it.
pub fn begin(device: &OmpDevice, helpers: usize) -> plugin_api::Result<Option<AtWork>> {
    // A single helper does everything itself. libomp needs two to find a task that waits, wherever it is
    // ([`crate::host_library::search_whole_queues`]).
    if helpers > 1 && !device.streams.blocking_is_immediate(&device.device)? {
        return Ok(None);
    }
    let mut at_work = AT_WORK.lock();
    let kernels_at_once = device.device.info().multiprocessors as usize;
    let most = helpers.saturating_sub(1).max(1);
    if kernels_at_once > helpers && at_work.len() >= most {
        return Ok(None);
    }
    at_work.push((device.number, ThreadNumber::of_this_thread()));
    Ok(Some(AtWork {
        device: device.number,
    }))
}

impl Drop for AtWork {
    fn drop(&mut self) {
        let me = (self.device, ThreadNumber::of_this_thread());
        let mut at_work = AT_WORK.lock();
        if let Some(index) = at_work.iter().position(|each| *each == me) {
            at_work.swap_remove(index);
        }
        DONE.notify_all();
    }
}

/// Waits until no other thread is at work on `device`.
pub fn wait_for_all(device: &OmpDevice) {
    let me = ThreadNumber::of_this_thread();
    let any_other = |at_work: &mut Vec<(usize, ThreadNumber)>| {
        let mut all = at_work.iter();
        all.any(|(number, thread)| *number == device.number && *thread != me)
    };
    DONE.wait_while(&mut AT_WORK.lock(), any_other);
}

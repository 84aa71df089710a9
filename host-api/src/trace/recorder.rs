//! Keeps the events until the program ends.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::event::{Event, Recorded};
use super::summary::{DeviceState, Totals};
use super::{chrome, summary};
use crate::environment::Environment;
use crate::report::error::warn;

/// The one recorder of the process.
pub(super) struct Recorder {
    begin: Instant,
    /// The file of the timeline, if one is wanted, and the shortest span in it.
    timeline: Option<(PathBuf, Duration)>,
    events: Mutex<Vec<Recorded>>,
    totals: Option<Mutex<Totals>>,
    running: Mutex<Running>,
    finished: AtomicBool,
}

/// What has begun and not ended, by number.
#[derive(Default)]
struct Running {
    next: u64,
    events: BTreeMap<u64, Recorded>,
}

impl Recorder {
    pub(super) fn new(environment: &Environment) -> Recorder {
        let shortest = Duration::from_micros(environment.profile_granularity.unwrap_or(0).into());
        Recorder {
            begin: Instant::now(),
            timeline: environment
                .profile
                .clone()
                .map(|path| (path.into(), shortest)),
            events: Mutex::default(),
            totals: environment.summary.then(Mutex::default),
            running: Mutex::default(),
            finished: AtomicBool::new(false),
        }
    }

    /// Notes that an activity has begun, and returns its number.
    pub(super) fn begin(&self, event: &Event) -> u64 {
        let recorded = Recorded::here(event.clone());
        let mut running = self.running.lock();
        running.next += 1;
        let number = running.next;
        running.events.insert(number, recorded);
        number
    }

    /// Notes that it has ended.
    pub(super) fn end(&self, number: u64) {
        self.running.lock().events.remove(&number);
    }

    pub(super) fn record(&self, event: Event) {
        if let Some(totals) = &self.totals {
            totals.lock().add(&event);
        }
        if let Some((_, shortest)) = &self.timeline
            && event.end - event.begin >= *shortest
        {
            self.events.lock().push(Recorded::here(event));
        }
    }

    pub(super) fn finish(&self, devices: impl FnOnce() -> Vec<DeviceState>) {
        if self.finished.swap(true, Ordering::Relaxed) {
            return;
        }
        let mut running: Vec<_> = self.running.lock().events.values().cloned().collect();
        let now = Instant::now();
        running.iter_mut().for_each(|each| each.event.end = now);
        if let Some((path, _)) = &self.timeline {
            let mut events = self.events.lock();
            events.extend_from_slice(&running);
            if let Err(error) = chrome::write(path, self.begin, &events) {
                warn(&format_args!(
                    "LIBOMPTARGET_PROFILE: cannot write {}: {error}",
                    path.display()
                ));
            }
        }
        if let Some(totals) = &self.totals {
            let totals = totals.lock();
            eprint!("{}", summary::table(&totals, &running, &devices()));
        }
    }
}

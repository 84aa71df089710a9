//! Keeps the events until the program ends.

use std::path::PathBuf;
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
        }
    }

    pub(super) fn record(&self, event: Event) {
        if let Some(totals) = &self.totals {
            totals.lock().add(&event);
        }
        if let Some((_, shortest)) = &self.timeline
            && event.end - event.begin >= *shortest
        {
            // SAFETY: gettid has no preconditions.
            let thread = unsafe { libc::gettid() };
            let mut events = self.events.lock();
            events.push(Recorded { event, thread });
        }
    }

    pub(super) fn finish(&self, devices: impl FnOnce() -> Vec<DeviceState>) {
        if let Some((path, _)) = &self.timeline {
            let events = self.events.lock();
            if let Err(error) = chrome::write(path, self.begin, &events) {
                warn(&format_args!(
                    "LIBOMPTARGET_PROFILE: cannot write {}: {error}",
                    path.display()
                ));
            }
        }
        if let Some(totals) = &self.totals {
            let totals = totals.lock();
            eprint!("{}", summary::table(&totals, &devices()));
        }
    }
}

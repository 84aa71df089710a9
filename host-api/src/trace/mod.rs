//! Recording when things happened: kernels, copies, loads and the constructs they belong to. It serves
//! `LIBOMPTARGET_PROFILE` (a timeline) and `OMPTARGET_SUMMARY` (a table at the end).
//!
//! Without either variable a span costs one load of a flag.

mod chrome;
mod event;
mod interrupt;
mod recorder;
mod summary;

pub use event::Kind;
pub use summary::{DeviceState, StillMapped};

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::{Once, OnceLock};
use std::time::Instant;

use event::Event;
use parking_lot::Mutex;
use plugin_api::{Stage, Stream};
use recorder::Recorder;

use crate::environment::Environment;

static RECORDER: OnceLock<Recorder> = OnceLock::new();

thread_local! {
    /// Location of the construct that this thread is in.
    static LOCATION: RefCell<Option<Arc<str>>> = const { RefCell::new(None) };
}

/// Begins recording if the environment asks for it. The first call counts.
pub fn start(environment: &Environment) {
    if environment.profile.is_some() || environment.summary {
        RECORDER.get_or_init(|| Recorder::new(environment));
    }
}

/// Where something is recorded: calls `write` before a signal ends the process. The first call counts.
pub fn when_interrupted(write: fn()) {
    static WATCHED: Once = Once::new();
    if !is_on() {
        return;
    }
    WATCHED.call_once(|| {
        if let Err(error) = interrupt::watch(write) {
            log::warn!("an interrupted program will not write what was recorded: {error}");
        }
    });
}

/// Whether anything is recorded.
pub fn is_on() -> bool {
    RECORDER.get().is_some()
}

/// Location of the construct that the calling thread is in, if that is recorded.
pub fn location() -> Option<Arc<str>> {
    is_on()
        .then(|| LOCATION.with_borrow(Clone::clone))
        .flatten()
}

/// An activity that has begun. It ends when this is dropped.
#[must_use]
pub struct Span(Option<Open>);

struct Open {
    recorder: &'static Recorder,
    event: Event,
    /// Its number among the recorder's running activities.
    number: u64,
    /// The location of the enclosing construct, if this is a construct.
    outer: Option<Option<Arc<str>>>,
}

/// Begins a span. `name` is called only if spans are recorded.
pub fn span(kind: Kind, device: usize, bytes: u64, name: impl FnOnce() -> String) -> Span {
    let Some(recorder) = RECORDER.get() else {
        return Span(None);
    };
    let location = location().unwrap_or_default();
    Span(Some(open(recorder, kind, device, bytes, name(), location)))
}

/// Queues what `enqueue` adds to the stream, with a span from its begin to its end.
pub fn queued(
    stream: &dyn Stream,
    kind: Kind,
    device: usize,
    bytes: u64,
    name: impl FnOnce() -> String,
    enqueue: impl FnOnce(&dyn Stream) -> plugin_api::Result<()>,
) -> plugin_api::Result<()> {
    let recorder = RECORDER.get().filter(|_| !stream.is_immediate());
    let Some(recorder) = recorder else {
        let _span = span(kind, device, bytes, name);
        return enqueue(stream);
    };
    let (name, location) = (name(), location().unwrap_or_default());
    let span = Arc::new(Mutex::new(None));
    let begun = span.clone();
    stream.call(Box::new(move || {
        let open = open(recorder, kind, device, bytes, name, location);
        *begun.lock() = Some(Span(Some(open)));
    }))?;
    enqueue(stream)?;
    stream.call(Box::new(move || drop(span.lock().take())))
}

/// Records the stages of a load.
pub fn stages(device: usize, stages: &[Stage]) {
    let Some(recorder) = RECORDER.get() else {
        return;
    };
    let location = location().unwrap_or_default();
    for stage in stages {
        recorder.record(Event {
            kind: Kind::Stage,
            name: stage.name.into(),
            location: location.clone(),
            device,
            bytes: 0,
            begin: stage.begin,
            end: stage.end,
        });
    }
}

/// Begins the span of a construct. What the thread does until it ends belongs to the construct.
pub fn construct(device: usize, name: &'static str, location: impl FnOnce() -> String) -> Span {
    let Some(recorder) = RECORDER.get() else {
        return Span(None);
    };
    let location: Arc<str> = location().into();
    let outer = LOCATION.replace(Some(location.clone()));
    let event = open(recorder, Kind::Construct, device, 0, name.into(), location);
    Span(Some(Open {
        outer: Some(outer),
        ..event
    }))
}

fn open(
    recorder: &'static Recorder,
    kind: Kind,
    device: usize,
    bytes: u64,
    name: String,
    location: Arc<str>,
) -> Open {
    let now = Instant::now();
    let event = Event {
        kind,
        name: name.into(),
        location,
        device,
        bytes,
        begin: now,
        end: now,
    };
    Open {
        recorder,
        number: recorder.begin(&event),
        event,
        outer: None,
    }
}

impl Drop for Span {
    fn drop(&mut self) {
        let Some(mut open) = self.0.take() else {
            return;
        };
        open.event.end = Instant::now();
        if let Some(outer) = open.outer {
            LOCATION.set(outer);
        }
        open.recorder.end(open.number);
        open.recorder.record(open.event);
    }
}

/// Writes the timeline and the summary, once. `devices` is called only if there is a summary.
pub fn finish(devices: impl FnOnce() -> Vec<DeviceState>) {
    // The parent of a forked child writes what it recorded.
    if let Some(recorder) = RECORDER.get()
        && !crate::fork::happened()
    {
        recorder.finish(devices);
    }
}

//! What happened when: kernels, copies, loads and the constructs they belong to, for
//! `LIBOMPTARGET_PROFILE` (a timeline) and `OMPTARGET_SUMMARY` (a table at the end).
//!
//! With neither set, a span is one load of a flag.

mod chrome;
mod recorder;
mod summary;

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::OnceLock;
use std::time::Instant;

use plugin_api::Stage;
use recorder::Recorder;

use crate::environment::Environment;

/// What a span is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A construct of the program, with everything it does.
    Construct,
    /// A device image becoming a loaded module; includes compiling it if need be.
    Load,
    /// A part of that.
    Stage,
    /// A kernel.
    Kernel,
    /// A copy from the host to a device.
    ToDevice,
    /// A copy from a device to the host.
    ToHost,
    /// A copy from device memory to device memory.
    OnDevice,
}

/// Something that has ended.
#[derive(Clone, Debug)]
struct Event {
    kind: Kind,
    name: Arc<str>,
    /// Where the construct is that it belongs to; empty outside of constructs.
    location: Arc<str>,
    device: usize,
    bytes: u64,
    begin: Instant,
    end: Instant,
}

static RECORDER: OnceLock<Recorder> = OnceLock::new();

thread_local! {
    /// Where the construct is that this thread is in.
    static LOCATION: RefCell<Option<Arc<str>>> = const { RefCell::new(None) };
}

/// Begins recording if the environment asks for it. The first call counts.
pub fn start(environment: &Environment) {
    if environment.profile.is_some() || environment.summary {
        RECORDER.get_or_init(|| Recorder::new(environment));
    }
}

/// Whether anything is recorded.
pub fn is_on() -> bool {
    RECORDER.get().is_some()
}

/// Where the construct is that the calling thread is in, if that is recorded.
pub fn location() -> Option<Arc<str>> {
    is_on()
        .then(|| LOCATION.with_borrow(Clone::clone))
        .flatten()
}

/// Something that is going on; ends when dropped.
#[must_use]
pub struct Span(Option<Open>);

impl Span {
    /// Only now does it begin.
    pub fn begin_now(&mut self) {
        if let Some(open) = &mut self.0 {
            open.event.begin = Instant::now();
        }
    }
}

struct Open {
    recorder: &'static Recorder,
    event: Event,
    /// What the thread was in before, if this is a construct.
    outer: Option<Option<Arc<str>>>,
}

/// Begins a span. `name` is asked for only when somebody wants to know.
pub fn span(kind: Kind, device: usize, bytes: u64, name: impl FnOnce() -> String) -> Span {
    let Some(recorder) = RECORDER.get() else {
        return Span(None);
    };
    let location = location().unwrap_or_default();
    Span(Some(open(recorder, kind, device, bytes, name(), location)))
}

/// Records the parts of a load.
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

/// Begins the span of a construct; what the thread does until it ends belongs to it.
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
    Open {
        recorder,
        event: Event {
            kind,
            name: name.into(),
            location,
            device,
            bytes,
            begin: now,
            end: now,
        },
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
        open.recorder.record(open.event);
    }
}

/// Writes what was recorded: the last thing the library does, after the program's own destructors.
extern "C" fn finish() {
    // What the parent recorded, the parent writes.
    if let Some(recorder) = RECORDER.get()
        && !crate::fork::happened()
    {
        recorder.finish();
    }
}

#[used]
#[unsafe(link_section = ".fini_array")]
static FINISH: extern "C" fn() = finish;

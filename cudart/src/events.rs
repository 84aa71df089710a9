//! Events: points in streams, with the time at which the stream passed them.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use parking_lot::Mutex;
use plugin_api::{Event as DeviceEvent, Result as DeviceResult, Stream};

use crate::error::{Code, Result};
use crate::graph::capture::Part;
use crate::processes::event::SharedEvent;

/// A point in a stream.
#[derive(Clone)]
pub struct Point {
    /// The device's own event. `None`: the stream had passed it already.
    pub raw: Option<Arc<dyn DeviceEvent>>,
    /// The number of its device.
    pub device: usize,
    time: Arc<OnceLock<Instant>>,
}

impl Point {
    /// The point behind what is enqueued.
    pub fn record(stream: &dyn Stream, device: usize) -> DeviceResult<Point> {
        let time = Arc::new(OnceLock::new());
        let noted = time.clone();
        stream.call(Box::new(move || {
            // It is called once.
            let _ = noted.set(Instant::now());
        }))?;
        let raw = stream.record()?;
        Ok(Point { raw, device, time })
    }

    /// Whether the stream has passed it.
    pub fn has_happened(&self) -> DeviceResult<bool> {
        self.raw.as_ref().map_or(Ok(true), |raw| raw.has_happened())
    }

    /// Waits until the stream has passed it.
    pub fn synchronize(&self) -> DeviceResult<()> {
        self.raw.as_ref().map_or(Ok(()), |raw| raw.synchronize())
    }
}

/// An event of the program. Recording it again moves it.
pub struct Event {
    has_time: bool,
    /// What other processes see of it.
    pub shared: Option<Arc<SharedEvent>>,
    /// Where it is.
    pub place: Mutex<Place>,
}

/// Where an event is.
#[derive(Clone, Default)]
pub enum Place {
    /// Nothing has recorded it.
    #[default]
    Nowhere,
    /// In a stream.
    Stream(Point),
    /// Behind nodes of a graph that comes about.
    Graph(Part),
}

impl Event {
    /// An event that nothing has recorded.
    pub fn new(has_time: bool) -> Arc<Event> {
        Arc::new(Event {
            has_time,
            shared: None,
            place: Mutex::default(),
        })
    }

    /// An event of several processes.
    pub fn shared(shared: Arc<SharedEvent>) -> Arc<Event> {
        Arc::new(Event {
            has_time: false,
            shared: Some(shared),
            place: Mutex::default(),
        })
    }

    /// What other processes see of it, if one of them recorded it last.
    pub fn of_others(&self) -> Option<Arc<SharedEvent>> {
        let shared = self.shared.as_ref();
        shared.filter(|shared| !shared.is_own()).cloned()
    }

    /// Where it is in a stream; `None` if it was never recorded.
    pub fn point(&self) -> Result<Option<Point>> {
        match &*self.place.lock() {
            Place::Nowhere => Ok(None),
            Place::Stream(point) => Ok(Some(point.clone())),
            Place::Graph(part) => {
                part.capture.invalidate();
                Err(Code::CAPTURED_EVENT)
            }
        }
    }

    /// When the stream passed it.
    pub fn time(&self) -> Result<Instant> {
        let point = self.point()?.filter(|_| self.has_time);
        let point = point.ok_or(Code::INVALID_HANDLE)?;
        point.time.get().copied().ok_or(Code::NOT_READY)
    }
}

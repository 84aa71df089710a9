//! Streams that the device's own threads drain ([`StreamWorkers`]).
//!
//! A stream is *claimed* from its first command until none is left. A claimed stream waits in the workers' queue,
//! or a worker drains it, or it is parked at an event of another stream that has not completed. A parked stream
//! takes no thread. The event puts it back into the queue.

use std::any::Any;
use std::collections::VecDeque;
use std::mem::take;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use findings::{
    Finished, current_origin, host_learns, is_exclusive, known_to_host, set_exclusive, set_origin,
};
use parking_lot::{Condvar, Mutex};
use plugin_api::{Device, DevicePtr, Error, Event, Kernel, Launch, Result, Stream};

use crate::checker::Timeline;
use crate::host_access::host_shared;
use crate::stream_workers::StreamWorkers;

/// Whether launches wait for the ends of their kernels, and how long (`host_access::host_shared`).
static IS_PATIENT: AtomicBool = AtomicBool::new(true);
const A_WHILE: Duration = Duration::from_secs(2);

/// An operation on a device.
type Operation = Box<dyn FnOnce(&dyn Device) -> Result<()> + Send>;

enum Command {
    Run(Operation),
    Call(Box<dyn FnOnce() + Send>),
    Record(Arc<StreamEvent>),
    Wait(Arc<StreamEvent>),
}

/// The commands of one stream.
pub struct Queue {
    device: Arc<dyn Device>,
    workers: Arc<StreamWorkers>,
    state: Mutex<State>,
    idle: Condvar,
    /// Where races are looked for: what its work comes after.
    timeline: Option<Mutex<Timeline>>,
}

#[derive(Default)]
struct State {
    /// The commands, and what the host knew when it enqueued them.
    commands: VecDeque<(Command, Finished)>,
    /// Events that the stream has waited for since its last command.
    awaited: Vec<Arc<StreamEvent>>,
    claimed: bool,
    /// The first error. Nothing more runs until it has been reported.
    error: Option<Error>,
}

impl Queue {
    fn push(self: &Arc<Self>, command: Command) {
        let known = self.timeline.as_ref().map(|_| known_to_host());
        let mut state = self.state.lock();
        state
            .commands
            .push_back((command, known.unwrap_or_default()));
        if !std::mem::replace(&mut state.claimed, true) {
            drop(state);
            self.workers.submit(self.clone());
        }
    }

    /// Runs the commands, up to the last one or to an event that has not completed.
    pub fn drain(self: &Arc<Self>) {
        loop {
            let ((command, known), failed) = {
                let mut state = self.state.lock();
                let Some(command) = state.commands.pop_front() else {
                    state.claimed = false;
                    self.idle.notify_all();
                    return;
                };
                (command, state.error.is_some())
            };
            self.come_after(&known);
            match command {
                Command::Record(event) => {
                    event.complete(&self.workers, self.known());
                }
                Command::Wait(event) if !failed => {
                    if self.timeline.is_some() {
                        self.state.lock().awaited.push(event.clone());
                    }
                    if event.park(self) {
                        return;
                    }
                }
                Command::Run(operation) if !failed => {
                    self.with_timeline(Timeline::begin);
                    if let Err(error) = operation(&*self.device) {
                        self.state.lock().error = Some(error);
                    }
                    self.with_timeline(Timeline::end);
                }
                Command::Call(function) if !failed => self.call(function),
                Command::Run(_) | Command::Call(_) | Command::Wait(_) => {}
            }
        }
    }
}

/// The order of its work with that of other streams, where races are looked for.
impl Queue {
    fn with_timeline<T>(&self, act: impl FnOnce(&mut Timeline) -> T) -> Option<T> {
        Some(act(&mut self.timeline.as_ref()?.lock()))
    }

    /// The next command comes after what the host knew when it enqueued it, and after awaited events.
    fn come_after(&self, known: &Finished) {
        if self.timeline.is_none() {
            return;
        }
        let awaited = take(&mut self.state.lock().awaited);
        self.with_timeline(|timeline| {
            timeline.join(known);
            for event in awaited {
                timeline.join(&event.state.lock().known);
            }
        });
    }

    /// Waits for the end of a copy or a fill, if it uses memory that is watched.
    fn settle(&self, addresses: &[u64]) {
        if addresses
            .iter()
            .any(|&address| host_shared::is_watched(address))
        {
            self.wait_a_while();
        }
    }

    /// Waits until nothing is left to do. A kernel that waits for what the host does next is not waited for a second
    /// time.
    fn wait_a_while(&self) {
        if !IS_PATIENT.load(Ordering::Relaxed) {
            return;
        }
        let until = Instant::now() + A_WHILE;
        let mut state = self.state.lock();
        while state.claimed {
            if self.idle.wait_until(&mut state, until).timed_out() {
                IS_PATIENT.store(false, Ordering::Relaxed);
                return;
            }
        }
    }

    fn known(&self) -> Finished {
        self.with_timeline(|timeline| timeline.known().clone())
            .unwrap_or_default()
    }

    /// A function may tell the host that the work before it is complete, and may wait for other work.
    fn call(&self, function: Box<dyn FnOnce() + Send>) {
        if let Some(secret) = self.with_timeline(|timeline| timeline.secret()) {
            std::thread::sleep(secret);
            self.host_learns();
        }
        function();
        self.with_timeline(|timeline| timeline.join(&known_to_host()));
    }

    /// The host sees that all is complete.
    fn host_learns(&self) {
        self.with_timeline(|timeline| host_learns(timeline.known()));
    }
}

/// A stream.
pub struct VirtualStream(Arc<Queue>);

/// A host address that a worker uses on behalf of the thread that enqueued the command.
#[derive(Clone, Copy)]
struct SendPtr<T>(T);

// SAFETY: the contract of `Stream::write` and `Stream::read` keeps the memory valid for the stream.
unsafe impl<T> Send for SendPtr<T> {}

impl<T> SendPtr<T> {
    /// The address. A method, so that closures capture the whole wrapper.
    fn address(self) -> T {
        self.0
    }
}

impl VirtualStream {
    /// An empty stream of `device`. It has a timeline if races are looked for.
    pub fn new(
        device: Arc<dyn Device>,
        workers: Arc<StreamWorkers>,
        timeline: Option<Timeline>,
    ) -> VirtualStream {
        VirtualStream(Arc::new(Queue {
            device,
            workers,
            state: Mutex::default(),
            idle: Condvar::new(),
            timeline: timeline.map(Mutex::new),
        }))
    }

    fn enqueue(&self, operation: impl FnOnce(&dyn Device) -> Result<()> + Send + 'static) {
        let Some(origin) = current_origin() else {
            return self.0.push(Command::Run(Box::new(operation)));
        };
        let exclusive = is_exclusive();
        self.0.push(Command::Run(Box::new(move |device| {
            let _origin = set_origin(|| origin);
            let _exclusive = set_exclusive(exclusive);
            operation(device)
        })));
    }
}

impl Stream for VirtualStream {
    unsafe fn write(&self, dst: DevicePtr, src: *const u8, len: usize) -> Result<()> {
        let source = SendPtr(src);
        // SAFETY: the source stays readable until the copy is done (caller).
        self.enqueue(move |device| unsafe { device.write(dst, source.address(), len) });
        self.0.settle(&[src as u64, dst.0]);
        Ok(())
    }

    fn write_copied(&self, dst: DevicePtr, bytes: &[u8]) -> Result<()> {
        let bytes: Box<[u8]> = bytes.into();
        // SAFETY: a slice is readable for its length.
        self.enqueue(move |device| unsafe { device.write(dst, bytes.as_ptr(), bytes.len()) });
        self.0.settle(&[dst.0]);
        Ok(())
    }

    unsafe fn read(&self, dst: *mut u8, src: DevicePtr, len: usize) -> Result<()> {
        let destination = SendPtr(dst);
        // SAFETY: the destination stays writable until the copy is done (caller).
        self.enqueue(move |device| unsafe { device.read(destination.address(), src, len) });
        self.0.settle(&[dst as u64, src.0]);
        Ok(())
    }

    fn copy(&self, dst: DevicePtr, src: DevicePtr, len: usize) -> Result<()> {
        self.enqueue(move |device| device.copy(dst, src, len));
        self.0.settle(&[dst.0, src.0]);
        Ok(())
    }

    fn fill(&self, dst: DevicePtr, byte: u8, len: usize) -> Result<()> {
        self.enqueue(move |device| device.fill(dst, byte, len));
        self.0.settle(&[dst.0]);
        Ok(())
    }

    fn launch(&self, kernel: &Arc<dyn Kernel>, launch: &Launch<'_>) -> Result<()> {
        // Not on the stream's thread: what launches kernels on several streams may compile several at a time.
        kernel.prepare(launch)?;
        let kernel = kernel.clone();
        let args: Box<[u64]> = launch.args.into();
        let (grid, block, dynamic_shared) = (launch.grid, launch.block, launch.dynamic_shared);
        self.enqueue(move |_| {
            kernel.launch(&Launch {
                grid,
                block,
                dynamic_shared,
                cooperative: false,
                args: &args,
            })
        });
        if host_shared::is_there() {
            self.0.wait_a_while();
        }
        Ok(())
    }

    fn call(&self, function: Box<dyn FnOnce() + Send>) -> Result<()> {
        self.0.push(Command::Call(function));
        Ok(())
    }

    fn record(&self) -> Result<Option<Arc<dyn Event>>> {
        let event = Arc::new(StreamEvent::default());
        self.0.push(Command::Record(event.clone()));
        Ok(Some(event))
    }

    fn wait(&self, event: &Arc<dyn Event>) -> Result<()> {
        let any: Arc<dyn Any + Send + Sync> = event.clone();
        match any.downcast::<StreamEvent>() {
            Ok(event) => self.0.push(Command::Wait(event)),
            // The event belongs to another kind of device, so the stream cannot park at it.
            Err(_) => {
                let event = event.clone();
                // A failure is reported to whoever waits for that device. This stream continues
                // (`plugin_api::Event`).
                self.0.push(Command::Call(Box::new(move || {
                    if let Err(error) = event.synchronize() {
                        log::warn!("waiting for another device: {error}");
                    }
                })));
            }
        }
        Ok(())
    }

    fn query(&self) -> Result<bool> {
        let mut state = self.0.state.lock();
        let secret = || {
            self.0
                .with_timeline(|timeline| !timeline.secret().is_zero())
        };
        if state.claimed || secret() == Some(true) {
            return Ok(false);
        }
        self.0.host_learns();
        state.error.take().map_or(Ok(true), Err)
    }

    fn synchronize(&self) -> Result<()> {
        let mut state = self.0.state.lock();
        while state.claimed {
            self.0.idle.wait(&mut state);
        }
        self.0.host_learns();
        state.error.take().map_or(Ok(()), Err)
    }
}

/// A point in a stream.
#[derive(Default)]
struct StreamEvent {
    state: Mutex<EventState>,
    changed: Condvar,
}

#[derive(Default)]
struct EventState {
    completed: bool,
    /// Streams that continue when it completes.
    parked: Vec<Arc<Queue>>,
    /// What is complete then.
    known: Finished,
}

impl StreamEvent {
    fn complete(&self, workers: &Arc<StreamWorkers>, known: Finished) {
        let parked = {
            let mut state = self.state.lock();
            state.completed = true;
            state.known = known;
            take(&mut state.parked)
        };
        self.changed.notify_all();
        for queue in parked {
            workers.submit(queue);
        }
    }

    /// Parks `queue` until the event completes. Gives false if it has completed already.
    fn park(&self, queue: &Arc<Queue>) -> bool {
        let mut state = self.state.lock();
        if !state.completed {
            state.parked.push(queue.clone());
        }
        !state.completed
    }
}

impl Event for StreamEvent {
    fn has_happened(&self) -> Result<bool> {
        let state = self.state.lock();
        if state.completed {
            host_learns(&state.known);
        }
        Ok(state.completed)
    }

    fn synchronize(&self) -> Result<()> {
        let mut state = self.state.lock();
        while !state.completed {
            self.changed.wait(&mut state);
        }
        host_learns(&state.known);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;

    use plugin_api::{Completion, MemoryKind};

    use super::*;
    use crate::config::Config;
    use crate::device::VirtualGpu;

    fn device(multiprocessors: u32) -> Arc<dyn Device> {
        let config = Config {
            multiprocessors,
            ..Config::detect()
        };
        Arc::new(VirtualGpu::new(&config).unwrap())
    }

    fn stream(device: &Arc<dyn Device>) -> Box<dyn Stream> {
        device.clone().stream(Completion::Asynchronous).unwrap()
    }

    fn value(device: &dyn Device, at: DevicePtr) -> u64 {
        let mut bytes = [0; 8];
        // SAFETY: `bytes` is eight writable bytes.
        unsafe { device.read(bytes.as_mut_ptr(), at, 8) }.unwrap();
        u64::from_ne_bytes(bytes)
    }

    #[test]
    fn operations_happen_in_order() {
        let device = device(2);
        let place = device.alloc(16, MemoryKind::Device).unwrap();
        let stream = stream(&device);
        let (source, mut copy) = (7u64, 0u64);
        stream.fill(place, 0xff, 16).unwrap();
        // SAFETY: both variables live until the stream is synchronised.
        unsafe {
            stream.write(place, (&raw const source).cast(), 8).unwrap();
            stream.copy(place.offset(8), place, 8).unwrap();
            stream.write_copied(place, &[1; 8]).unwrap();
            stream
                .read((&raw mut copy).cast(), place.offset(8), 8)
                .unwrap();
        }
        stream.synchronize().unwrap();
        assert_eq!((copy, value(&*device, place)), (7, 0x0101_0101_0101_0101));
        assert!(stream.query().unwrap());
    }

    #[test]
    fn an_error_stops_the_stream_and_is_reported_once() {
        let device = device(1);
        let place = device.alloc(8, MemoryKind::Device).unwrap();
        let stream = stream(&device);
        let called = Arc::new(AtomicUsize::new(0));
        let count = called.clone();
        stream.fill(place, 1, 8).unwrap();
        stream.fill(DevicePtr(8), 0, 8).unwrap();
        stream.fill(place, 2, 8).unwrap();
        let function = move || {
            count.fetch_add(1, Ordering::Relaxed);
        };
        stream.call(Box::new(function)).unwrap();
        let event = stream.record().unwrap().unwrap();
        event.synchronize().unwrap();
        let error = stream.synchronize().unwrap_err();
        assert!(matches!(error, Error::InvalidAccess { what: "fill", .. }));
        stream.synchronize().unwrap();
        assert_eq!(value(&*device, place), 0x0101_0101_0101_0101);
        assert_eq!(called.load(Ordering::Relaxed), 0);
        stream.fill(place, 3, 8).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(value(&*device, place), 0x0303_0303_0303_0303);
    }

    /// One thread serves all streams. A stream that waits must not block the stream it waits for.
    #[test]
    fn a_stream_that_waits_takes_no_thread() {
        let device = device(1);
        let (first, streams) = (stream(&device), [(); 20].map(|()| stream(&device)));
        let (go, wait) = channel::<()>();
        let order = Arc::new(Mutex::new(Vec::new()));
        first.call(Box::new(move || wait.recv().unwrap())).unwrap();
        let mut event = first.record().unwrap().unwrap();
        // Each stream waits for the one before.
        for (index, stream) in streams.iter().enumerate() {
            stream.wait(&event).unwrap();
            let order = order.clone();
            stream
                .call(Box::new(move || order.lock().push(index)))
                .unwrap();
            event = stream.record().unwrap().unwrap();
        }
        assert!(!event.has_happened().unwrap() && !streams[19].query().unwrap());
        go.send(()).unwrap();
        event.synchronize().unwrap();
        streams
            .iter()
            .for_each(|stream| stream.synchronize().unwrap());
        assert_eq!(*order.lock(), (0..20).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_enqueued_is_done_after_the_stream_is_dropped() {
        let device = device(2);
        let (done, wait) = channel();
        let stream = stream(&device);
        stream
            .call(Box::new(move || done.send(1).unwrap()))
            .unwrap();
        drop((stream, device));
        assert_eq!(wait.recv(), Ok(1));
    }

    #[test]
    fn many_streams_from_many_threads() {
        let device = device(2);
        let total = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for round in 0..200u64 {
                        let place = device.alloc(8, MemoryKind::Device).unwrap();
                        let (one, two) = (stream(&device), stream(&device));
                        one.write_copied(place, &round.to_ne_bytes()).unwrap();
                        two.wait(&one.record().unwrap().unwrap()).unwrap();
                        let mut seen = 0u64;
                        // SAFETY: `seen` lives until the stream is synchronised.
                        unsafe { two.read((&raw mut seen).cast(), place, 8) }.unwrap();
                        two.synchronize().unwrap();
                        total.fetch_add(usize::from(seen == round), Ordering::Relaxed);
                        device.free(place).unwrap();
                    }
                });
            }
        });
        assert_eq!(total.into_inner(), 800);
    }
}

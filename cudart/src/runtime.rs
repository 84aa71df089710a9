//! The state of the process: its devices, what is registered, the current device of each thread.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use device_families::{Absence, VARIABLE, families, names, unknown};
use log::{Level, LevelFilter, Log, Metadata, Record};
use parking_lot::Mutex;
use plugin_api::DevicePtr;

use crate::allocations::{Allocation, Allocations};
use crate::cuda_device::CudaDevice;
use crate::error::{Code, Result, report};
use crate::events::{Event, Point};
use crate::front::front;
use crate::graph::Graph;
use crate::graph::executable::Executable;
use crate::graph::memory::GraphMemories;
use crate::handles::Handles;
use crate::own_stream::OwnStream;
use crate::pools::{Pool, Pooled};
use crate::registry::Registry;
use crate::streams::{Role, Stream};
use crate::texture::array::Array;
use crate::texture::object::Object;

/// The state of the process.
#[derive(Default)]
pub struct Runtime {
    devices: OnceLock<Vec<Arc<CudaDevice>>>,
    /// Fat binaries, kernels and variables.
    pub registry: Registry,
    /// Memory that the program allocated.
    pub allocations: Allocations,
    /// The device variables whose addresses were asked for.
    pub variables: Allocations,
    /// Streams.
    pub streams: Handles<OwnStream>,
    /// Events.
    pub events: Handles<Arc<Event>>,
    /// Graphs.
    pub graphs: Handles<Arc<Graph>>,
    /// Graphs that can be launched.
    pub executables: Handles<Arc<Executable>>,
    /// Memory of graphs.
    pub graph_memory: GraphMemories,
    /// Host memory of the program that it registered.
    pub registered: Allocations,
    /// Memory that the program mapped by itself.
    pub mapped: Allocations,
    /// Pools of memory, by their handles.
    pub pools: Handles<Arc<Pool>>,
    /// The pool of each block that came from one.
    pub pooled: Pooled,
    /// Arrays.
    pub arrays: Handles<Arc<Array>>,
    /// Texture and surface objects, by the addresses of their descriptors.
    pub objects: Mutex<HashMap<u64, Object>>,
    /// What is freed when a stream has passed it.
    pub deferred: Mutex<Vec<(Point, Allocation)>>,
}

/// The runtime of this process.
pub fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        // A program that has this library as a Rust crate may have a logger.
        if log::set_logger(&Logger).is_ok() {
            log::set_max_level(LevelFilter::Warn);
        }
        findings::summarise_at_exit();
        Runtime::default()
    })
}

/// Shows the warnings of the plugins.
struct Logger;

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= Level::Warn
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            report("warning", record.args());
        }
    }

    fn flush(&self) {}
}

thread_local! {
    /// The current context. The first call that needs one makes it the first device's.
    static CURRENT: RefCell<Option<Arc<CudaDevice>>> = const { RefCell::new(None) };
    /// `cudaStreamPerThread` of each context.
    static OF_THREAD: RefCell<HashMap<u64, Arc<Stream>>> = RefCell::default();
}

/// Handles of the default streams.
const DEFAULT: usize = 0;
const LEGACY: usize = 1;
const PER_THREAD: usize = 2;

impl Runtime {
    /// The devices, in the order of their numbers: NVIDIA's GPUs, else virtual ones.
    pub fn devices(&self) -> &[Arc<CudaDevice>] {
        self.devices.get_or_init(find)
    }

    /// The devices, if somebody has asked for them.
    pub fn devices_found(&self) -> &[Arc<CudaDevice>] {
        self.devices.get().map_or(&[], Vec::as_slice)
    }

    /// A device by its number.
    pub fn device_numbered(&self, number: i32) -> Result<&Arc<CudaDevice>> {
        let index = usize::try_from(number).map_err(|_| Code::INVALID_DEVICE)?;
        self.devices().get(index).ok_or(Code::INVALID_DEVICE)
    }

    /// The current device of this thread.
    pub fn device(&self) -> Result<Arc<CudaDevice>> {
        if let Some(device) = self.context() {
            return Ok(device);
        }
        let first = self.devices().first().ok_or(Code::NO_DEVICE)?;
        self.set_context(Some(first.clone()));
        Ok(first.clone())
    }

    /// The context that this thread has chosen: a device, or another context of one.
    pub fn context(&self) -> Option<Arc<CudaDevice>> {
        // What a program does when a thread ends may come after the end of this variable.
        let current = CURRENT.try_with(|current| current.borrow().clone());
        current.ok().flatten()
    }

    /// Chooses the context of this thread, and gives the one before.
    pub fn set_context(&self, context: Option<Arc<CudaDevice>>) -> Option<Arc<CudaDevice>> {
        let before = CURRENT.try_with(|current| current.replace(context));
        before.ok().flatten()
    }

    /// The failure of the current device, if the program has used one.
    pub fn failure(&self) -> Result<()> {
        let first = || self.devices_found().first().cloned();
        let device = self.context().or_else(first);
        device.map_or(Ok(()), |device| device.check())
    }

    /// Chooses the current device of this thread.
    pub fn set_device(&self, number: i32) -> Result<()> {
        let device = self.device_numbered(number)?.clone();
        self.set_context(Some(device));
        Ok(())
    }

    /// The stream of a handle, with its device.
    pub fn stream(&self, handle: usize) -> Result<OwnStream> {
        if handle > PER_THREAD {
            return self.streams.get(handle).ok_or(Code::INVALID_HANDLE);
        }
        let device = self.device()?;
        let stream = match handle {
            DEFAULT | LEGACY => device.default_stream()?,
            _ => {
                let own =
                    OF_THREAD.try_with(|streams| of_thread(&mut streams.borrow_mut(), &device));
                own.unwrap_or(Err(Code::INVALID_HANDLE))?
            }
        };
        Ok(OwnStream { device, stream })
    }

    /// The stream of a handle, unless it is the default stream.
    pub fn own_stream(&self, handle: usize) -> Result<OwnStream> {
        match handle {
            DEFAULT | LEGACY => Err(Code::CAPTURE_UNSUPPORTED),
            _ => self.stream(handle),
        }
    }

    /// Frees everything of a context.
    pub fn reset(&self, device: &CudaDevice) -> Result<()> {
        device.reset();
        self.forget_streams(device);
        self.variables.take_of(device.id);
        for registered in self.registered.take_of(device.id) {
            let ended = device.raw.unregister_host(registered.begin);
            ended.map_err(device.failed())?;
        }
        let allocations = self.allocations.take_of(device.id).into_iter();
        let memory = allocations.map(|allocation| allocation.begin);
        for begin in memory.chain(self.forget_arrays(device)) {
            let freed = device.raw.free(DevicePtr(begin));
            freed.map_err(device.failed())?;
        }
        device.check()
    }

    /// Forgets the streams of a context.
    pub fn forget_streams(&self, device: &CudaDevice) {
        let is_here = |own: &OwnStream| own.device.id == device.id;
        self.streams.remove_all(is_here);
        // As above: it may be gone.
        let _ = OF_THREAD.try_with(|streams| streams.borrow_mut().remove(&device.id));
    }

    /// Forgets the arrays, textures and surfaces of a device; gives the descriptors of the latter.
    pub fn forget_arrays(&self, device: &CudaDevice) -> Vec<u64> {
        let number = device.number;
        self.arrays.remove_all(|array| array.device == number);
        let mut objects = self.objects.lock();
        let taken = objects.extract_if(|_, object| object.device == number);
        taken.map(|(address, _)| address).collect()
    }

    /// The memory or variable that has this address in it.
    pub fn find(&self, address: u64) -> Option<Allocation> {
        let allocated = self.allocations.find(address);
        let allocated = allocated.or_else(|| self.variables.find(address));
        let allocated = allocated.or_else(|| self.mapped.find(address));
        allocated.or_else(|| self.registered.find(address))
    }

    /// The event of a handle.
    pub fn event(&self, handle: usize) -> Result<Arc<Event>> {
        self.events.get(handle).ok_or(Code::INVALID_HANDLE)
    }
}

/// The default stream of a thread in a context.
fn of_thread(streams: &mut HashMap<u64, Arc<Stream>>, device: &CudaDevice) -> Result<Arc<Stream>> {
    if let Some(stream) = streams.get(&device.id) {
        return Ok(stream.clone());
    }
    let stream = device.stream(Role::Ordered)?;
    streams.insert(device.id, stream.clone());
    Ok(stream)
}

/// The devices that `OMPTARGET_DEVICES` allows.
fn find() -> Vec<Arc<CudaDevice>> {
    let wanted = names(&std::env::var(VARIABLE).unwrap_or_default());
    if let Some(complaint) = unknown(&wanted) {
        report("no device", &complaint);
        return Vec::new();
    }
    let mut found = Vec::new();
    for family in families(&wanted) {
        if !front().families.contains(&family.name()) || family.stands_in() && !found.is_empty() {
            continue;
        }
        let absence = |absence: &Absence| {
            if let Absence::Unusual(why) = absence {
                report("warning", why);
            }
        };
        if let Ok(opened) = family.open(absence) {
            found.extend(opened.plugin.devices());
        }
    }
    let numbered = found.into_iter().enumerate();
    numbered
        .map(|(number, raw)| Arc::new(CudaDevice::new(number, raw)))
        .collect()
}

//! The state of the process: its devices, what is registered, the current device of each thread.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use device_families::{Absence, VARIABLE, families, names, unknown};
use log::{Level, LevelFilter, Log, Metadata, Record};
use parking_lot::Mutex;

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
    static CURRENT: Cell<usize> = const { Cell::new(0) };
    /// `cudaStreamPerThread` of each device.
    static OF_THREAD: RefCell<HashMap<usize, Arc<Stream>>> = RefCell::default();
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
    pub fn device(&self) -> Result<&Arc<CudaDevice>> {
        self.devices().get(CURRENT.get()).ok_or(Code::NO_DEVICE)
    }

    /// The failure of the current device, if the program has used one.
    pub fn failure(&self) -> Result<()> {
        let device = self.devices_found().get(CURRENT.get());
        device.map_or(Ok(()), |device| device.check())
    }

    /// Chooses the current device of this thread.
    pub fn set_device(&self, number: i32) -> Result<()> {
        CURRENT.set(self.device_numbered(number)?.number);
        Ok(())
    }

    /// The stream of a handle, with its device.
    pub fn stream(&self, handle: usize) -> Result<OwnStream> {
        if handle > PER_THREAD {
            return self.streams.get(handle).ok_or(Code::INVALID_HANDLE);
        }
        let device = self.device()?.clone();
        let stream = match handle {
            DEFAULT | LEGACY => device.default_stream()?,
            _ => OF_THREAD.with_borrow_mut(|streams| match streams.get(&device.number) {
                Some(stream) => Ok(stream.clone()),
                None => {
                    let stream = device.stream(Role::Ordered)?;
                    streams.insert(device.number, stream.clone());
                    Ok(stream)
                }
            })?,
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

    /// Forgets the streams of a device.
    pub fn forget_streams(&self, device: &CudaDevice) {
        let is_here = |own: &OwnStream| own.device.number == device.number;
        self.streams.remove_all(is_here);
        OF_THREAD.with_borrow_mut(|streams| streams.remove(&device.number));
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
        allocated.or_else(|| self.registered.find(address))
    }

    /// The event of a handle.
    pub fn event(&self, handle: usize) -> Result<Arc<Event>> {
        self.events.get(handle).ok_or(Code::INVALID_HANDLE)
    }
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

//! A device as CUDA programs see it: modules, streams, and the failure that it does not survive.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use plugin_api::{
    Completion, Device, Error as DeviceError, Global, Kernel, Launch, LoadOptions, Module,
    Result as DeviceResult, preferred_image,
};

use crate::error::{Code, Result, report};
use crate::graph::operation::{HostCall, Operation, OwnedLaunch};
use crate::graph::recorder::Recorder;
use crate::registry::{BinaryId, FatBinary, Registry, Symbol};
use crate::streams::{Role, Stream};

/// Shared memory that a block gets without `cudaFuncSetAttribute`, as on every NVIDIA GPU.
const USUAL_SHARED: u32 = 48 << 10;

/// What `cudaDeviceGetLimit` says before a program sets limits: of the stack, `printf`, the heap, launches by kernels,
/// and the cache (`cudaLimit`).
const USUAL_LIMITS: [usize; 7] = [1024, 1 << 20, 8 << 20, 2, 2048, 64, 0];

/// A kernel on a device.
pub struct LoadedKernel {
    /// The device's own.
    pub raw: Arc<dyn Kernel>,
    /// Most dynamic shared memory that a launch may ask for.
    pub max_dynamic: AtomicU32,
    /// The compute capability that its image was compiled for: what `__CUDA_ARCH__` was.
    pub compiled_for: (i32, i32),
}

/// Why a fat binary cannot be loaded.
#[derive(Debug)]
pub struct LoadFailure {
    /// The code.
    pub code: Code,
    /// The reason, if the code does not say it.
    pub why: String,
}

impl From<Code> for LoadFailure {
    fn from(code: Code) -> LoadFailure {
        LoadFailure {
            code,
            why: String::new(),
        }
    }
}

/// Kernels by their names, each with the fat binary that has it.
type Kernels = HashMap<Arc<str>, (BinaryId, Arc<LoadedKernel>)>;

/// A device, in one of its contexts. The runtime's interface knows one for each device, the driver's may have more.
pub struct CudaDevice {
    /// The context's number. None is ever used twice.
    pub id: u64,
    /// The device's number.
    pub number: usize,
    /// The plugin's device.
    pub raw: Arc<dyn Device>,
    modules: Mutex<HashMap<BinaryId, Arc<dyn Module>>>,
    kernels: Mutex<Kernels>,
    /// The default stream, once there is one.
    default: Mutex<Option<Arc<Stream>>>,
    /// The streams in use, and those destroyed whose work may go on.
    streams: Mutex<Vec<Weak<Stream>>>,
    destroyed: Mutex<Vec<Arc<Stream>>>,
    /// Held while work is enqueued that other streams may have to wait for.
    order: Mutex<()>,
    /// Its own pool of memory, and the one that it uses: their handles.
    pub pools: Mutex<(usize, usize)>,
    /// The devices whose memory its kernels may access (`cudaDeviceEnablePeerAccess`), by number.
    pub peers: Mutex<HashSet<usize>>,
    /// `cudaDeviceSetLimit`: what the program wishes. The devices have no such limits.
    pub limits: Mutex<[usize; 7]>,
    /// Why a kernel failed. From then on every call fails so, until the device is reset.
    failure: Mutex<Option<Code>>,
}

impl CudaDevice {
    /// A device on which nothing is loaded.
    pub fn new(number: usize, raw: Arc<dyn Device>) -> CudaDevice {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        CudaDevice {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            number,
            raw,
            modules: Mutex::default(),
            kernels: Mutex::default(),
            default: Mutex::default(),
            streams: Mutex::default(),
            destroyed: Mutex::default(),
            order: Mutex::default(),
            pools: Mutex::default(),
            peers: Mutex::default(),
            limits: Mutex::new(USUAL_LIMITS),
            failure: Mutex::default(),
        }
    }

    /// The failure of an earlier kernel.
    pub fn check(&self) -> Result<()> {
        self.failure.lock().map_or(Ok(()), Err)
    }

    /// Has every later call fail.
    pub fn fail(&self, code: Code) {
        *self.failure.lock() = Some(code);
    }

    /// An error of the device as a code. The first failure of a kernel is told to the user.
    pub fn code(&self, error: &DeviceError) -> Code {
        let code = Code::of(error);
        if matches!(error, DeviceError::Fault(_) | DeviceError::Lost { .. }) {
            let mut failure = self.failure.lock();
            if failure.is_none() {
                report("a kernel failed", error);
                *failure = Some(code);
            }
        }
        code
    }

    /// For `map_err`.
    pub fn failed(&self) -> impl Fn(DeviceError) -> Code {
        |error| self.code(&error)
    }

    /// The module of a fat binary; the first use loads it.
    fn module(&self, registry: &Registry, id: BinaryId) -> Result<Arc<dyn Module>> {
        let module = self.load(registry, id);
        module.map_err(|failure| {
            if !failure.why.is_empty() {
                report("a fat binary of the program cannot be loaded", &failure.why);
            }
            failure.code
        })
    }

    /// The same. A failure comes with its reason.
    pub fn load(
        &self,
        registry: &Registry,
        id: BinaryId,
    ) -> std::result::Result<Arc<dyn Module>, LoadFailure> {
        let mut modules = self.modules.lock();
        if let Some(module) = modules.get(&id) {
            return Ok(module.clone());
        }
        let binary = registry.binary(id)?;
        let module = self.load_binary(&binary)?;
        self.set_managed(&*module, registry, id)?;
        modules.insert(id, module.clone());
        Ok(module)
    }

    /// Has the managed variables of a module point to their memory.
    fn set_managed(&self, module: &dyn Module, registry: &Registry, id: BinaryId) -> Result<()> {
        for (memory, symbol) in registry.managed(id) {
            // A variable that no kernel uses is not in the image.
            let Some(global) = module.global(&symbol.name) else {
                continue;
            };
            let bytes = memory.to_ne_bytes();
            // SAFETY: the bytes are readable.
            let written = unsafe { self.raw.write(global.address, bytes.as_ptr(), bytes.len()) };
            written.map_err(self.failed())?;
        }
        Ok(())
    }

    fn load_binary(&self, binary: &FatBinary) -> std::result::Result<Arc<dyn Module>, LoadFailure> {
        let images = binary.images().map_err(|error| LoadFailure {
            code: Code::INVALID_IMAGE,
            why: error.to_string(),
        })?;
        let Some(image) = preferred_image(&*self.raw, images.iter().cloned()) else {
            let refused = images.iter().filter_map(|image| self.raw.refusal(image));
            let reasons: Vec<_> = refused.map(|why| format!("the image is {why}")).collect();
            return Err(LoadFailure {
                code: Code::NO_IMAGE,
                why: reasons.join("; "),
            });
        };
        let loaded = self.raw.load(&image, &LoadOptions::default());
        loaded.map_err(|error| LoadFailure {
            code: self.code(&error),
            why: error.to_string(),
        })
    }

    /// A kernel that the program registered.
    pub fn kernel(&self, registry: &Registry, symbol: &Symbol) -> Result<Arc<LoadedKernel>> {
        let known = |kernels: &Kernels| {
            let (binary, kernel) = kernels.get(&symbol.name)?;
            (*binary == symbol.binary).then(|| kernel.clone())
        };
        if let Some(kernel) = known(&self.kernels.lock()) {
            return Ok(kernel);
        }
        let module = self.module(registry, symbol.binary)?;
        let raw = module.kernel(&symbol.name).ok_or(Code::INVALID_FUNCTION)?;
        let fixed = raw.info().static_shared;
        let largest = USUAL_SHARED.min(self.raw.info().max_shared_memory);
        let kernel = Arc::new(LoadedKernel {
            raw,
            max_dynamic: AtomicU32::new(largest.saturating_sub(fixed)),
            compiled_for: self.compiled_for(registry, symbol.binary),
        });
        let mut kernels = self.kernels.lock();
        if let Some(kernel) = known(&kernels) {
            return Ok(kernel);
        }
        kernels.insert(symbol.name.clone(), (symbol.binary, kernel.clone()));
        Ok(kernel)
    }

    /// The compute capability that a loaded fat binary was compiled for; the device's own if it does not say.
    fn compiled_for(&self, registry: &Registry, id: BinaryId) -> (i32, i32) {
        let of_image = || {
            let binary = registry.binary(id).ok()?;
            let images = binary.images().ok()?;
            capability_of(preferred_image(&*self.raw, images.iter().cloned())?.arch)
        };
        of_image().unwrap_or_else(|| self.capability())
    }

    /// A variable that the program registered.
    pub fn variable(&self, registry: &Registry, symbol: &Symbol) -> Result<Global> {
        let module = self.module(registry, symbol.binary)?;
        module.global(&symbol.name).ok_or(Code::INVALID_SYMBOL)
    }

    /// Unloads a fat binary.
    pub fn unload(&self, id: BinaryId) {
        self.kernels.lock().retain(|_, (binary, _)| *binary != id);
        self.modules.lock().remove(&id);
    }

    /// A new stream.
    pub fn stream(&self, role: Role) -> Result<Arc<Stream>> {
        self.check()?;
        let raw = self.raw.clone().stream(Completion::Asynchronous);
        let stream = Stream::new(raw.map_err(self.failed())?, role);
        let mut streams = self.streams.lock();
        streams.retain(|stream| stream.strong_count() != 0);
        streams.push(Arc::downgrade(&stream));
        Ok(stream)
    }

    /// The default stream.
    pub fn default_stream(&self) -> Result<Arc<Stream>> {
        let mut default = self.default.lock();
        if let Some(stream) = &*default {
            return Ok(stream.clone());
        }
        Ok(default.insert(self.stream(Role::Default)?).clone())
    }

    /// Keeps a stream that the program destroys until its work is done.
    pub fn destroy(&self, stream: Arc<Stream>) {
        let mut destroyed = self.destroyed.lock();
        destroyed.push(stream);
        destroyed.retain(|stream| match stream.raw.query() {
            Ok(done) => !done,
            Err(error) => {
                self.code(&error);
                false
            }
        });
    }

    /// The streams that there are.
    pub fn streams(&self) -> Vec<Arc<Stream>> {
        let streams = self.streams.lock();
        streams.iter().filter_map(Weak::upgrade).collect()
    }

    /// Has a stream wait for the streams that it is ordered with.
    fn order(&self, stream: &Stream) -> DeviceResult<()> {
        match stream.role {
            Role::Independent => Ok(()),
            Role::Ordered => {
                let default = self.default.lock().clone();
                default.map_or(Ok(()), |default| stream.wait_for(&default))
            }
            Role::Default => {
                let streams = self.streams();
                let mut ordered = streams.iter().filter(|other| other.role == Role::Ordered);
                ordered.try_for_each(|other| stream.wait_for(other))
            }
        }
    }

    /// Enqueues work on a stream, in the order that CUDA's streams have.
    pub fn enqueue<R>(
        &self,
        stream: &Stream,
        work: impl FnOnce(&dyn plugin_api::Stream) -> DeviceResult<R>,
    ) -> Result<R> {
        self.check()?;
        if let Some(part) = &mut *stream.capture.lock() {
            let (result, operations) = Recorder::record(work).map_err(|error| {
                part.capture.invalidate();
                report("a stream cannot be captured", &error);
                Code::CAPTURE_UNSUPPORTED
            })?;
            part.add_operations(operations)?;
            return Ok(result);
        }
        self.awaits_no_capture(stream)?;
        let _order = self.order.lock();
        stream.gets_work();
        let enqueued = self.order(stream).and_then(|()| work(&*stream.raw));
        enqueued.map_err(self.failed())
    }

    /// Enqueues a kernel, whose handle the program may ask a graph for.
    pub fn enqueue_kernel(
        &self,
        stream: &Stream,
        function: usize,
        kernel: &Arc<dyn Kernel>,
        launch: &Launch<'_>,
    ) -> Result<()> {
        self.check()?;
        if let Some(part) = &mut *stream.capture.lock() {
            let launch = OwnedLaunch::new(kernel, launch).of_function(function);
            return part.add_operations(vec![Operation::Launch(launch)]);
        }
        self.enqueue(stream, |stream| stream.launch(kernel, launch))
    }

    /// Enqueues a call of a function of the host. The function must not use the device.
    pub fn enqueue_call(&self, stream: &Stream, function: HostCall) -> Result<()> {
        if let Some(part) = &mut *stream.capture.lock() {
            return part.add_operations(vec![Operation::Call(function)]);
        }
        self.enqueue(stream, |stream| stream.call(Box::new(move || function())))
    }

    /// Refuses to look at a stream whose work only becomes a graph.
    fn not_captured(stream: &Stream) -> Result<()> {
        match &*stream.capture.lock() {
            Some(part) => {
                part.capture.invalidate();
                Err(Code::CAPTURE_UNSUPPORTED)
            }
            None => Ok(()),
        }
    }

    /// Refuses what would have the default stream wait for a captured one, whose capture that ends.
    fn awaits_no_capture(&self, stream: &Stream) -> Result<()> {
        if stream.role != Role::Default {
            return Ok(());
        }
        for other in self.streams() {
            if other.role == Role::Ordered
                && let Some(part) = &*other.capture.lock()
            {
                part.capture.invalidate();
                return Err(Code::STREAM_CAPTURE_IMPLICIT);
            }
        }
        Ok(())
    }

    /// The streams whose work counts as that of a stream: for the default one, those that it is ordered with, too.
    fn with_ordered(&self, stream: &Arc<Stream>) -> Vec<Arc<Stream>> {
        let mut all = vec![stream.clone()];
        if stream.role == Role::Default {
            let others = self.streams().into_iter();
            all.extend(others.filter(|other| other.role == Role::Ordered));
        }
        all
    }

    /// Waits for a stream.
    pub fn synchronize(&self, stream: &Arc<Stream>) -> Result<()> {
        self.check()?;
        Self::not_captured(stream)?;
        self.awaits_no_capture(stream)?;
        for stream in self.with_ordered(stream) {
            stream.raw.synchronize().map_err(self.failed())?;
        }
        self.check()
    }

    /// Whether a stream has nothing left to do.
    pub fn query(&self, stream: &Arc<Stream>) -> Result<()> {
        self.check()?;
        Self::not_captured(stream)?;
        self.awaits_no_capture(stream)?;
        for stream in self.with_ordered(stream) {
            if !stream.raw.query().map_err(self.failed())? {
                return Err(Code::NOT_READY);
            }
        }
        self.check()
    }

    /// Waits for every stream.
    pub fn synchronize_all(&self) -> Result<()> {
        self.check()?;
        let destroyed = std::mem::take(&mut *self.destroyed.lock());
        for stream in self.streams() {
            stream.raw.synchronize().map_err(self.failed())?;
        }
        drop(destroyed);
        self.check()
    }

    /// Forgets everything that the program did with the device.
    pub fn reset(&self) {
        for stream in self.streams() {
            if let Err(error) = stream.raw.synchronize() {
                self.code(&error);
            }
        }
        *self.default.lock() = None;
        *self.limits.lock() = USUAL_LIMITS;
        self.peers.lock().clear();
        self.destroyed.lock().clear();
        self.kernels.lock().clear();
        self.modules.lock().clear();
        *self.failure.lock() = None;
    }

    /// Compute capability: what the GPU's architecture says. The virtual GPU runs what sm_80 does.
    pub fn capability(&self) -> (i32, i32) {
        capability_of(&self.raw.info().arch).unwrap_or((8, 0))
    }

    /// Most shared memory of a block without `cudaFuncSetAttribute`.
    pub fn usual_shared(&self) -> u32 {
        USUAL_SHARED.min(self.raw.info().max_shared_memory)
    }
}

/// The compute capability of an architecture such as `sm_90a`.
fn capability_of(architecture: &str) -> Option<(i32, i32)> {
    let digits = architecture.strip_prefix("sm_")?;
    let number = digits.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    let number: i32 = number.parse().ok()?;
    Some((number / 10, number % 10))
}

impl LoadedKernel {
    /// Most dynamic shared memory that a launch may ask for.
    pub fn max_dynamic(&self) -> u32 {
        self.max_dynamic.load(Ordering::Relaxed)
    }
}

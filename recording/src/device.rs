//! Devices that record a launch.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use device_image::Image;
use parking_lot::{Mutex, MutexGuard};
use plugin_api::{
    Completion, Counters, Device, DeviceInfo, DevicePtr, Error, Global, ImmediateStream, Kernel,
    KernelInfo, Launch, LoadOptions, MemoryKind, Module, Result, Stream,
};

use crate::block::Block;
use crate::file::{Area, ImageFormat, Place, Recording};

/// The block's share of the device's memory, unless its size is requested.
const BLOCK_SHARE: u64 = 4;

/// What to record.
#[derive(Clone, Debug)]
pub struct Request {
    /// The folder to write to.
    pub folder: PathBuf,
    /// Part of the kernel's name. Empty: any kernel.
    pub kernel: String,
    /// Which launch of matching kernels, from 1.
    pub launch: u64,
    /// Bytes of device memory to allocate from. `None`: a quarter of the device's.
    pub memory: Option<u64>,
}

/// Records one launch on the devices that it wraps.
pub struct Recorder {
    request: Request,
    /// Launches of matching kernels so far.
    launches: AtomicU64,
    log: fn(String),
}

impl Recorder {
    /// A recorder for `request`. Messages go to `log`.
    pub fn new(request: Request, log: fn(String)) -> Arc<Recorder> {
        Arc::new(Recorder {
            request,
            launches: AtomicU64::new(0),
            log,
        })
    }

    /// Wraps `device`.
    pub fn device(self: &Arc<Self>, device: Arc<dyn Device>) -> Arc<dyn Device> {
        Arc::new(RecordingDevice {
            memory: Arc::new(BlockMemory {
                device: device.clone(),
                size: self.request.memory,
                block: OnceLock::new(),
            }),
            device,
            recorder: self.clone(),
        })
    }

    /// Whether to record this launch. Called once per launch.
    fn wants(&self, kernel: &str) -> bool {
        kernel.contains(&self.request.kernel)
            && self.launches.fetch_add(1, Ordering::Relaxed) + 1 == self.request.launch
    }
}

/// The block of one device. Allocated with the first allocation.
struct BlockMemory {
    device: Arc<dyn Device>,
    size: Option<u64>,
    block: OnceLock<std::result::Result<(u64, Mutex<Block>), String>>,
}

impl BlockMemory {
    fn block(&self) -> Result<(u64, MutexGuard<'_, Block>)> {
        let make = || {
            let share = || self.device.info().total_memory / BLOCK_SHARE;
            let size = self.size.unwrap_or_else(share);
            let address = self.device.alloc(size, MemoryKind::Device);
            let address = address.map_err(|error| error.to_string())?;
            Ok((address.0, Mutex::new(Block::new(size))))
        };
        match self.block.get_or_init(make) {
            Ok((base, block)) => Ok((*base, block.lock())),
            Err(why) => Err(Error::System {
                what: "taking device memory to record from".into(),
                source: std::io::Error::other(why.clone()),
            }),
        }
    }
}

struct RecordingDevice {
    device: Arc<dyn Device>,
    memory: Arc<BlockMemory>,
    recorder: Arc<Recorder>,
}

impl Device for RecordingDevice {
    fn info(&self) -> &DeviceInfo {
        self.device.info()
    }

    fn refusal(&self, image: &Image<'_>) -> Option<String> {
        self.device.refusal(image)
    }

    fn rank(&self, image: &Image<'_>) -> u32 {
        self.device.rank(image)
    }

    fn load(&self, image: &Image<'_>, options: &LoadOptions) -> Result<Arc<dyn Module>> {
        if options.unified_shared_memory {
            (self.recorder.log)(
                "OMPTARGET_RECORD: memory of the host, which `requires unified_shared_memory` lets kernels use, is not \
                 recorded"
                    .into(),
            );
        }
        Ok(Arc::new(RecordingModule {
            module: self.device.load(image, options)?,
            source: Arc::new((ImageFormat::of(image), image.bytes.to_vec())),
            device: self.device.clone(),
            memory: self.memory.clone(),
            recorder: self.recorder.clone(),
        }))
    }

    fn alloc(&self, size: u64, _kind: MemoryKind) -> Result<DevicePtr> {
        let (base, mut block) = self.memory.block()?;
        match block.alloc(size) {
            Some(offset) => Ok(DevicePtr(base + offset)),
            None => {
                let (total, available) = block.sizes();
                Err(Error::OutOfMemory {
                    requested: size,
                    available,
                    total,
                })
            }
        }
    }

    fn reaches(&self, address: DevicePtr, len: usize) -> Result<bool> {
        self.device.reaches(address, len)
    }

    fn free(&self, ptr: DevicePtr) -> Result<()> {
        let (base, mut block) = self.memory.block()?;
        let offset = ptr.0.checked_sub(base);
        match offset.is_some_and(|offset| block.free(offset)) {
            true => Ok(()),
            false => Err(Error::InvalidFree(ptr)),
        }
    }

    unsafe fn write(&self, dst: DevicePtr, src: *const u8, len: usize) -> Result<()> {
        // SAFETY: forwarded from the caller.
        unsafe { self.device.write(dst, src, len) }
    }

    unsafe fn read(&self, dst: *mut u8, src: DevicePtr, len: usize) -> Result<()> {
        // SAFETY: forwarded from the caller.
        unsafe { self.device.read(dst, src, len) }
    }

    fn copy(&self, dst: DevicePtr, src: DevicePtr, len: usize) -> Result<()> {
        self.device.copy(dst, src, len)
    }

    fn fill(&self, dst: DevicePtr, byte: u8, len: usize) -> Result<()> {
        self.device.fill(dst, byte, len)
    }

    fn stream(self: Arc<Self>, _completion: Completion) -> Result<Box<dyn Stream>> {
        // Operations run one after another, because the memory at the start of the kernel must be known.
        Ok(Box::new(ImmediateStream::new(self)))
    }

    fn counters(&self) -> Option<Counters> {
        self.device.counters()
    }
}

struct RecordingModule {
    module: Arc<dyn Module>,
    source: Arc<(ImageFormat, Vec<u8>)>,
    device: Arc<dyn Device>,
    memory: Arc<BlockMemory>,
    recorder: Arc<Recorder>,
}

impl Module for RecordingModule {
    fn global(&self, name: &str) -> Option<Global> {
        self.module.global(name)
    }

    fn globals(&self) -> Vec<(String, Global)> {
        self.module.globals()
    }

    fn kernel(&self, name: &str) -> Option<Arc<dyn Kernel>> {
        Some(Arc::new(RecordingKernel {
            kernel: self.module.kernel(name)?,
            module: self.module.clone(),
            source: self.source.clone(),
            device: self.device.clone(),
            memory: self.memory.clone(),
            recorder: self.recorder.clone(),
        }))
    }
}

struct RecordingKernel {
    kernel: Arc<dyn Kernel>,
    module: Arc<dyn Module>,
    source: Arc<(ImageFormat, Vec<u8>)>,
    device: Arc<dyn Device>,
    memory: Arc<BlockMemory>,
    recorder: Arc<Recorder>,
}

impl Kernel for RecordingKernel {
    fn info(&self) -> &KernelInfo {
        self.kernel.info()
    }

    fn refusal(&self) -> Option<&str> {
        self.kernel.refusal()
    }

    fn resident_blocks(&self, threads: u32, dynamic_shared: u32) -> Option<u32> {
        self.kernel.resident_blocks(threads, dynamic_shared)
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        let name = &self.kernel.info().name;
        if !self.recorder.wants(name) {
            return self.kernel.launch(launch);
        }
        let (base, areas) = self.areas()?;
        let before = self.contents(base, &areas)?;
        // A launch that fails is recorded as well.
        let outcome = self.kernel.launch(launch);
        let recording = Recording {
            kernel: name.clone(),
            device: self.device.info().name.clone(),
            grid: launch.grid,
            block: launch.block,
            dynamic_shared: launch.dynamic_shared,
            arguments: launch.args.to_vec(),
            format: self.source.0.clone(),
            image: self.source.1.clone(),
            base,
            after: self.contents(base, &areas)?,
            before,
            areas,
        };
        let folder = &self.recorder.request.folder;
        (self.recorder.log)(match recording.write(folder) {
            Ok(()) => format!("recorded kernel {name} to {}", folder.display()),
            Err(error) => format!("OMPTARGET_RECORD: kernel {name} is not recorded: {error}"),
        });
        outcome
    }
}

impl RecordingKernel {
    /// The current allocations and the image's variables.
    fn areas(&self) -> Result<(u64, Vec<Area>)> {
        let (base, block) = self.memory.block()?;
        let allocation = |(offset, size)| Area {
            place: Place::Block(offset),
            size,
        };
        let mut areas: Vec<Area> = block.allocations().map(allocation).collect();
        let mut variables = self.module.globals();
        variables.sort_by_key(|(_, global)| global.address);
        areas.extend(variables.into_iter().map(|(name, global)| Area {
            place: Place::Variable {
                name,
                address: global.address.0,
            },
            size: global.size,
        }));
        Ok((base, areas))
    }

    fn contents(&self, base: u64, areas: &[Area]) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        for area in areas {
            let address = match area.place {
                Place::Block(offset) => base + offset,
                Place::Variable { address, .. } => address,
            };
            let begin = bytes.len();
            bytes.resize(begin + area.size as usize, 0);
            let into = &mut bytes[begin..];
            // SAFETY: `into` is writable for its length.
            unsafe {
                self.device
                    .read(into.as_mut_ptr(), DevicePtr(address), into.len())?
            };
        }
        Ok(bytes)
    }
}

//! The device: its memory and its loaded images.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use codegen::KernelCompiler;
use device_image::{Image, ImageKind};
use plugin_api::{
    AddressSpace, Completion, Counters, Device, DeviceInfo, DevicePtr, Error, ImmediateStream,
    LoadOptions, MemoryKind, Module, Result, SharedMemory, Stage, Stream,
};
use vgpu_abi::artifact::Artifact;
use vgpu_abi::{AccessKind, STEADY_FREQUENCY};

use crate::arena::Span;
use crate::block::MAX_THREADS;
use crate::checker::{Checker, InFlight};
use crate::config::Config;
use crate::fat_ptx;
use crate::heap::Heap;
use crate::host_access;
use crate::host_ranges;
use crate::machine::Machine;
use crate::memory::Memory;
use crate::module::VirtualModule;
use crate::sm::MAX_SHARED;
use crate::stream::VirtualStream;
use crate::stream_workers::StreamWorkers;
use crate::warp::MIN_LANES;
use crate::window;

/// Blocks of a grid in its first dimension, as on NVIDIA GPUs.
const MAX_BLOCKS_X: u32 = i32::MAX as u32;
/// Blocks of a grid in its other dimensions.
const MAX_BLOCKS_YZ: u32 = 65_535;

/// Most iterations of a distributed loop per thread. Subgroups run one after another, and the addresses that one
/// thread loads in its iterations lie a grid apart. The host's prefetchers follow this many streams from one
/// subgroup to the next. A block of subgroups costs 0.1 µs; 128 threads with this many iterations each take
/// several times that.
const ITERATIONS_PER_THREAD: u32 = 8;

/// The same where a warp gets consecutive iterations: its loads follow each other. What begins a subgroup costs as much
/// as several iterations of a loop over bytes.
const ITERATIONS_IN_ROWS: u32 = 32;

const READ: AccessKind = AccessKind::READ;
const WRITE: AccessKind = AccessKind::WRITE;

/// The state that modules and kernels share with their device.
pub struct Gpu {
    /// Device memory.
    pub memory: Memory,
    /// The multiprocessors.
    pub machine: Arc<Machine>,
    /// Settings.
    pub config: Config,
    /// What checks the kernels.
    pub checker: Option<Arc<Checker>>,
    /// How many launches there have been.
    launches: AtomicU64,
}

impl Gpu {
    /// The number of the next launch.
    pub fn next_launch(&self) -> u64 {
        self.launches.fetch_add(1, Ordering::Relaxed)
    }
}

/// A virtual GPU.
pub struct VirtualGpu {
    info: DeviceInfo,
    gpu: Arc<Gpu>,
    stream_workers: Arc<StreamWorkers>,
}

impl VirtualGpu {
    /// A virtual GPU as `config` describes it.
    pub fn new(config: &Config) -> Result<VirtualGpu> {
        let heap = Arc::new(Heap::new(config.heap)?);
        let checks = config.compiled_checks();
        let checker = match checks.any() {
            true => Some(Arc::new(Checker::new(checks)?)),
            false => None,
        };
        let memory = Memory::new(config.memory, checker.clone())?;
        memory.register(heap.span());
        if let Some(checker) = &checker {
            checker.manage(heap.span());
            let checker = Arc::downgrade(checker);
            findings::at_end(move || {
                if let Some(checker) = checker.upgrade() {
                    checker.report_leaks();
                }
            });
        }
        let count = config.multiprocessors;
        let info = DeviceInfo {
            name: format!(
                "virtual GPU ({count} {})",
                if count == 1 { "SM" } else { "SMs" }
            ),
            arch: String::new(),
            multiprocessors: count,
            warp_size: MIN_LANES as u32,
            max_threads_per_block: MAX_THREADS,
            max_blocks: [MAX_BLOCKS_X, MAX_BLOCKS_YZ, MAX_BLOCKS_YZ],
            max_shared_memory: MAX_SHARED,
            total_memory: memory.total(),
            clock_frequency: STEADY_FREQUENCY,
            max_iterations_per_thread: ITERATIONS_PER_THREAD,
            max_iterations_in_rows: ITERATIONS_IN_ROWS,
            record_per_team: true,
            shares_cpus: true,
        };
        let machine = Machine::new(config, heap, checker.clone());
        host_access::look(config.checks, checker.as_ref(), &machine)?;
        Ok(VirtualGpu {
            info,
            stream_workers: StreamWorkers::new(count),
            gpu: Arc::new(Gpu {
                memory,
                machine,
                config: config.clone(),
                checker,
                launches: AtomicU64::new(0),
            }),
        })
    }

    /// A copy or a fill begins, and is over when the result is dropped. Of the host's memory only what lies in the
    /// window counts.
    fn transfer(
        &self,
        what: &'static str,
        parts: &[(AccessKind, DevicePtr)],
        len: usize,
    ) -> InFlight {
        let Some(checker) = &self.gpu.checker else {
            return InFlight::default();
        };
        let len = len as u64;
        let parts = parts.iter().filter(|(_, ptr)| window::contains(ptr.0));
        let transfer = checker.transfer(
            what,
            parts.map(|&(kind, ptr)| (kind, Span { start: ptr.0, len })),
        );
        self.gpu.machine.note_transfer();
        transfer
    }

    /// Loads compiled code. `later` compiles kernels whose code is not there yet.
    pub fn load_artifact(
        &self,
        artifact: Artifact,
        later: Option<KernelCompiler>,
    ) -> Result<Arc<VirtualModule>> {
        VirtualModule::load(self.gpu.clone(), artifact, later, Vec::new())
    }
}

impl Device for VirtualGpu {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn refusal(&self, image: &Image<'_>) -> Option<String> {
        let for_gpu = ["nvptx64", "amdgcn"]
            .iter()
            .any(|triple| image.triple.starts_with(triple));
        match image.kind {
            ImageKind::Bitcode if for_gpu || image.triple.is_empty() => None,
            ImageKind::Ptx => None,
            ImageKind::Fatbinary => fat_ptx::refusal(image),
            ImageKind::Object if !for_gpu => Some(format!("{image}, which is not for GPUs")),
            ImageKind::Bitcode => Some(format!("{image}, which is not for GPUs")),
            _ => Some(format!(
                "{image}, but it runs bitcode and PTX: compile and link with -fopenmp-target-jit (omptarget.cfg does)"
            )),
        }
    }

    /// The device runs several dialects. It prefers NVPTX, with which most programs are tested, and bitcode to PTX,
    /// which says less.
    fn rank(&self, image: &Image<'_>) -> u32 {
        match image.kind {
            ImageKind::Ptx | ImageKind::Fatbinary => 2,
            _ => image.triple.starts_with("amdgcn").into(),
        }
    }

    fn load(&self, image: &Image<'_>, options: &LoadOptions) -> Result<Arc<dyn Module>> {
        let mut stages = Vec::new();
        let config = &self.gpu.config;
        let compile = || crate::compile::compile(image, options, config);
        let (artifact, later) = Stage::of("compile", &mut stages, compile)?;
        let gpu = self.gpu.clone();
        Ok(VirtualModule::load(gpu, artifact, later, stages)?)
    }

    fn prepare(&self, image: &Image<'_>, options: &LoadOptions) -> Result<()> {
        crate::compile::compile_whole(image, options, &self.gpu.config).map(drop)
    }

    fn alloc(&self, size: u64, kind: MemoryKind) -> Result<DevicePtr> {
        // The window is part of the host's address space, so both sides reach memory of every kind.
        if kind == MemoryKind::Device {
            return self.gpu.memory.alloc(size);
        }
        let address = self.gpu.memory.alloc_for_both(size, kind)?;
        // Nobody sees what the host writes there.
        self.gpu.memory.note_written(address, size as usize);
        Ok(address)
    }

    fn free(&self, ptr: DevicePtr) -> Result<()> {
        self.gpu.memory.free(ptr)
    }

    fn outdated(&self, address: DevicePtr, len: usize) {
        if let Some(checker) = &self.gpu.checker {
            checker.outdated(Span {
                start: address.0,
                len: len as u64,
            });
        }
    }

    fn reaches(&self, address: DevicePtr, len: usize) -> Result<bool> {
        let own = self.gpu.memory.check("access", address, len).is_ok();
        Ok(own || host_ranges::contain(address.0, len as u64))
    }

    fn address_space(&self) -> Option<&dyn AddressSpace> {
        Some(&self.gpu.memory.reservations)
    }

    fn share(&self, ptr: DevicePtr) -> Result<Option<SharedMemory>> {
        self.gpu.memory.share(ptr).map(Some)
    }

    fn register_host(&self, address: u64, len: usize) -> Result<bool> {
        let len = len as u64;
        // Addresses of the window are the device's own.
        let is_plain = address.checked_add(len).is_some() && !window::contains(address);
        Ok(is_plain
            && len != 0
            && host_ranges::add(Span {
                start: address,
                len,
            }))
    }

    fn unregister_host(&self, address: u64) -> Result<()> {
        host_ranges::remove(address);
        Ok(())
    }

    /// All virtual GPUs of a process have their memory in one window (docs/decisions/0002-one-device-window.md).
    fn reaches_memory_of(&self, peer: &dyn Device) -> bool {
        (peer as &dyn Any).is::<VirtualGpu>()
    }

    unsafe fn write(&self, dst: DevicePtr, src: *const u8, len: usize) -> Result<()> {
        let _opened = host_access::open()?;
        self.gpu.memory.check_write("copy to device", dst, len)?;
        let source = DevicePtr(src as u64);
        let _transfer = self.transfer("copy to the device", &[(READ, source), (WRITE, dst)], len);
        // SAFETY: `dst` was checked; `src` is the caller's contract. The ranges may overlap, because the caller's
        // memory may be the device's own.
        unsafe { std::ptr::copy(src, dst.0 as *mut u8, len) };
        Ok(())
    }

    unsafe fn read(&self, dst: *mut u8, src: DevicePtr, len: usize) -> Result<()> {
        let _opened = host_access::open()?;
        self.gpu.memory.check("copy from device", src, len)?;
        let target = DevicePtr(dst as u64);
        let _transfer = self.transfer("copy from the device", &[(READ, src), (WRITE, target)], len);
        if let Some(checker) = &self.gpu.checker {
            checker.copied_to_host(Span {
                start: src.0,
                len: len as u64,
            });
        }
        // SAFETY: as in `write`.
        unsafe { std::ptr::copy(src.0 as *const u8, dst, len) };
        Ok(())
    }

    fn copy(&self, dst: DevicePtr, src: DevicePtr, len: usize) -> Result<()> {
        let _opened = host_access::open()?;
        self.gpu
            .memory
            .check("copy within the device (source)", src, len)?;
        self.gpu
            .memory
            .check_write("copy within the device (destination)", dst, len)?;
        let _transfer = self.transfer("copy within the device", &[(READ, src), (WRITE, dst)], len);
        // SAFETY: both ranges were checked.
        unsafe { std::ptr::copy(src.0 as *const u8, dst.0 as *mut u8, len) };
        self.gpu.memory.note_copied(dst, src, len);
        Ok(())
    }

    fn copy_from(
        &self,
        dst: DevicePtr,
        source: &dyn Device,
        src: DevicePtr,
        len: usize,
    ) -> Result<bool> {
        let source: &dyn Any = source;
        let Some(source) = source.downcast_ref::<VirtualGpu>() else {
            return Ok(false);
        };
        let _opened = host_access::open()?;
        source
            .gpu
            .memory
            .check("copy to another device", src, len)?;
        self.gpu
            .memory
            .check_write("copy from another device", dst, len)?;
        let _read = source.transfer("copy to another device", &[(READ, src)], len);
        let _write = self.transfer("copy from another device", &[(WRITE, dst)], len);
        // SAFETY: both ranges were checked. All virtual GPUs of a process share its addresses.
        unsafe { std::ptr::copy(src.0 as *const u8, dst.0 as *mut u8, len) };
        Ok(true)
    }

    fn fill(&self, dst: DevicePtr, byte: u8, len: usize) -> Result<()> {
        let _opened = host_access::open()?;
        self.gpu.memory.check_write("fill", dst, len)?;
        let _transfer = self.transfer("fill", &[(WRITE, dst)], len);
        // SAFETY: the range was checked.
        unsafe { std::ptr::write_bytes(dst.0 as *mut u8, byte, len) };
        Ok(())
    }

    fn stream(self: Arc<Self>, completion: Completion) -> Result<Box<dyn Stream>> {
        Ok(match completion {
            // To wake another thread takes longer than to run a small kernel.
            Completion::Blocking => Box::new(ImmediateStream::new(self)),
            Completion::Asynchronous => {
                let workers = self.stream_workers.clone();
                let checker = self.gpu.checker.as_ref();
                let timeline = checker.and_then(|checker| checker.timeline());
                Box::new(VirtualStream::new(self, workers, timeline))
            }
        })
    }

    fn counters(&self) -> Option<Counters> {
        Some(self.gpu.machine.counters.sums())
    }
}

impl Drop for VirtualGpu {
    fn drop(&mut self) {
        self.stream_workers.close();
    }
}

/// The error for compiled code that does not match this engine.
pub fn mismatch(found: u32) -> Error {
    Error::Load(format!(
        "code compiled for interface version {found} of the virtual GPU, this is version {}: rebuild omptarget-codegen",
        vgpu_abi::VERSION
    ))
}

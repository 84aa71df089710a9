//! A host device: the machine's CPU with a memory space of its own.

use std::sync::Arc;

use device_image::{Image, ImageKind};
use plugin_api::{
    Completion, Device, DeviceInfo, DevicePtr, ImmediateStream, LoadOptions, MemoryKind, Module,
    Result, Stream,
};

use crate::memory::{self, Memory};
use crate::module::HostModule;

/// The triple that clang puts into images for this plugin.
const TRIPLE: &str = if cfg!(target_arch = "aarch64") {
    "aarch64-unknown-linux-gnu"
} else {
    "x86_64-pc-linux-gnu"
};

/// One device.
pub struct HostDevice {
    info: DeviceInfo,
    memory: Memory,
}

impl HostDevice {
    /// A device without allocations.
    pub fn new() -> HostDevice {
        let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
        HostDevice {
            info: DeviceInfo {
                name: format!("host ({cores} cores)"),
                arch: String::new(),
                multiprocessors: cores,
                warp_size: 1,
                // The kernel itself creates its teams and threads. The launch shape is not used.
                max_threads_per_block: u32::MAX,
                max_blocks: [i32::MAX as u32; 3],
                max_shared_memory: 0,
                total_memory: memory::total_memory(),
                clock_frequency: 0,
                max_iterations_per_thread: 0,
                max_iterations_in_rows: 0,
                record_per_team: false,
                shares_cpus: false,
            },
            memory: Memory::default(),
        }
    }
}

impl Device for HostDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn refusal(&self, image: &Image<'_>) -> Option<String> {
        let fits = image.kind == ImageKind::Object && image.triple == TRIPLE;
        (!fits).then(|| format!("{image}, but it runs shared objects for {TRIPLE}"))
    }

    fn load(&self, image: &Image<'_>, _options: &LoadOptions) -> Result<Arc<dyn Module>> {
        Ok(Arc::new(HostModule::load(image.bytes)?))
    }

    fn alloc(&self, size: u64, _kind: MemoryKind) -> Result<DevicePtr> {
        self.memory.alloc(size, self.info.total_memory)
    }

    fn free(&self, ptr: DevicePtr) -> Result<()> {
        self.memory.free(ptr)
    }

    fn reaches(&self, _address: DevicePtr, _len: usize) -> Result<bool> {
        Ok(true)
    }

    unsafe fn write(&self, dst: DevicePtr, src: *const u8, len: usize) -> Result<()> {
        // SAFETY: the source is readable (caller). The destination is device memory, which the host runtime
        // checks against its mappings. The ranges may overlap: `omp_target_memcpy` allows that.
        unsafe { std::ptr::copy(src, dst.0 as *mut u8, len) };
        Ok(())
    }

    unsafe fn read(&self, dst: *mut u8, src: DevicePtr, len: usize) -> Result<()> {
        // SAFETY: as in `write`, the other way round.
        unsafe { std::ptr::copy(src.0 as *const u8, dst, len) };
        Ok(())
    }

    fn copy(&self, dst: DevicePtr, src: DevicePtr, len: usize) -> Result<()> {
        // SAFETY: both are device memory of this device, hence of this process.
        unsafe { std::ptr::copy(src.0 as *const u8, dst.0 as *mut u8, len) };
        Ok(())
    }

    fn fill(&self, dst: DevicePtr, byte: u8, len: usize) -> Result<()> {
        // SAFETY: device memory of this device, hence of this process.
        unsafe { std::ptr::write_bytes(dst.0 as *mut u8, byte, len) };
        Ok(())
    }

    /// The host's own threads are the device: the thread that enqueues work runs it. For a `nowait` construct
    /// that is one of libomp's hidden helper threads.
    fn stream(self: Arc<Self>, _completion: Completion) -> Result<Box<dyn Stream>> {
        Ok(Box::new(ImmediateStream::new(self)))
    }
}

//! The device that the host runtime uses.

use std::any::Any;
use std::sync::Arc;

use device_image::Image;
use plugin_api::{
    Completion, Device, DeviceInfo, DevicePtr, Foreign, ForeignDevice, LoadOptions, MemoryKind,
    Module, Result, Stream,
};

use crate::gpu::Gpu;
use crate::image::load_cost;
use crate::module::{self, AmdModule};
use crate::stream::AmdStream;
use crate::synchronous::run_synchronously;

/// `omp_ifr_hsa`
const HSA: isize = 7;

/// An AMD GPU.
pub struct AmdDevice {
    gpu: Arc<Gpu>,
}

impl AmdDevice {
    /// The device with this GPU.
    pub fn new(gpu: Gpu) -> AmdDevice {
        AmdDevice { gpu: Arc::new(gpu) }
    }

    fn run(&self, enqueue: impl FnOnce(&AmdStream) -> Result<()>) -> Result<()> {
        run_synchronously(&self.gpu, enqueue)
    }
}

impl Device for AmdDevice {
    fn info(&self) -> &DeviceInfo {
        &self.gpu.properties.info
    }

    fn refusal(&self, image: &Image<'_>) -> Option<String> {
        load_cost(image, &self.gpu.properties.arch).err()
    }

    fn rank(&self, image: &Image<'_>) -> u32 {
        load_cost(image, &self.gpu.properties.arch).map_or(u32::MAX, |cost| cost as u32)
    }

    fn load(&self, image: &Image<'_>, options: &LoadOptions) -> Result<Arc<dyn Module>> {
        let module = AmdModule::load(&self.gpu, image, options)?;
        Ok(Arc::new(module))
    }

    fn prepare(&self, image: &Image<'_>, _options: &LoadOptions) -> Result<()> {
        module::compile(&self.gpu, image).map(drop)
    }

    fn alloc(&self, size: u64, kind: MemoryKind) -> Result<DevicePtr> {
        self.gpu.memory.alloc(&self.gpu, size, kind)
    }

    fn free(&self, ptr: DevicePtr) -> Result<()> {
        self.gpu.memory.free(&self.gpu, ptr)
    }

    fn reaches(&self, address: DevicePtr, len: usize) -> Result<bool> {
        match self.gpu.memory.check(&self.gpu, "access", address, len) {
            Err(plugin_api::Error::InvalidAccess { .. }) => Ok(false),
            checked => checked.map(|()| true),
        }
    }

    unsafe fn write(&self, dst: DevicePtr, src: *const u8, len: usize) -> Result<()> {
        // SAFETY: forwarded from the caller. The copy is complete on return.
        self.run(|stream| unsafe { stream.write(dst, src, len) })
    }

    unsafe fn read(&self, dst: *mut u8, src: DevicePtr, len: usize) -> Result<()> {
        // SAFETY: forwarded from the caller. The copy is complete on return.
        self.run(|stream| unsafe { stream.read(dst, src, len) })
    }

    fn copy(&self, dst: DevicePtr, src: DevicePtr, len: usize) -> Result<()> {
        self.run(|stream| stream.copy(dst, src, len))
    }

    fn copy_from(
        &self,
        dst: DevicePtr,
        source: &dyn Device,
        src: DevicePtr,
        len: usize,
    ) -> Result<bool> {
        let source: &dyn Any = source;
        let Some(source) = source.downcast_ref::<AmdDevice>() else {
            return Ok(false);
        };
        // Each of the two must be able to use both ranges.
        let (own, other) = (&self.gpu, &source.gpu);
        let shared =
            other.memory.share(other, own, src, len)? && own.memory.share(own, other, dst, len)?;
        if !shared {
            return Ok(false);
        }
        self.run(|stream| stream.copy_from(dst, &source.gpu, src, len))?;
        Ok(true)
    }

    fn fill(&self, dst: DevicePtr, byte: u8, len: usize) -> Result<()> {
        self.run(|stream| stream.fill(dst, byte, len))
    }

    fn foreign(&self) -> Result<Option<Foreign>> {
        let agent = &raw const self.gpu.agent;
        Ok(Some(Foreign {
            runtime: HSA,
            name: c"hsa",
            device: ForeignDevice::Handle(agent.expose_provenance()),
            context: None,
        }))
    }

    fn stream(self: Arc<Self>, _completion: Completion) -> Result<Box<dyn Stream>> {
        Ok(Box::new(AmdStream::new(&self.gpu)?))
    }
}

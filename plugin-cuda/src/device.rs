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
use crate::memory::Memory;
use crate::module::{self, CudaModule};
use crate::peer::Peers;
use crate::stream::CudaStream;
use crate::synchronous::run_synchronously;

/// `omp_ifr_cuda_driver`
const CUDA_DRIVER: isize = 2;

/// An NVIDIA GPU.
pub struct CudaDevice {
    gpu: Arc<Gpu>,
    memory: Arc<Memory>,
    peers: Peers,
}

impl CudaDevice {
    /// The device with this GPU.
    pub fn new(gpu: Gpu) -> CudaDevice {
        CudaDevice {
            gpu: Arc::new(gpu),
            memory: Arc::default(),
            peers: Peers::default(),
        }
    }
}

impl Device for CudaDevice {
    fn info(&self) -> &DeviceInfo {
        &self.gpu.properties.info
    }

    fn refusal(&self, image: &Image<'_>) -> Option<String> {
        load_cost(image, self.gpu.properties.arch).err()
    }

    fn rank(&self, image: &Image<'_>) -> u32 {
        load_cost(image, self.gpu.properties.arch).map_or(u32::MAX, |cost| cost as u32)
    }

    fn load(&self, image: &Image<'_>, options: &LoadOptions) -> Result<Arc<dyn Module>> {
        let module = CudaModule::load(&self.gpu, &self.memory, image, options)?;
        Ok(Arc::new(module))
    }

    fn prepare(&self, image: &Image<'_>, _options: &LoadOptions) -> Result<()> {
        module::compile(&self.gpu, image).map(drop)
    }

    fn alloc(&self, size: u64, kind: MemoryKind) -> Result<DevicePtr> {
        self.memory.alloc(&self.gpu, size, kind)
    }

    fn free(&self, ptr: DevicePtr) -> Result<()> {
        self.memory.free(&self.gpu, ptr)
    }

    fn reaches(&self, address: DevicePtr, len: usize) -> Result<bool> {
        Ok(self.memory.holds(address, len as u64))
    }

    fn register_host(&self, address: u64, len: usize) -> Result<bool> {
        self.memory.register(&self.gpu, address, len)
    }

    fn unregister_host(&self, address: u64) -> Result<()> {
        self.memory.unregister(&self.gpu, address)
    }

    unsafe fn write(&self, dst: DevicePtr, src: *const u8, len: usize) -> Result<()> {
        // SAFETY: forwarded from the caller. The copy is complete on return.
        run_synchronously(&self.gpu, |stream| unsafe { stream.write(dst, src, len) })
    }

    unsafe fn read(&self, dst: *mut u8, src: DevicePtr, len: usize) -> Result<()> {
        // SAFETY: forwarded from the caller. The copy is complete on return.
        run_synchronously(&self.gpu, |stream| unsafe { stream.read(dst, src, len) })
    }

    fn copy(&self, dst: DevicePtr, src: DevicePtr, len: usize) -> Result<()> {
        run_synchronously(&self.gpu, |stream| stream.copy(dst, src, len))
    }

    fn copy_from(
        &self,
        dst: DevicePtr,
        source: &dyn Device,
        src: DevicePtr,
        len: usize,
    ) -> Result<bool> {
        let source: &dyn Any = source;
        let Some(source) = source.downcast_ref::<CudaDevice>() else {
            return Ok(false);
        };
        self.peers.enable(&self.gpu, &source.gpu)?;
        run_synchronously(&self.gpu, |stream| {
            stream.copy_from(dst, &source.gpu, src, len)
        })?;
        Ok(true)
    }

    fn fill(&self, dst: DevicePtr, byte: u8, len: usize) -> Result<()> {
        run_synchronously(&self.gpu, |stream| stream.fill(dst, byte, len))
    }

    fn foreign(&self) -> Result<Option<Foreign>> {
        let context = self.gpu.enter()?.context;
        Ok(Some(Foreign {
            runtime: CUDA_DRIVER,
            name: c"cuda_driver",
            device: ForeignDevice::Number(self.gpu.device as isize),
            context: Some(context.0.expose_provenance()),
        }))
    }

    fn stream(self: Arc<Self>, _completion: Completion) -> Result<Box<dyn Stream>> {
        Ok(Box::new(CudaStream::new(
            &self.gpu,
            Some(self.memory.clone()),
        )?))
    }
}

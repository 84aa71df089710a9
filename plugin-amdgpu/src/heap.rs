//! The heap of `malloc` in an image's kernels.

use std::sync::Arc;

use plugin_api::{DevicePtr, MemoryKind, Result};

use crate::gpu::Gpu;
use crate::synchronous;

/// The variable of an image that describes the heap. This project's compiler leaves it only where kernels use it.
pub const VARIABLE: &str = "__omptarget_heap";

/// The memory of a heap. It is freed when this is dropped.
pub struct Heap {
    gpu: Arc<Gpu>,
    base: DevicePtr,
}

impl Heap {
    /// Provides a heap for the image with this variable, whose other fields are 0 in a fresh image.
    pub fn new(gpu: &Arc<Gpu>, variable: DevicePtr) -> Result<Heap> {
        let size = gpu.settings.heap_of(gpu.properties.info.total_memory);
        let base = gpu.memory.alloc(gpu, size, MemoryKind::Device)?;
        let heap = Heap {
            gpu: gpu.clone(),
            base,
        };
        let words: Vec<u8> = [base.0, size]
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        synchronous::write(gpu, variable, &words)?;
        Ok(heap)
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        if self.gpu.in_use().is_some()
            && let Err(error) = self.gpu.memory.free(&self.gpu, self.base)
        {
            log::debug!("{error}");
        }
    }
}

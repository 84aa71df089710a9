//! The heap of `malloc` in an image's kernels.

use std::sync::Arc;

use plugin_api::{DevicePtr, MemoryKind, Result};

use crate::gpu::Gpu;
use crate::memory::Memory;
use crate::synchronous;

/// The variable of an image that describes the heap.
pub const VARIABLE: &str = "__omptarget_heap";
/// The functions that use it. An image without them needs no heap.
pub const FUNCTIONS: [&str; 2] = ["malloc", "realloc"];

/// The memory of a heap. It is freed when this is dropped.
pub struct Heap {
    gpu: Arc<Gpu>,
    memory: Arc<Memory>,
    base: DevicePtr,
}

impl Heap {
    /// Provides a heap for the image with this variable, whose other fields are 0 in a fresh image.
    pub fn new(gpu: &Arc<Gpu>, memory: &Arc<Memory>, variable: DevicePtr) -> Result<Heap> {
        let size = gpu.settings.heap_of(gpu.properties.info.total_memory);
        let base = memory.alloc(gpu, size, MemoryKind::Device)?;
        let heap = Heap {
            gpu: gpu.clone(),
            memory: memory.clone(),
            base,
        };
        let words: Vec<u8> = [base.0, size]
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        synchronous::write(gpu, memory, variable, &words)?;
        Ok(heap)
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        if self.gpu.in_use().is_some()
            && let Err(error) = self.memory.free(&self.gpu, self.base)
        {
            log::debug!("{error}");
        }
    }
}

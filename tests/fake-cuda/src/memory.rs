//! The allocations of a context: device, pinned and managed memory. All of it lies in the virtual GPU's address
//! window, which host and device can access.

use std::collections::BTreeMap;
use std::sync::Arc;

use plugin_api::{Device as _, DevicePtr, Error, MemoryKind};
use plugin_vgpu::VirtualGpu;

use crate::result::{Failure, Outcome};

/// How memory was allocated. It must be freed in the matching way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `cuMemAlloc`
    Device,
    /// `cuMemAllocAsync`
    Pool,
    /// `cuMemAllocManaged`
    Managed,
    /// `cuMemHostAlloc`
    Host,
    /// `cuMemHostRegister`
    Registered,
    /// A variable of a loaded module.
    Variable,
}

#[derive(Clone, Copy)]
struct Block {
    size: u64,
    kind: Kind,
}

/// The blocks, by address.
pub struct Memory {
    gpu: Arc<VirtualGpu>,
    blocks: BTreeMap<u64, Block>,
}

impl Memory {
    /// No allocations yet, on this device.
    pub fn new(gpu: Arc<VirtualGpu>) -> Memory {
        Memory {
            gpu,
            blocks: BTreeMap::new(),
        }
    }

    /// Allocates memory. A size of 0 is an invalid value ("If bytesize is 0, cuMemAlloc() returns
    /// CUDA_ERROR_INVALID_VALUE").
    pub fn allocate(&mut self, size: usize, kind: Kind) -> Outcome<u64> {
        if size == 0 {
            return Err(Failure::INVALID_VALUE);
        }
        let place = match kind {
            Kind::Host => MemoryKind::Host,
            Kind::Managed => MemoryKind::Shared,
            _ => MemoryKind::Device,
        };
        let allocated = self.gpu.alloc(size as u64, place);
        let address = allocated.map_err(|error| match error {
            Error::OutOfMemory { .. } => Failure::OUT_OF_MEMORY,
            _ => Failure::OPERATING_SYSTEM,
        })?;
        let size = size as u64;
        self.blocks.insert(address.0, Block { size, kind });
        Ok(address.0)
    }

    /// Frees memory that was allocated in one of these ways. Anything else is an invalid value.
    pub fn free(&mut self, address: u64, kinds: &[Kind]) -> Outcome {
        let block = self.blocks.get(&address);
        if !block.is_some_and(|block| kinds.contains(&block.kind)) {
            return Err(Failure::INVALID_VALUE);
        }
        self.blocks.remove(&address);
        let freed = self.gpu.free(DevicePtr(address));
        freed.map_err(|_| Failure::INVALID_VALUE)
    }

    /// Lets kernels access the program's memory.
    pub fn pin(&mut self, address: u64, size: usize) -> Outcome {
        if address == 0 || size == 0 {
            return Err(Failure::INVALID_VALUE);
        }
        let last = address + size as u64 - 1;
        let before = self.blocks.range(..=last).next_back();
        if before.is_some_and(|(start, block)| start + block.size > address) {
            return Err(Failure::HOST_MEMORY_ALREADY_REGISTERED);
        }
        let pinned = self.gpu.register_host(address, size);
        pinned.map_err(|_| Failure::OPERATING_SYSTEM)?;
        let (size, kind) = (size as u64, Kind::Registered);
        self.blocks.insert(address, Block { size, kind });
        Ok(())
    }

    /// Ends that.
    pub fn unpin(&mut self, address: u64) -> Outcome {
        let block = self.blocks.get(&address);
        if !block.is_some_and(|block| block.kind == Kind::Registered) {
            return Err(Failure::HOST_MEMORY_NOT_REGISTERED);
        }
        self.blocks.remove(&address);
        let ended = self.gpu.unregister_host(address);
        ended.map_err(|_| Failure::OPERATING_SYSTEM)
    }

    /// Adds a variable of a loaded module.
    pub fn register(&mut self, address: u64, size: u64) {
        let kind = Kind::Variable;
        self.blocks.insert(address, Block { size, kind });
    }

    /// Removes a variable.
    pub fn unregister(&mut self, address: u64) {
        self.blocks.remove(&address);
    }

    /// Start, size and kind of the block that `length` bytes at `address` lie in.
    pub fn find(&self, address: u64, length: usize) -> Option<(u64, u64, Kind)> {
        let (start, block) = self.blocks.range(..=address).next_back()?;
        let end = address.checked_add(length as u64)?;
        let inside = end <= start + block.size && address < start + block.size;
        inside.then_some((*start, block.size, block.kind))
    }

    /// Bytes in use, and total bytes.
    pub fn usage(&self) -> (u64, u64) {
        let blocks = self.blocks.values();
        let used = blocks
            .filter(|block| !matches!(block.kind, Kind::Variable | Kind::Registered))
            .map(|block| block.size)
            .sum();
        (used, self.gpu.info().total_memory)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        for (address, block) in std::mem::take(&mut self.blocks) {
            let _whatever = match block.kind {
                Kind::Variable => Ok(()),
                Kind::Registered => self.gpu.unregister_host(address),
                _ => self.gpu.free(DevicePtr(address)),
            };
        }
    }
}

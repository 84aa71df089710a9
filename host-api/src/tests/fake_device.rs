//! A device for unit tests of the data environment. It has its own address space in host memory; its addresses are no
//! host addresses. End-to-end tests use the virtual GPU.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::sync::Arc;

use device_image::Image;
use parking_lot::Mutex;
use plugin_api::{
    Completion, Device, DeviceInfo, DevicePtr, Error, ImmediateStream, LoadOptions, MemoryKind,
    Module, Result, Stream,
};

use crate::device::omp_device::OmpDevice;

const FIRST_ADDRESS: u64 = 0xdead_0000_0000_0000;

/// The device.
pub struct FakeDevice {
    info: DeviceInfo,
    memory: Mutex<Memory>,
}

struct Memory {
    blocks: BTreeMap<u64, Vec<u8>>,
    next: u64,
}

impl FakeDevice {
    /// A device with `total` bytes.
    pub fn new(total: u64) -> Arc<FakeDevice> {
        let info = DeviceInfo {
            name: "fake device".into(),
            arch: "fake".into(),
            multiprocessors: 2,
            warp_size: 32,
            max_threads_per_block: 1024,
            max_blocks: [1 << 20, 65535, 65535],
            max_shared_memory: 48 << 10,
            total_memory: total,
            clock_frequency: 0,
            max_iterations_per_thread: 0,
            max_iterations_in_rows: 0,
            record_per_team: false,
            shares_cpus: false,
        };
        Arc::new(FakeDevice {
            info,
            memory: Mutex::new(Memory {
                blocks: BTreeMap::new(),
                next: FIRST_ADDRESS,
            }),
        })
    }

    /// An OpenMP device on a fake device.
    pub fn openmp(total: u64) -> (Arc<OmpDevice>, Arc<FakeDevice>) {
        let fake = FakeDevice::new(total);
        (
            Arc::new(OmpDevice::new(0, CString::default(), fake.clone(), false)),
            fake,
        )
    }

    /// Number of live allocations.
    pub fn live(&self) -> usize {
        self.memory.lock().blocks.len()
    }

    /// Bytes at a device address.
    pub fn peek(&self, address: DevicePtr, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        // SAFETY: `bytes` is writable for its length.
        unsafe { self.read(bytes.as_mut_ptr(), address, length) }.unwrap();
        bytes
    }

    /// The pointer at a device address.
    pub fn peek_pointer(&self, address: DevicePtr) -> u64 {
        u64::from_ne_bytes(self.peek(address, 8).try_into().unwrap())
    }

    /// Writes bytes at a device address, as a kernel would.
    pub fn poke(&self, address: DevicePtr, bytes: &[u8]) {
        // SAFETY: `bytes` is readable for its length.
        unsafe { self.write(address, bytes.as_ptr(), bytes.len()) }.unwrap();
    }

    fn with<R>(
        &self,
        what: &'static str,
        at: DevicePtr,
        len: usize,
        body: impl FnOnce(&mut [u8]) -> R,
    ) -> Result<R> {
        let mut memory = self.memory.lock();
        let wild = Error::InvalidAccess {
            what,
            address: at,
            len: len as u64,
        };
        let Some((start, block)) = memory.blocks.range_mut(..=at.0).next_back() else {
            return Err(wild);
        };
        let offset = (at.0 - start) as usize;
        match block.get_mut(offset..offset.saturating_add(len)) {
            Some(bytes) => Ok(body(bytes)),
            None => Err(wild),
        }
    }
}

impl Device for FakeDevice {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn refusal(&self, _image: &Image<'_>) -> Option<String> {
        Some("more than the fake device runs".into())
    }

    fn load(&self, _image: &Image<'_>, _options: &LoadOptions) -> Result<Arc<dyn Module>> {
        Err(Error::Load("the fake device runs nothing".into()))
    }

    fn reaches(&self, address: DevicePtr, len: usize) -> Result<bool> {
        let memory = self.memory.lock();
        let before = memory.blocks.range(..=address.0).next_back();
        Ok(before.is_some_and(|(base, block)| address.0 + len as u64 <= base + block.len() as u64))
    }

    fn alloc(&self, size: u64, _kind: MemoryKind) -> Result<DevicePtr> {
        let mut memory = self.memory.lock();
        let used: u64 = memory.blocks.values().map(|block| block.len() as u64).sum();
        if used + size > self.info.total_memory {
            let (available, total) = (self.info.total_memory - used, self.info.total_memory);
            return Err(Error::OutOfMemory {
                requested: size,
                available,
                total,
            });
        }
        let address = memory.next;
        memory.next += size.max(1).next_multiple_of(256) + 256;
        // Fresh device memory has arbitrary content.
        memory.blocks.insert(address, vec![0xa5; size as usize]);
        Ok(DevicePtr(address))
    }

    fn free(&self, ptr: DevicePtr) -> Result<()> {
        self.memory
            .lock()
            .blocks
            .remove(&ptr.0)
            .map(drop)
            .ok_or(Error::InvalidFree(ptr))
    }

    unsafe fn write(&self, dst: DevicePtr, src: *const u8, len: usize) -> Result<()> {
        // SAFETY: caller.
        let source = unsafe { std::slice::from_raw_parts(src, len) };
        self.with("copy to device", dst, len, |bytes| {
            bytes.copy_from_slice(source)
        })
    }

    unsafe fn read(&self, dst: *mut u8, src: DevicePtr, len: usize) -> Result<()> {
        // SAFETY: caller.
        let destination = unsafe { std::slice::from_raw_parts_mut(dst, len) };
        self.with("copy from device", src, len, |bytes| {
            destination.copy_from_slice(bytes)
        })
    }

    fn copy(&self, dst: DevicePtr, src: DevicePtr, len: usize) -> Result<()> {
        let bytes = self.with("copy", src, len, |bytes| bytes.to_vec())?;
        self.with("copy", dst, len, |place| place.copy_from_slice(&bytes))
    }

    fn fill(&self, dst: DevicePtr, byte: u8, len: usize) -> Result<()> {
        self.with("fill", dst, len, |bytes| bytes.fill(byte))
    }

    fn stream(self: Arc<Self>, _completion: Completion) -> Result<Box<dyn Stream>> {
        Ok(Box::new(ImmediateStream::new(self)))
    }
}

//! Arrays in device memory.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::Pod;

use crate::allocation::Allocation;
use crate::{Device, Error, Result};

/// An array in a device's memory. It is freed when it is dropped and no stream uses it any more.
///
/// Its methods return when they are complete, and wait for streams that use the buffer. [`Stream`](crate::Stream) has
/// copies that do not wait.
pub struct Buffer<T> {
    pub(crate) memory: Arc<Allocation>,
    len: usize,
    elements: PhantomData<fn() -> T>,
}

impl<T: Pod> Buffer<T> {
    /// A buffer of `count` elements. Nothing says what is in it.
    pub(crate) fn allocate(device: &Device, count: usize) -> Result<Buffer<T>> {
        let size = size_of::<T>();
        let bytes = count
            .checked_mul(size)
            .and_then(|bytes| isize::try_from(bytes).ok());
        let bytes = bytes.ok_or(Error::TooLarge {
            elements: count,
            size,
        })?;
        Ok(Buffer {
            memory: Allocation::new(device, bytes as u64)?,
            len: count,
            elements: PhantomData,
        })
    }

    /// How many elements it has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device that has it.
    pub fn device(&self) -> &Device {
        &self.memory.device
    }

    /// Its address on the device. It is none of the host's, and kernels get it where the buffer is an argument.
    pub fn address(&self) -> u64 {
        self.memory.address.0
    }

    /// Copies all elements to the device. `elements` must be as many as the buffer has.
    pub fn write(&mut self, elements: &[T]) -> Result<()> {
        self.check_all("copying to the device", elements.len())?;
        self.write_at(0, elements)
    }

    /// Copies elements to the device, from element `start` of the buffer on.
    pub fn write_at(&mut self, start: usize, elements: &[T]) -> Result<()> {
        let what = "copying to the device";
        let address = self.range(what, start, elements.len())?;
        self.memory.settle()?;
        let bytes: &[u8] = bytemuck::cast_slice(elements);
        let device = &self.device().raw;
        // SAFETY: a slice is readable for its length.
        unsafe { device.write(address, bytes.as_ptr(), bytes.len()) }.map_err(Error::device(what))
    }

    /// Copies all elements to the host. `elements` must be as many as the buffer has.
    pub fn read(&self, elements: &mut [T]) -> Result<()> {
        self.check_all("copying to the host", elements.len())?;
        self.read_at(0, elements)
    }

    /// Copies elements to the host, from element `start` of the buffer on.
    pub fn read_at(&self, start: usize, elements: &mut [T]) -> Result<()> {
        let what = "copying to the host";
        let address = self.range(what, start, elements.len())?;
        self.memory.settle()?;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(elements);
        let device = &self.device().raw;
        // SAFETY: a mutable slice is writable for its length, and every pattern of bytes is an element (`Pod`).
        unsafe { device.read(bytes.as_mut_ptr(), address, bytes.len()) }
            .map_err(Error::device(what))
    }

    /// The elements, copied to the host.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut elements = vec![T::zeroed(); self.len];
        self.read(&mut elements)?;
        Ok(elements)
    }

    /// Sets all bytes to 0.
    pub fn zero(&mut self) -> Result<()> {
        self.memory.settle()?;
        let (address, bytes) = (self.memory.address, self.bytes());
        let filled = self.device().raw.fill(address, 0, bytes);
        filled.map_err(Error::device("filling a buffer"))
    }

    /// Copies another buffer of the same device, with as many elements.
    pub fn copy_from(&mut self, source: &Buffer<T>) -> Result<()> {
        let what = "copying within the device";
        self.check_all(what, source.len)?;
        if !self.device().is(source.device()) {
            return Err(Error::OtherDevice {
                what: "the source of a copy",
                with: self.device().name().to_owned(),
            });
        }
        self.memory.settle()?;
        source.memory.settle()?;
        let (to, from) = (self.memory.address, source.memory.address);
        let copied = self.device().raw.copy(to, from, self.bytes());
        copied.map_err(Error::device(what))
    }

    /// Its size in bytes, which [`Buffer::allocate`] has checked.
    fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    pub(crate) fn check_all(&self, what: &'static str, count: usize) -> Result<()> {
        match count == self.len {
            true => Ok(()),
            false => Err(self.bounds(what, 0, count)),
        }
    }

    /// The address of element `start`, if `count` elements from there on are in the buffer.
    fn range(
        &self,
        what: &'static str,
        start: usize,
        count: usize,
    ) -> Result<plugin_api::DevicePtr> {
        let fits = start.checked_add(count).is_some_and(|end| end <= self.len);
        if !fits {
            return Err(self.bounds(what, start, count));
        }
        Ok(self.memory.address.offset((start * size_of::<T>()) as i64))
    }

    fn bounds(&self, what: &'static str, start: usize, count: usize) -> Error {
        Error::Bounds {
            what,
            host: count,
            start,
            device: self.len,
        }
    }
}

impl<T> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let device = &self.memory.device;
        write!(
            f,
            "{} elements at {:?} of {device:?}",
            self.len, self.memory.address
        )
    }
}

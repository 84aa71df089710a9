//! Memory objects: buffers, parts of them, images.
//!
//! Memory is of the kind that host and device reach under one address. So a mapping is the memory itself, unless the
//! program said where the host's copy is (`CL_MEM_USE_HOST_PTR`).

use bitflags::bitflags;
use parking_lot::Mutex;
use plugin_api::{DevicePtr, MemoryKind};

use crate::codes::{Code, Result};
use crate::context::Context;
use crate::handle::Ref;
use crate::image::Image;
use crate::kind;
use crate::message::report;
use crate::rectangle::Side;

bitflags! {
    /// `cl_mem_flags`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Flags: u64 {
        /// `CL_MEM_READ_WRITE`.
        const READ_WRITE = 1;
        /// `CL_MEM_WRITE_ONLY`.
        const WRITE_ONLY = 2;
        /// `CL_MEM_READ_ONLY`.
        const READ_ONLY = 4;
        /// `CL_MEM_USE_HOST_PTR`.
        const USE_HOST_PTR = 8;
        /// `CL_MEM_ALLOC_HOST_PTR`.
        const ALLOC_HOST_PTR = 16;
        /// `CL_MEM_COPY_HOST_PTR`.
        const COPY_HOST_PTR = 32;
        /// `CL_MEM_HOST_WRITE_ONLY`.
        const HOST_WRITE_ONLY = 128;
        /// `CL_MEM_HOST_READ_ONLY`.
        const HOST_READ_ONLY = 256;
        /// `CL_MEM_HOST_NO_ACCESS`.
        const HOST_NO_ACCESS = 512;
    }
}

/// How kernels use memory.
pub const KERNEL_ACCESS: Flags = Flags::READ_WRITE
    .union(Flags::WRITE_ONLY)
    .union(Flags::READ_ONLY);
/// How the host uses memory.
pub const HOST_ACCESS: Flags = Flags::HOST_WRITE_ONLY
    .union(Flags::HOST_READ_ONLY)
    .union(Flags::HOST_NO_ACCESS);
/// Where memory is.
pub const HOST_POINTER: Flags = Flags::USE_HOST_PTR
    .union(Flags::ALLOC_HOST_PTR)
    .union(Flags::COPY_HOST_PTR);

/// A buffer, a part of one, or an image.
pub struct Memory {
    /// Its context.
    pub context: Ref<Context>,
    /// Its flags.
    pub flags: Flags,
    /// Bytes.
    pub size: usize,
    /// The host's memory that the program named; 0 for none.
    pub host: usize,
    /// The buffer that it is a part of, and where it begins there.
    pub parent: Option<(Ref<Memory>, usize)>,
    /// What the program gave as properties, with the final zero; empty for none.
    pub properties: Vec<u64>,
    /// What it is as an image; none for a buffer.
    pub image: Option<Image>,
    /// Where it is.
    pub address: DevicePtr,
    /// Whether the memory is this object's, and not its parent's or the program's.
    owned: bool,
    maps: Mutex<Vec<Mapping>>,
    destructors: Mutex<Vec<Box<dyn FnOnce() + Send>>>,
}

kind!(Memory, INVALID_MEM_OBJECT);

/// A part of a memory object that the host has mapped.
#[derive(Clone, Copy)]
pub struct Mapping {
    /// Where the host sees it.
    pub pointer: usize,
    /// How it lies in the object.
    pub side: Side,
    /// Bytes of a row, rows, planes.
    pub region: [usize; 3],
    /// Whether the host may write to it.
    pub writes: bool,
}

impl Memory {
    /// A buffer. With `host` and the flags that say so, it has that memory's contents.
    ///
    /// # Safety
    /// `host` is readable for `size` bytes, unless it is null; with `CL_MEM_USE_HOST_PTR` for as long as the buffer is.
    pub unsafe fn buffer(
        context: Ref<Context>,
        flags: Flags,
        size: usize,
        host: *mut u8,
        properties: Vec<u64>,
    ) -> Result<Memory> {
        let home = context.home().clone();
        let is_shared =
            flags.contains(Flags::USE_HOST_PTR) && context.shared_at(host as usize).is_some();
        let address = match is_shared {
            true => DevicePtr(host as u64),
            false => {
                let _origin = findings::set_origin(|| findings::caller("clCreateBuffer"));
                let allocated = home.alloc(size as u64, MemoryKind::Shared);
                allocated.map_err(|error| Code::of(&error))?
            }
        };
        let memory = Memory {
            context,
            flags,
            size,
            host: match flags.contains(Flags::USE_HOST_PTR) {
                true => host as usize,
                false => 0,
            },
            parent: None,
            properties,
            image: None,
            address,
            owned: !is_shared,
            maps: Mutex::default(),
            destructors: Mutex::default(),
        };
        if !host.is_null() && !is_shared {
            // SAFETY: the caller's contract.
            let written = unsafe { home.write(address, host, size) };
            written.map_err(|error| Code::of(&error))?;
        }
        Ok(memory)
    }

    /// A part of a buffer.
    pub fn part(parent: &Ref<Memory>, flags: Flags, origin: usize, size: usize) -> Memory {
        Memory {
            context: parent.context.clone(),
            flags,
            size,
            host: match parent.host {
                0 => 0,
                host => host + origin,
            },
            parent: Some((parent.clone(), origin)),
            properties: Vec::new(),
            image: None,
            address: parent.address.offset(origin as i64),
            owned: false,
            maps: Mutex::default(),
            destructors: Mutex::default(),
        }
    }

    /// It as an image, with a description for kernels.
    pub fn into_image(mut self, mut image: Image, properties: Vec<u64>) -> Result<Memory> {
        image.describe(self.context.home(), self.address)?;
        self.image = Some(image);
        self.properties = properties;
        Ok(self)
    }

    /// It as an image, if it is one.
    pub fn image(&self) -> Result<&Image> {
        self.image.as_ref().ok_or(Code::INVALID_MEM_OBJECT)
    }

    /// What a kernel gets as an argument.
    pub fn argument(&self) -> DevicePtr {
        let image = self.image.as_ref();
        image.map_or(self.address, |image| image.description)
    }

    /// The flags of host access and the like allow it.
    pub fn allows(&self, forbidden: Flags) -> Result<()> {
        match self.flags.intersects(forbidden) {
            true => Err(Code::INVALID_OPERATION),
            false => Ok(()),
        }
    }

    /// Whether so many bytes at an offset are its own.
    pub fn check(&self, offset: usize, size: usize) -> Result<()> {
        match offset.checked_add(size) {
            Some(end) if end <= self.size => Ok(()),
            _ => Err(Code::INVALID_VALUE),
        }
    }

    /// Where its byte at an offset is.
    pub fn at(&self, offset: usize) -> DevicePtr {
        self.address.offset(offset as i64)
    }

    /// Where the host sees its byte at an offset when it is mapped.
    pub fn host_view(&self, offset: usize) -> usize {
        match self.host {
            0 => self.address.0 as usize + offset,
            host => host + offset,
        }
    }

    /// Whether the host sees a copy.
    pub fn has_host_copy(&self) -> bool {
        self.host != 0 && self.host as u64 != self.address.0
    }

    /// Notes a mapping.
    pub fn map(&self, mapping: Mapping) {
        self.maps.lock().push(mapping);
    }

    /// Forgets the mapping that begins at a pointer; gives it.
    pub fn unmap(&self, pointer: usize) -> Result<Mapping> {
        let mut maps = self.maps.lock();
        let index = maps.iter().rposition(|mapping| mapping.pointer == pointer);
        Ok(maps.remove(index.ok_or(Code::INVALID_VALUE)?))
    }

    /// How often it is mapped.
    pub fn map_count(&self) -> u32 {
        self.maps.lock().len() as u32
    }

    /// Has a function called when the object ends.
    pub fn on_end(&self, destructor: Box<dyn FnOnce() + Send>) {
        self.destructors.lock().push(destructor);
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let own = self.owned.then_some(self.address);
        let description = self.image.as_ref().map(|image| image.description);
        for address in own.into_iter().chain(description) {
            if let Err(error) = self.context.home().free(address) {
                report("a memory object cannot be freed", &error);
            }
        }
        for destructor in self.destructors.get_mut().drain(..).rev() {
            destructor();
        }
    }
}

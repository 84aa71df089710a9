//! Descriptions of textures and surfaces.

use std::ffi::{c_int, c_void};

use cudart::error::{Code, Result};
use cudart::texture::abi::{self, ChannelFormat};

use super::texels;

/// `CUDA_RESOURCE_DESC`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Resource {
    pub(super) kind: c_int,
    pub(super) of: ResourceOf,
    pub(super) flags: u32,
}

/// What a [`Resource`] names, by its kind.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) union ResourceOf {
    pub(super) array: *mut c_void,
    pub(super) memory: Memory,
    reserved: [u64; 16],
}

/// Memory as a resource. Of a row only the first number counts.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Memory {
    pub(super) address: u64,
    pub(super) format: u32,
    pub(super) channels: u32,
    pub(super) width: usize,
    pub(super) height: usize,
    pub(super) pitch: usize,
}

/// `CUDA_TEXTURE_DESC`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Settings {
    /// What is read outside, for each axis.
    pub modes: [c_int; 3],
    /// Whether texels are interpolated.
    pub filter: c_int,
    /// `CU_TRSF_READ_AS_INTEGER` and its like.
    pub flags: u32,
    /// Samples along a line.
    pub anisotropy: u32,
    /// Whether levels are interpolated.
    pub level_filter: c_int,
    /// Added to a level.
    pub bias: f32,
    /// The least level.
    pub least: f32,
    /// The greatest.
    pub greatest: f32,
    /// The colour outside.
    pub border: [f32; 4],
    /// Zeros.
    pub reserved: [c_int; 12],
}

/// `CUDA_RESOURCE_VIEW_DESC`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct View {
    /// What the runtime's has.
    pub seen: abi::View,
    reserved: [u32; 16],
}

const _: () = assert!(size_of::<Resource>() == 144);
const _: () = assert!(size_of::<Settings>() == 104);
const _: () = assert!(size_of::<View>() == 112);

/// `CUresourcetype`: arrays, mipmapped or not, come first, then a row and rows of memory. The runtime's are the same.
const ARRAYS: std::ops::RangeInclusive<c_int> = 0..=1;
const MEMORY: std::ops::RangeInclusive<c_int> = 2..=3;

impl Resource {
    /// The runtime's description of the same.
    ///
    /// # Safety
    /// The fields are those of its kind.
    pub unsafe fn described(&self) -> Result<abi::Resource> {
        // SAFETY: caller.
        let of = unsafe {
            match self.kind {
                kind if ARRAYS.contains(&kind) => abi::ResourceOf {
                    array: self.of.array,
                },
                kind if MEMORY.contains(&kind) => abi::ResourceOf {
                    memory: self.of.memory.described()?,
                },
                _ => return Err(Code::INVALID_VALUE),
            }
        };
        let kind = self.kind;
        match self.flags {
            0 => Ok(abi::Resource { kind, of }),
            _ => Err(Code::INVALID_VALUE),
        }
    }

    /// The description of what the runtime made an object of.
    pub fn of(resource: &abi::Resource) -> Resource {
        let mut of = ResourceOf { reserved: [0; 16] };
        if ARRAYS.contains(&resource.kind) {
            // SAFETY: an object's resource has the fields of its kind.
            of.array = unsafe { resource.of.array };
        } else {
            // SAFETY: as above.
            let memory = unsafe { resource.of.memory };
            let (format, channels) = texels::format(&memory.format);
            of.memory = Memory {
                address: memory.address as u64,
                format,
                channels,
                width: memory.width,
                height: memory.height,
                pitch: memory.pitch,
            };
        }
        Resource {
            kind: resource.kind,
            of,
            flags: 0,
        }
    }
}

impl Memory {
    fn described(&self) -> Result<abi::Memory> {
        Ok(abi::Memory {
            address: self.address as *mut c_void,
            format: texels::described(self.format, self.channels)?,
            width: self.width,
            height: self.height,
            pitch: self.pitch,
        })
    }
}

/// `CU_TRSF_READ_AS_INTEGER` and its like.
const AS_INTEGER: u32 = 0x01;
const NORMALIZED_COORDINATES: u32 = 0x02;
const SRGB: u32 = 0x10;
const EXACT: u32 = 0x20;
const SEAMLESS: u32 = 0x40;
const FLAGS: u32 = AS_INTEGER | NORMALIZED_COORDINATES | SRGB | EXACT | SEAMLESS;

impl Settings {
    /// The runtime's settings. Integers of 8 and 16 bits become fractions unless a flag says otherwise.
    pub fn described(&self) -> Result<abi::Settings> {
        if self.flags & !FLAGS != 0 {
            return Err(Code::INVALID_VALUE);
        }
        let flag = |flag: u32| i32::from(self.flags & flag != 0);
        Ok(abi::Settings {
            modes: self.modes,
            filter: self.filter,
            read_mode: i32::from(self.flags & AS_INTEGER == 0),
            srgb: flag(SRGB),
            border: self.border,
            normalized_coordinates: flag(NORMALIZED_COORDINATES),
            anisotropy: self.anisotropy,
            level_filter: self.level_filter,
            bias: self.bias,
            least: self.least,
            greatest: self.greatest,
            exact: flag(EXACT),
            seamless: flag(SEAMLESS),
        })
    }

    /// The settings of an object.
    pub fn of(settings: &abi::Settings) -> Settings {
        let flags = [
            (settings.read_mode == 0, AS_INTEGER),
            (settings.normalized_coordinates != 0, NORMALIZED_COORDINATES),
            (settings.srgb != 0, SRGB),
            (settings.exact != 0, EXACT),
            (settings.seamless != 0, SEAMLESS),
        ];
        Settings {
            modes: settings.modes,
            filter: settings.filter,
            flags: flags.iter().map(|(set, flag)| u32::from(*set) * flag).sum(),
            anisotropy: settings.anisotropy,
            level_filter: settings.level_filter,
            bias: settings.bias,
            least: settings.least,
            greatest: settings.greatest,
            border: settings.border,
            reserved: [0; 12],
        }
    }
}

impl View {
    /// The view of an object.
    pub fn of(seen: abi::View) -> View {
        View {
            seen,
            reserved: [0; 16],
        }
    }
}

/// An empty description that the runtime's functions fill.
pub fn nothing() -> abi::Resource {
    abi::Resource {
        kind: *MEMORY.start(),
        of: abi::ResourceOf {
            memory: abi::Memory {
                address: std::ptr::null_mut(),
                format: ChannelFormat::default(),
                width: 0,
                height: 0,
                pitch: 0,
            },
        },
    }
}

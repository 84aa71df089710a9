//! Texture and surface references: variables of a module that have the handle of an object. An object is immutable, so
//! each change makes another one.

use std::ffi::{c_int, c_void};

use cudart::error::{Code, Result};

use super::object::{Memory, Resource, ResourceOf, Settings};

/// What a reference reads from.
#[derive(Clone, Copy)]
enum Bound {
    Nothing,
    Array(*mut c_void),
    MipmappedArray(*mut c_void),
    /// Address and bytes.
    Row(u64, usize),
    /// Address, texels, rows, bytes of a row.
    Rows(u64, usize, usize, usize),
}

/// A reference.
#[derive(Clone)]
pub struct Reference {
    /// The address of the module's variable. A reference that a program made itself has none.
    pub variable: Option<u64>,
    /// The object whose handle the variable has, or 0.
    pub object: u64,
    /// Whether it is of a surface.
    pub is_surface: bool,
    bound: Bound,
    format: u32,
    channels: u32,
    /// How it reads.
    pub settings: Settings,
}

// SAFETY: the addresses in it are numbers to this library.
unsafe impl Send for Reference {}

/// `CUresourcetype`.
const ARRAY: c_int = 0;
const MIPMAPPED_ARRAY: c_int = 1;
const ROW: c_int = 2;
const ROWS: c_int = 3;

/// `CU_AD_FORMAT_FLOAT`, with which a reference begins.
const FLOAT: u32 = 0x20;

impl Reference {
    /// One of a variable. It reads the nearest texel, at the edge's where there is none.
    pub fn new(variable: Option<u64>, is_surface: bool) -> Reference {
        Reference {
            variable,
            object: 0,
            is_surface,
            bound: Bound::Nothing,
            format: FLOAT,
            channels: 1,
            settings: Settings {
                modes: [1; 3],
                filter: 0,
                flags: 0,
                anisotropy: 0,
                level_filter: 0,
                bias: 0.0,
                least: 0.0,
                greatest: 0.0,
                border: [0.0; 4],
                reserved: [0; 12],
            },
        }
    }

    /// Has it read an array.
    pub fn bind_array(&mut self, array: *mut c_void, mipmapped: bool) {
        self.bound = match (array.is_null(), mipmapped) {
            (true, _) => Bound::Nothing,
            (_, true) => Bound::MipmappedArray(array),
            (_, false) => Bound::Array(array),
        };
    }

    /// Has it read a row of memory.
    pub fn bind_row(&mut self, address: u64, bytes: usize) {
        self.bound = match address {
            0 => Bound::Nothing,
            address => Bound::Row(address, bytes),
        };
    }

    /// Has it read rows of memory.
    pub fn bind_rows(&mut self, address: u64, width: usize, height: usize, pitch: usize) {
        self.bound = Bound::Rows(address, width, height, pitch);
    }

    /// The texels of memory.
    pub fn set_format(&mut self, format: u32, channels: u32) {
        (self.format, self.channels) = (format, channels);
    }

    /// Those texels.
    pub fn format(&self) -> (u32, u32) {
        (self.format, self.channels)
    }

    /// The array that it reads.
    pub fn array(&self, mipmapped: bool) -> Result<*mut c_void> {
        match self.bound {
            Bound::Array(array) if !mipmapped => Ok(array),
            Bound::MipmappedArray(array) if mipmapped => Ok(array),
            _ => Err(Code::INVALID_VALUE),
        }
    }

    /// The address of the memory that it reads.
    pub fn address(&self) -> Result<u64> {
        match self.bound {
            Bound::Row(address, _) | Bound::Rows(address, ..) => Ok(address),
            _ => Err(Code::INVALID_VALUE),
        }
    }

    /// The resource of an object that reads the same, if there is anything to read.
    pub fn resource(&self) -> Option<Resource> {
        let memory = |address, width, height, pitch| ResourceOf {
            memory: Memory {
                address,
                format: self.format,
                channels: self.channels,
                width,
                height,
                pitch,
            },
        };
        let (kind, of) = match self.bound {
            Bound::Nothing => return None,
            Bound::Array(array) => (ARRAY, ResourceOf { array }),
            Bound::MipmappedArray(array) => (MIPMAPPED_ARRAY, ResourceOf { array }),
            Bound::Row(address, bytes) => (ROW, memory(address, bytes, 1, 0)),
            Bound::Rows(address, width, height, pitch) => {
                (ROWS, memory(address, width, height, pitch))
            }
        };
        Some(Resource { kind, of, flags: 0 })
    }
}

//! C structures for arrays, textures and surfaces. `cudart/include/texture_types.h` has the same.

use std::ffi::c_void;

/// `cudaChannelFormatDesc`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelFormat {
    /// Bits of each channel.
    pub bits: [i32; 4],
    /// `cudaChannelFormatKind`.
    pub kind: i32,
}

/// `cudaResourceDesc`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Resource {
    /// `cudaResourceType`.
    pub kind: i32,
    /// An array, or memory.
    pub of: ResourceOf,
}

/// What a [`Resource`] names, by its kind.
#[repr(C)]
#[derive(Clone, Copy)]
pub union ResourceOf {
    /// An array, mipmapped or not.
    pub array: *mut c_void,
    /// Memory. Of what is in one row, only the first number counts.
    pub memory: Memory,
}

/// Memory as a resource.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Memory {
    /// The first byte.
    pub address: *mut c_void,
    /// The texels.
    pub format: ChannelFormat,
    /// Bytes if it is a row, else texels of one.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Bytes from one row to the next.
    pub pitch: usize,
}

/// `cudaTextureDesc`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Settings {
    /// `cudaTextureAddressMode`, by axis.
    pub modes: [i32; 3],
    /// `cudaTextureFilterMode`.
    pub filter: i32,
    /// `cudaTextureReadMode`.
    pub read_mode: i32,
    /// Colours become linear.
    pub srgb: i32,
    /// What is outside.
    pub border: [f32; 4],
    /// Coordinates run from 0 to 1.
    pub normalized_coordinates: i32,
    /// Advice.
    pub anisotropy: u32,
    /// `cudaTextureFilterMode` of levels.
    pub level_filter: i32,
    /// Added to a level of detail.
    pub bias: f32,
    /// The least level of detail.
    pub least: f32,
    /// The greatest.
    pub greatest: f32,
    /// Advice.
    pub exact: i32,
    /// The edges of a cube's faces continue.
    pub seamless: i32,
}

/// `cudaResourceViewDesc`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub struct View {
    /// `cudaResourceViewFormat`.
    pub format: i32,
    /// Texels, for compressed formats.
    pub size: [usize; 3],
    /// The first level.
    pub first_level: u32,
    /// The last one.
    pub last_level: u32,
    /// The first layer.
    pub first_layer: u32,
    /// The last one.
    pub last_layer: u32,
}

const _: () = assert!(size_of::<Resource>() == 64);
const _: () = assert!(size_of::<Settings>() == 72);
const _: () = assert!(size_of::<View>() == 48);

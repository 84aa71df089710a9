//! Descriptions of arrays.

use cudart::abi::Size;
use cudart::error::{Code, Result};
use cudart::texture::abi::ChannelFormat;
use cudart::texture::array::Array;

use super::texels;

/// `CUDA_ARRAY_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// Texels of a row.
    pub width: usize,
    /// Rows; 0 where there is one.
    pub height: usize,
    /// `CUarray_format`.
    pub format: u32,
    /// Channels of a texel.
    pub channels: u32,
}

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volume {
    width: usize,
    height: usize,
    depth: usize,
    format: u32,
    channels: u32,
    flags: u32,
}

const _: () = assert!(size_of::<Plane>() == 24 && size_of::<Volume>() == 40);

/// `CUDA_ARRAY3D_DEPTH_TEXTURE`: the format of texels says all.
const DEPTH_TEXTURE: u32 = 0x10;

impl From<Plane> for Volume {
    fn from(plane: Plane) -> Volume {
        Volume {
            width: plane.width,
            height: plane.height,
            depth: 0,
            format: plane.format,
            channels: plane.channels,
            flags: 0,
        }
    }
}

impl Volume {
    /// The description of an array.
    pub fn of(array: &Array) -> Volume {
        let (format, channels) = texels::format(&array.described);
        Volume {
            width: array.extent.x,
            height: array.extent.y,
            depth: array.extent.z,
            format,
            channels,
            flags: array.flags,
        }
    }

    /// The same without depth. `None`: it has a depth.
    pub fn plane(&self) -> Option<Plane> {
        (self.depth == 0).then_some(Plane {
            width: self.width,
            height: self.height,
            format: self.format,
            channels: self.channels,
        })
    }

    /// What the runtime's functions take: texels, size, flags.
    pub fn parts(&self) -> Result<(ChannelFormat, Size, u32)> {
        if self.flags & DEPTH_TEXTURE != 0 {
            return Err(Code::NOT_SUPPORTED);
        }
        let extent = Size {
            x: self.width,
            y: self.height,
            z: self.depth,
        };
        Ok((
            texels::described(self.format, self.channels)?,
            extent,
            self.flags,
        ))
    }
}

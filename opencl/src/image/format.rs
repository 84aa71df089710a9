//! Formats of texels (OpenCL 3.0, 5.3.1.1).

use crate::codes::{Code, Result};

/// `cl_image_format`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Which channels there are, in which order.
    pub order: u32,
    /// The type of a channel.
    pub channel: u32,
}

/// `CL_R`.
pub const R: u32 = 0x10b0;
/// `CL_RG`.
pub const RG: u32 = 0x10b2;
/// `CL_RGBA`.
pub const RGBA: u32 = 0x10b5;
/// `CL_BGRA`.
pub const BGRA: u32 = 0x10b6;

/// `CL_SNORM_INT8`.
pub const SNORM8: u32 = 0x10d0;
/// `CL_SNORM_INT16`.
pub const SNORM16: u32 = 0x10d1;
/// `CL_UNORM_INT8`.
pub const UNORM8: u32 = 0x10d2;
/// `CL_UNORM_INT16`.
pub const UNORM16: u32 = 0x10d3;
/// `CL_SIGNED_INT8`.
pub const SIGNED8: u32 = 0x10d7;
/// `CL_SIGNED_INT16`.
pub const SIGNED16: u32 = 0x10d8;
/// `CL_SIGNED_INT32`.
pub const SIGNED32: u32 = 0x10d9;
/// `CL_UNSIGNED_INT8`.
pub const UNSIGNED8: u32 = 0x10da;
/// `CL_UNSIGNED_INT16`.
pub const UNSIGNED16: u32 = 0x10db;
/// `CL_UNSIGNED_INT32`.
pub const UNSIGNED32: u32 = 0x10dc;
/// `CL_HALF_FLOAT`.
pub const HALF: u32 = 0x10dd;
/// `CL_FLOAT`.
pub const FLOAT: u32 = 0x10de;

const CHANNELS: [u32; 12] = [
    SNORM8, SNORM16, UNORM8, UNORM16, SIGNED8, SIGNED16, SIGNED32, UNSIGNED8, UNSIGNED16,
    UNSIGNED32, HALF, FLOAT,
];

/// Every format that there is, for every sort of images and every access.
pub fn all() -> impl Iterator<Item = Format> {
    let of = |order| CHANNELS.map(|channel| Format { order, channel });
    let reversed = Format {
        order: BGRA,
        channel: UNORM8,
    };
    [R, RG, RGBA].into_iter().flat_map(of).chain([reversed])
}

impl Format {
    /// Whether there is such a format.
    pub fn check(self) -> Result<()> {
        if all().any(|known| known == self) {
            return Ok(());
        }
        // Those that OpenCL names, in pairs that it allows or not.
        let (orders, channels) = (0x10b0..=0x10c3, 0x10d0..=0x10e4);
        let goes_together = match self.order {
            // CL_RGB, CL_RGBx: packed channels.
            0x10b4 | 0x10bc => (0x10d4..=0x10d6).contains(&self.channel),
            // CL_BGRA, CL_ARGB, CL_ABGR.
            BGRA | 0x10b7 | 0x10c3 => [UNORM8, SNORM8, SIGNED8, UNSIGNED8].contains(&self.channel),
            // CL_INTENSITY, CL_LUMINANCE.
            0x10b8 | 0x10b9 => {
                [UNORM8, UNORM16, SNORM8, SNORM16, HALF, FLOAT].contains(&self.channel)
            }
            // CL_DEPTH.
            0x10bd => [UNORM16, FLOAT].contains(&self.channel),
            // CL_sRGB and its like.
            0x10bf..=0x10c2 => self.channel == UNORM8,
            order => orders.contains(&order) && CHANNELS.contains(&self.channel),
        };
        match goes_together && channels.contains(&self.channel) {
            true => Err(Code::IMAGE_FORMAT_NOT_SUPPORTED),
            false => Err(Code::INVALID_IMAGE_FORMAT_DESCRIPTOR),
        }
    }

    /// How many channels a texel has.
    pub fn channels(self) -> usize {
        match self.order {
            R => 1,
            RG => 2,
            _ => 4,
        }
    }

    /// Bytes of a channel.
    pub fn channel_bytes(self) -> usize {
        match self.channel {
            SNORM8 | UNORM8 | SIGNED8 | UNSIGNED8 => 1,
            SNORM16 | UNORM16 | SIGNED16 | UNSIGNED16 | HALF => 2,
            _ => 4,
        }
    }

    /// Bytes of a texel.
    pub fn bytes(self) -> usize {
        self.channels() * self.channel_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_known_unsupported_or_none() {
        let check = |order, channel| Format { order, channel }.check();
        assert_eq!(check(RGBA, FLOAT), Ok(()));
        assert_eq!(check(BGRA, UNORM8), Ok(()));
        assert_eq!(check(BGRA, SNORM8), Err(Code::IMAGE_FORMAT_NOT_SUPPORTED));
        let none = Err(Code::INVALID_IMAGE_FORMAT_DESCRIPTOR);
        assert_eq!(check(BGRA, FLOAT), none);
        assert_eq!(check(0, FLOAT), none);
        assert_eq!(check(RGBA, 0), none);
        assert_eq!(all().count(), 37);
    }

    #[test]
    fn texels_have_sizes() {
        let bytes = |order, channel| Format { order, channel }.bytes();
        assert_eq!((bytes(R, UNORM8), bytes(RGBA, FLOAT)), (1, 16));
        assert_eq!(bytes(RG, HALF), 4);
    }
}

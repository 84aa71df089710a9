//! Arrays. Their texels lie row by row, without gaps: a multiprocessor of the virtual GPU has no caches that another
//! order would serve.

use std::collections::HashMap;

use devicertl_textures::descriptor::{Level, MAX_LEVELS};
use parking_lot::Mutex;

use super::format::Format;
use crate::abi::Size;
use crate::copy::Side;
use crate::error::{Code, Result};
use crate::texture::abi::ChannelFormat;

/// `cudaArrayLayered`.
const LAYERED: u32 = 1;
/// `cudaArrayCubemap`.
const CUBE: u32 = 4;
/// `cudaArrayDefault` to `cudaArrayTextureGather`, and `cudaArrayColorAttachment`.
const FLAGS: u32 = 0x2f;

/// The largest array, as on every NVIDIA GPU: in one, two and three dimensions, and of layers.
pub const MAX_LINE: usize = 131_072;
/// Columns and rows.
pub const MAX_PLANE: [usize; 2] = [131_072, 65_536];
/// Columns, rows and planes.
pub const MAX_VOLUME: usize = 16_384;
/// Layers.
pub const MAX_LAYERS: usize = 2_048;

/// An array, or a level of a mipmapped one.
pub struct Array {
    /// The number of its device.
    pub device: usize,
    /// What the program said of its texels, and what that means.
    pub described: ChannelFormat,
    /// The same.
    pub format: Format,
    /// Its size, as the program gave it.
    pub extent: Size,
    /// `cudaArray…`
    pub flags: u32,
    /// The levels: one, if it is not mipmapped.
    pub levels: Vec<Level>,
    /// Layers or faces.
    pub layers: u32,
    /// Whether it is mipmapped.
    pub is_mipmapped: bool,
    /// Whether it is a level of another array, whose memory it does not own.
    pub is_level: bool,
    /// Handles of the levels that the program asked for.
    pub handles: Mutex<HashMap<u32, usize>>,
}

/// The plan of an array: its levels, with addresses that count from 0, and the bytes of all.
pub struct Plan {
    /// The levels.
    pub levels: Vec<Level>,
    /// Layers or faces.
    pub layers: u32,
    /// Bytes.
    pub bytes: u64,
}

impl Plan {
    /// The plan of an array of this size. No rows or no planes are one.
    pub fn of(format: Format, extent: Size, flags: u32, levels: u32) -> Result<Plan> {
        if flags & !FLAGS != 0 {
            return Err(Code::INVALID_VALUE);
        }
        let layers = layers(extent, flags)?;
        check(extent, flags)?;
        let depth = if layers.is_some() { 1 } else { extent.z.max(1) };
        let sizes = [extent.x, extent.y.max(1), depth];
        let most = usize::BITS - sizes.iter().max().unwrap_or(&1).leading_zeros();
        let levels = levels.clamp(1, most.min(MAX_LEVELS as u32));
        let mut plan = Plan {
            levels: Vec::new(),
            layers: layers.unwrap_or(1) as u32,
            bytes: 0,
        };
        for number in 0..levels {
            let [width, height, depth] = sizes.map(|size| (size >> number).max(1) as u64);
            let pitch = width * format.bytes() as u64;
            let level = Level {
                address: plan.bytes,
                pitch,
                slice: pitch * height,
                width: width as u32,
                height: height as u32,
                depth: depth as u32,
                reserved: 0,
            };
            plan.levels.push(level);
            // Levels begin where any texel may.
            plan.bytes += (level.slice * depth * plan.layers as u64).next_multiple_of(16);
        }
        Ok(plan)
    }
}

/// How many layers an array has. `None`: it is not layered.
fn layers(extent: Size, flags: u32) -> Result<Option<usize>> {
    let (layered, cube) = (flags & LAYERED != 0, flags & CUBE != 0);
    if !layered && !cube {
        return Ok(None);
    }
    let fits = match cube {
        true => extent.x == extent.y && extent.z.is_multiple_of(6) && (layered || extent.z == 6),
        false => true,
    };
    match fits && (1..=MAX_LAYERS).contains(&extent.z) {
        true => Ok(Some(extent.z)),
        false => Err(Code::INVALID_VALUE),
    }
}

/// Whether a device would have an array of this size.
fn check(extent: Size, flags: u32) -> Result<()> {
    let layered = flags & (LAYERED | CUBE) != 0;
    let fits = match (extent.y, extent.z) {
        (0, 0) => extent.x <= MAX_LINE,
        (0, _) => layered && extent.x <= MAX_LINE,
        (_, 0) => extent.x <= MAX_PLANE[0] && extent.y <= MAX_PLANE[1],
        _ if layered => extent.x <= MAX_PLANE[0] && extent.y <= MAX_PLANE[1],
        _ => [extent.x, extent.y, extent.z]
            .iter()
            .all(|size| *size <= MAX_VOLUME),
    };
    match fits && extent.x != 0 {
        true => Ok(()),
        false => Err(Code::INVALID_VALUE),
    }
}

impl Array {
    /// Bytes of a row of the first level.
    pub fn row(&self) -> usize {
        self.levels[0].pitch as usize
    }

    /// Rows of the first level, and planes or layers.
    pub fn counts(&self) -> [usize; 2] {
        let level = &self.levels[0];
        [level.height as usize, (level.depth * self.layers) as usize]
    }

    /// The memory from a byte of a row on, for copies of so much.
    pub fn side(&self, at: Size, size: Size) -> Result<Side> {
        let within = |at: usize, size: usize, limit: usize| {
            at.checked_add(size).is_some_and(|end| end <= limit)
        };
        let [rows, planes] = self.counts();
        let fits = within(at.x, size.x, self.row())
            && within(at.y, size.y, rows)
            && within(at.z, size.z, planes);
        match fits {
            true => Ok(self.from(at)),
            false => Err(Code::INVALID_VALUE),
        }
    }

    /// The same for a range of bytes that may go over rows.
    pub fn range(&self, at: Size, bytes: usize) -> Result<Side> {
        let [rows, _] = self.counts();
        let before =
            at.y.checked_mul(self.row())
                .and_then(|rows| rows.checked_add(at.x));
        let end = before.and_then(|before| before.checked_add(bytes));
        match end.is_some_and(|end| end <= rows * self.row()) {
            true => Ok(self.from(at)),
            false => Err(Code::INVALID_VALUE),
        }
    }

    fn from(&self, at: Size) -> Side {
        let level = &self.levels[0];
        let offset = at.x as u64 + at.y as u64 * level.pitch + at.z as u64 * level.slice;
        Side {
            address: level.address + offset,
            pitch: level.pitch as usize,
            plane: level.slice as usize,
        }
    }

    /// A level as an array of its own.
    pub fn level(&self, number: u32) -> Result<Array> {
        let found = self.levels.get(number as usize);
        let level = *found.ok_or(Code::INVALID_VALUE)?;
        let shrunk = |size: usize| {
            if size == 0 {
                0
            } else {
                (size >> number).max(1)
            }
        };
        let depth = match self.flags & (LAYERED | CUBE) {
            0 => shrunk(self.extent.z),
            _ => self.extent.z,
        };
        Ok(Array {
            device: self.device,
            described: self.described,
            format: self.format,
            extent: Size {
                x: shrunk(self.extent.x),
                y: shrunk(self.extent.y),
                z: depth,
            },
            flags: self.flags,
            levels: vec![level],
            layers: self.layers,
            is_mipmapped: false,
            is_level: true,
            handles: Mutex::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLOATS: Format = Format {
        kind: 2,
        bits: 32,
        channels: 1,
        normalized: false,
    };

    fn plan(x: usize, y: usize, z: usize, flags: u32, levels: u32) -> Result<Plan> {
        Plan::of(FLOATS, Size { x, y, z }, flags, levels)
    }

    #[test]
    fn levels_follow_each_other() {
        let plan = plan(5, 3, 0, 0, 9).unwrap();
        let sizes: Vec<_> = plan.levels.iter().map(|it| (it.width, it.height)).collect();
        assert_eq!(sizes, [(5, 3), (2, 1), (1, 1)]);
        let begins: Vec<_> = plan.levels.iter().map(|it| it.address).collect();
        assert_eq!(begins, [0, 64, 80]);
    }

    #[test]
    fn sizes_that_no_device_has() {
        assert!(plan(0, 0, 0, 0, 1).is_err());
        assert!(plan(8, 0, 3, 0, 1).is_err());
        assert!(plan(8, 8, 5, CUBE, 1).is_err());
        assert!(plan(8, 4, 6, CUBE, 1).is_err());
        assert!(plan(8, 8, 0, 0x40, 1).is_err());
        assert!(plan(usize::MAX, 8, 0, 0, 1).is_err());
        assert_eq!(
            plan(8, 8, 12, CUBE | LAYERED, 1).map(|it| it.layers),
            Ok(12)
        );
    }
}

//! Images: how texels lie in a memory object.

mod colour;
mod description;
pub mod format;

use plugin_api::DevicePtr;

use crate::codes::{Code, Result};
use crate::rectangle::Side;
use format::Format;

/// Most texels of an image of one or two dimensions, in each.
pub const MAX_PLANE: usize = 16384;
/// Most texels of an image of three dimensions, in each.
pub const MAX_VOLUME: usize = 2048;
/// Most layers of an array.
pub const MAX_LAYERS: usize = 2048;
/// Most texels of an image of a buffer.
pub const MAX_BUFFER: usize = 1 << 27;

/// `cl_mem_object_type` of images.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `CL_MEM_OBJECT_IMAGE2D`.
    Plane,
    /// `CL_MEM_OBJECT_IMAGE3D`.
    Volume,
    /// `CL_MEM_OBJECT_IMAGE2D_ARRAY`.
    PlaneArray,
    /// `CL_MEM_OBJECT_IMAGE1D`.
    Line,
    /// `CL_MEM_OBJECT_IMAGE1D_ARRAY`.
    LineArray,
    /// `CL_MEM_OBJECT_IMAGE1D_BUFFER`.
    LineOfBuffer,
}

const KINDS: [Kind; 6] = [
    Kind::Plane,
    Kind::Volume,
    Kind::PlaneArray,
    Kind::Line,
    Kind::LineArray,
    Kind::LineOfBuffer,
];
/// The first kind's number.
const FIRST: u32 = 0x10f1;

impl Kind {
    /// The kind of a number.
    pub fn of(number: u32) -> Option<Kind> {
        let index = number.checked_sub(FIRST)?;
        KINDS.get(index as usize).copied()
    }

    /// Its number.
    pub fn number(self) -> u32 {
        FIRST + self as u32
    }

    /// Its type in OpenCL C.
    pub fn type_name(self) -> &'static str {
        match self {
            Kind::Plane => "image2d_t",
            Kind::Volume => "image3d_t",
            Kind::PlaneArray => "image2d_array_t",
            Kind::Line => "image1d_t",
            Kind::LineArray => "image1d_array_t",
            Kind::LineOfBuffer => "image1d_buffer_t",
        }
    }
}

/// `cl_image_desc`, but for the buffer.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The kind.
    pub kind: Kind,
    /// Texels of a row.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Planes.
    pub depth: usize,
    /// Layers of an array.
    pub layers: usize,
    /// Bytes from row to row; 0 if the program leaves them open.
    pub row_pitch: usize,
    /// Bytes from plane to plane, or from layer to layer; 0 if the program leaves them open.
    pub slice_pitch: usize,
}

/// What a memory object is as an image.
#[derive(Debug)]
pub struct Image {
    /// The kind.
    pub kind: Kind,
    /// The format.
    pub format: Format,
    /// Texels along each dimension, the layers of an array last; 1 along those that it does not have.
    pub extent: [usize; 3],
    /// Bytes from row to row.
    pub row_pitch: usize,
    /// Bytes from plane to plane or from layer to layer; 0 without these.
    pub slice_pitch: usize,
    /// Where kernels find its description.
    pub description: DevicePtr,
}

impl Image {
    /// An image of a shape. Pitches that the shape leaves open are the least.
    pub fn new(format: Format, shape: Shape) -> Result<Image> {
        let (extent, most) = match shape.kind {
            Kind::Line => ([shape.width, 1, 1], [MAX_PLANE, 1, 1]),
            Kind::LineOfBuffer => ([shape.width, 1, 1], [MAX_BUFFER, 1, 1]),
            Kind::LineArray => ([shape.width, shape.layers, 1], [MAX_PLANE, MAX_LAYERS, 1]),
            Kind::Plane => ([shape.width, shape.height, 1], [MAX_PLANE, MAX_PLANE, 1]),
            Kind::PlaneArray => (
                [shape.width, shape.height, shape.layers],
                [MAX_PLANE, MAX_PLANE, MAX_LAYERS],
            ),
            Kind::Volume => ([shape.width, shape.height, shape.depth], [MAX_VOLUME; 3]),
        };
        let fits = |(size, most): (&usize, &usize)| (1..=*most).contains(size);
        if !extent.iter().zip(&most).all(fits) {
            return Err(Code::INVALID_IMAGE_SIZE);
        }
        let texel = format.bytes();
        let row_pitch = pitch(shape.row_pitch, extent[0] * texel, texel)?;
        // The limits keep all products of sizes and the least pitches far from the largest number.
        let slice = match shape.kind {
            Kind::LineArray => row_pitch,
            _ => row_pitch
                .checked_mul(extent[1])
                .ok_or(Code::INVALID_IMAGE_DESCRIPTOR)?,
        };
        let has_slices = has_slices(shape.kind);
        let slice_pitch = match has_slices {
            true => pitch(shape.slice_pitch, slice, row_pitch)?,
            false => 0,
        };
        Ok(Image {
            kind: shape.kind,
            format,
            extent,
            row_pitch,
            slice_pitch,
            description: DevicePtr(0),
        })
    }

    /// Whether it has planes or layers at a distance.
    pub fn has_slices(&self) -> bool {
        has_slices(self.kind)
    }

    /// Bytes from row to row and from plane to plane; layers of lines are rows.
    pub fn strides(&self) -> [usize; 2] {
        match self.kind {
            Kind::LineArray => [self.slice_pitch, self.slice_pitch * self.extent[1]],
            Kind::Volume | Kind::PlaneArray => [self.row_pitch, self.slice_pitch],
            _ => [self.row_pitch, self.row_pitch * self.extent[1]],
        }
    }

    /// Bytes of all texels; none if there are more than a number counts.
    pub fn size(&self) -> Option<usize> {
        match self.kind {
            Kind::Volume | Kind::PlaneArray => self.slice_pitch.checked_mul(self.extent[2]),
            Kind::LineArray => self.slice_pitch.checked_mul(self.extent[1]),
            _ => self.row_pitch.checked_mul(self.extent[1]),
        }
    }

    /// How a part lies in the memory object, and its bytes of a row, rows and planes.
    pub fn part(&self, origin: [usize; 3], region: [usize; 3]) -> Result<(Side, [usize; 3])> {
        for dimension in 0..3 {
            let end = origin[dimension].checked_add(region[dimension]);
            let is_inside = end.is_some_and(|end| end <= self.extent[dimension]);
            if region[dimension] == 0 || !is_inside {
                return Err(Code::INVALID_VALUE);
            }
        }
        let [row, plane] = self.strides();
        let texel = self.format.bytes();
        let side = Side {
            start: origin[0] * texel + origin[1] * row + origin[2] * plane,
            row,
            plane,
        };
        Ok((side, [region[0] * texel, region[1], region[2]]))
    }

    /// How the counterpart of a part lies in the host's memory, with the pitches that the program gives.
    pub fn host_side(&self, region: [usize; 3], row: usize, slice: usize) -> Result<Side> {
        let wrong = |_| Code::INVALID_VALUE;
        if slice != 0 && !self.has_slices() {
            return Err(Code::INVALID_VALUE);
        }
        let row = pitch(row, region[0], 1).map_err(wrong)?;
        let (row, least) = match self.kind {
            Kind::LineArray => {
                let layer = pitch(slice, row, 1).map_err(wrong)?;
                (layer, layer.checked_mul(region[1]))
            }
            _ => (row, row.checked_mul(region[1])),
        };
        let least = least.ok_or(Code::INVALID_VALUE)?;
        let plane = match self.kind {
            Kind::LineArray => least,
            _ => pitch(slice, least, 1).map_err(wrong)?,
        };
        let side = Side {
            start: 0,
            row,
            plane,
        };
        side.end(region).map(|_| side).ok_or(Code::INVALID_VALUE)
    }
}

fn has_slices(kind: Kind) -> bool {
    matches!(kind, Kind::Volume | Kind::PlaneArray | Kind::LineArray)
}

/// A pitch that the program gave, or the least.
fn pitch(given: usize, least: usize, unit: usize) -> Result<usize> {
    match given {
        0 => Ok(least),
        given if given >= least && given.is_multiple_of(unit) => Ok(given),
        _ => Err(Code::INVALID_IMAGE_DESCRIPTOR),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(kind: Kind, row_pitch: usize, slice_pitch: usize) -> Result<Image> {
        let format = Format {
            order: format::RGBA,
            channel: format::UNORM8,
        };
        let shape = Shape {
            kind,
            width: 5,
            height: 4,
            depth: 3,
            layers: 2,
            row_pitch,
            slice_pitch,
        };
        Image::new(format, shape)
    }

    #[test]
    fn pitches_are_the_least_or_as_given() {
        let plane = image(Kind::Plane, 0, 0).unwrap();
        assert_eq!((plane.row_pitch, plane.slice_pitch), (20, 0));
        assert_eq!(plane.size(), Some(80));
        let lines = image(Kind::LineArray, 24, 48).unwrap();
        assert_eq!((lines.strides(), lines.size()), ([48, 96], Some(96)));
        let volume = image(Kind::Volume, 24, 0).unwrap();
        assert_eq!((volume.slice_pitch, volume.size()), (96, Some(288)));
        for (row, slice) in [(16, 0), (22, 0), (24, 50), (24, 72), (usize::MAX & !3, 0)] {
            assert!(image(Kind::Volume, row, slice).is_err());
        }
    }

    #[test]
    fn parts_lie_inside() {
        let layers = image(Kind::PlaneArray, 0, 0).unwrap();
        let (side, region) = layers.part([1, 2, 1], [4, 2, 1]).unwrap();
        assert_eq!((side.start, region), (4 + 40 + 80, [16, 2, 1]));
        assert!(layers.part([1, 2, 1], [5, 2, 1]).is_err());
        assert!(layers.part([0, 0, usize::MAX], [1, 1, 1]).is_err());
        assert!(layers.part([0, 0, 0], [1, 0, 1]).is_err());
        let host = layers.host_side(region, 17, 40).unwrap();
        assert_eq!((host.row, host.plane), (17, 40));
        assert!(layers.host_side(region, 15, 0).is_err());
        assert!(layers.host_side(region, usize::MAX, 0).is_err());
    }

    #[test]
    fn kinds_have_numbers() {
        for kind in KINDS {
            assert_eq!(Kind::of(kind.number()), Some(kind));
        }
        assert_eq!(Kind::of(0x10f0), None);
        assert_eq!(Kind::of(0x10f7), None);
    }
}

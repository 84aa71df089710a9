//! An array as lanes along one of its dimensions, for procedures with `dim=`.

use core::ffi::c_int;

use crate::descriptor::{Descriptor, MAX_RANK};
use crate::device::Message;
use crate::value::is_true;

/// Elements in a row.
#[derive(Clone, Copy, Debug)]
pub struct Lane {
    first: *mut u8,
    stride: i64,
    /// How many.
    pub length: usize,
}

impl Lane {
    /// One of them, from 0 on.
    pub fn nth(self, number: usize) -> *mut u8 {
        self.first
            .wrapping_offset((number as i64 * self.stride) as isize)
    }
}

/// An array's lanes along a dimension.
#[derive(Clone, Copy, Debug)]
pub struct Lanes {
    array: Descriptor,
    dimension: usize,
}

impl Lanes {
    /// `dimension` counts from 1, as Fortran does.
    pub fn new(array: Descriptor, dimension: c_int) -> Lanes {
        let rank = array.rank();
        match usize::try_from(dimension) {
            Ok(given) if (1..=rank).contains(&given) => Lanes {
                array,
                dimension: given - 1,
            },
            _ => Message::new("Fortran procedure in device code with dim=")
                .number(dimension.into())
                .text(b" of an array with as many dimensions: ")
                .number(rank as i64)
                .give_up(),
        }
    }

    /// The shape of the array without the dimension, and how many dimensions that are.
    pub fn shape(self) -> ([usize; MAX_RANK], usize) {
        let mut extents = [0; MAX_RANK];
        let others = (0..self.array.rank()).filter(|&at| at != self.dimension);
        for (place, at) in extents.iter_mut().zip(others) {
            *place = self.array.extent(at);
        }
        (extents, self.array.rank() - 1)
    }

    /// How many lanes.
    pub fn count(self) -> usize {
        let (extents, rank) = self.shape();
        extents[..rank].iter().product()
    }

    /// One lane, in array element order of the other dimensions.
    pub fn nth(self, number: usize) -> Lane {
        let (mut rest, mut offset) = (number, 0);
        for at in (0..self.array.rank()).filter(|&at| at != self.dimension) {
            let extent = self.array.extent(at).max(1);
            offset += (rest % extent) as i64 * self.array.dimension(at).stride;
            rest /= extent;
        }
        Lane {
            first: self.array.base().wrapping_offset(offset as isize),
            stride: self.array.dimension(self.dimension).stride,
            length: self.array.extent(self.dimension),
        }
    }
}

/// `mask=`: none, a scalar, or an array of the same shape.
#[derive(Clone, Copy, Debug)]
pub struct Mask(pub Option<Descriptor>);

impl Mask {
    /// Whether an element counts, by its number in array element order.
    pub fn takes(self, number: usize) -> bool {
        self.0.is_none_or(|mask| {
            let at = if mask.rank() == 0 {
                mask.base()
            } else {
                mask.nth(number)
            };
            // SAFETY: an element of the mask.
            unsafe { is_true(at, mask.element()) }
        })
    }

    /// The same for the elements of a lane.
    pub fn lane(self, dimension: c_int, number: usize) -> LaneMask {
        match self.0 {
            Some(mask) if mask.rank() > 0 => LaneMask {
                lane: Some(Lanes::new(mask, dimension).nth(number)),
                element: mask.element(),
                all: true,
            },
            _ => LaneMask {
                lane: None,
                element: 0,
                all: self.takes(0),
            },
        }
    }
}

/// A mask for a lane.
#[derive(Clone, Copy, Debug)]
pub struct LaneMask {
    lane: Option<Lane>,
    element: usize,
    all: bool,
}

impl LaneMask {
    /// Whether an element of the lane counts.
    pub fn takes(self, number: usize) -> bool {
        match self.lane {
            // SAFETY: an element of the mask.
            Some(lane) => unsafe { is_true(lane.nth(number), self.element) },
            None => self.all,
        }
    }
}

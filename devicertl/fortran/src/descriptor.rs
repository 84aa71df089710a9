//! flang's array descriptor: `CFI_cdesc_t` (Fortran 2023, 18.5.3) and, behind its dimensions, flang's addendum with the
//! derived type.

use crate::derived_type::DerivedType;
use crate::device;

/// Most dimensions of an array.
pub const MAX_RANK: usize = 15;
/// `CFI_VERSION` of flang 22.
const VERSION: i32 = 20_240_719;
/// The attribute of what may be allocated and is not a pointer.
pub const ALLOCATABLE: u8 = 2;
/// The bit of `extra` that says that there is an addendum.
const HAS_ADDENDUM: u8 = 1;

/// One dimension.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dimension {
    /// The first subscript.
    pub lower: i64,
    /// How many elements.
    pub extent: i64,
    /// Bytes from an element to the next.
    pub stride: i64,
}

/// What every descriptor begins with. Its dimensions follow.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Header {
    /// The first element; null: not allocated.
    pub base: *mut u8,
    /// Bytes of an element.
    pub element: usize,
    version: i32,
    /// Dimensions.
    pub rank: u8,
    /// The code of the element's type (`value`).
    pub code: i8,
    /// Neither (0), pointer (1), allocatable (2).
    pub attribute: u8,
    extra: u8,
}

/// A descriptor in memory.
#[derive(Clone, Copy, Debug)]
pub struct Descriptor(*mut Header);

impl Descriptor {
    /// # Safety
    /// `header` is a descriptor with its dimensions and addendum, as long as this value is used.
    pub unsafe fn at(header: *mut Header) -> Descriptor {
        Descriptor(header)
    }

    /// None for null.
    ///
    /// # Safety
    /// As for [`Descriptor::at`].
    pub unsafe fn optional(header: *mut Header) -> Option<Descriptor> {
        (!header.is_null()).then_some(Descriptor(header))
    }

    /// Its header.
    pub fn header(self) -> Header {
        // SAFETY: the constructor's contract.
        unsafe { self.0.read() }
    }

    /// Changes its header.
    pub fn change(self, change: impl FnOnce(&mut Header)) {
        let mut header = self.header();
        change(&mut header);
        // SAFETY: the constructor's contract.
        unsafe { self.0.write(header) }
    }

    /// The first element.
    pub fn base(self) -> *mut u8 {
        self.header().base
    }

    /// Bytes of an element.
    pub fn element(self) -> usize {
        self.header().element
    }

    /// Dimensions.
    pub fn rank(self) -> usize {
        usize::from(self.header().rank)
    }

    fn place(self, at: usize) -> *mut Dimension {
        // SAFETY: the dimensions follow the header.
        unsafe { self.0.add(1).cast::<Dimension>().add(at) }
    }

    /// One dimension, from 0 on.
    pub fn dimension(self, at: usize) -> Dimension {
        // SAFETY: within the descriptor.
        unsafe { self.place(at).read() }
    }

    /// Changes one dimension, from 0 on.
    pub fn set_dimension(self, at: usize, dimension: Dimension) {
        // SAFETY: within the descriptor.
        unsafe { self.place(at).write(dimension) }
    }

    /// Elements of one dimension, from 0 on.
    pub fn extent(self, at: usize) -> usize {
        usize::try_from(self.dimension(at).extent).unwrap_or(0)
    }

    /// Elements of the array; 1 for a scalar.
    pub fn count(self) -> usize {
        (0..self.rank()).map(|at| self.extent(at)).product()
    }

    /// An element by its number in array element order (Fortran 2023, 9.5.3.3), from 0 on.
    pub fn nth(self, number: usize) -> *mut u8 {
        let (mut rest, mut offset, rank) = (number, 0, self.rank());
        for at in 0..rank {
            let dimension = self.dimension(at);
            let mut place = rest;
            if at + 1 < rank {
                let extent = self.extent(at).max(1);
                place = rest % extent;
                rest /= extent;
            }
            offset += place as i64 * dimension.stride;
        }
        self.base().wrapping_offset(offset as isize)
    }

    /// Whether its elements lie one after the other.
    pub fn is_contiguous(self) -> bool {
        let mut bytes = self.element() as i64;
        for at in 0..self.rank() {
            let dimension = self.dimension(at);
            if dimension.extent > 1 && dimension.stride != bytes {
                return false;
            }
            bytes *= dimension.extent;
        }
        true
    }

    /// Lays its elements out one after the other; gives the bytes that they take.
    pub fn make_contiguous(self) -> usize {
        let mut bytes = self.element();
        for at in 0..self.rank() {
            let mut dimension = self.dimension(at);
            dimension.stride = bytes as i64;
            self.set_dimension(at, dimension);
            bytes *= self.extent(at);
        }
        bytes
    }

    /// Describes something else: elements on the heap that lie one after the other, from 1 on. `like` has their type.
    pub fn establish(self, base: *mut u8, like: Descriptor, element: usize, extents: &[usize]) {
        let type_of = like.header();
        let rank = extents.len();
        let header = Header {
            base,
            element,
            version: VERSION,
            rank: rank as u8,
            code: type_of.code,
            attribute: ALLOCATABLE,
            extra: type_of.extra & HAS_ADDENDUM,
        };
        let addendum = (header.extra != 0)
            // SAFETY: the addendum: a type and the one length that flang always reserves.
            .then(|| unsafe { like.place(like.rank()).cast::<[u64; 2]>().read() });
        let mut bytes = element;
        // SAFETY: flang gives a descriptor as large as what is to be described.
        unsafe {
            self.0.write(header);
            for (at, &extent) in extents.iter().enumerate() {
                self.set_dimension(
                    at,
                    Dimension {
                        lower: 1,
                        extent: extent as i64,
                        stride: bytes as i64,
                    },
                );
                bytes *= extent;
            }
            if let Some(addendum) = addendum {
                self.place(rank).cast::<[u64; 2]>().write(addendum);
            }
        }
    }

    /// Describes an allocatable variable (2) or a pointer (1) that has no memory, of a derived type or another.
    pub fn nullify(
        self,
        code: i8,
        element: usize,
        rank: usize,
        attribute: u8,
        derived: Option<*const u8>,
    ) {
        let header = Header {
            base: core::ptr::null_mut(),
            element,
            version: VERSION,
            rank: rank as u8,
            code,
            attribute,
            extra: if derived.is_some() { HAS_ADDENDUM } else { 0 },
        };
        // SAFETY: the constructor's contract; a descriptor of a derived type has room for the addendum.
        unsafe {
            self.0.write(header);
            if let Some(derived) = derived {
                let addendum = self.place(rank).cast::<(*const u8, i64)>();
                addendum.write((derived, 0));
            }
        }
    }

    /// [`Descriptor::establish`] with new memory: the result of an intrinsic function.
    pub fn allocate(self, like: Descriptor, element: usize, extents: &[usize]) {
        let bytes = element * extents.iter().product::<usize>();
        let base = device::allocate(bytes, "the result of an intrinsic function");
        self.establish(base, like, element, extents);
    }

    /// The addresses of its first byte and behind its last one.
    pub fn span(self) -> (usize, usize) {
        let (mut first, mut last) = (self.base() as usize as i64, self.base() as usize as i64);
        for at in 0..self.rank() {
            let dimension = self.dimension(at);
            let length = (dimension.extent - 1).max(0) * dimension.stride;
            first += length.min(0);
            last += length.max(0);
        }
        (first as usize, last as usize + self.element())
    }

    /// The derived type of its elements, if they have one.
    pub fn derived_type(self) -> Option<DerivedType> {
        if self.header().extra & HAS_ADDENDUM == 0 {
            return None;
        }
        // SAFETY: the addendum lies behind the dimensions, and begins with the type.
        let information = unsafe { self.place(self.rank()).cast::<*const u8>().read() };
        // SAFETY: flang's own description of the type, or null.
        unsafe { DerivedType::optional(information) }
    }
}

/// Room for a descriptor without a derived type.
#[repr(C)]
#[derive(Debug)]
pub struct Room {
    header: Header,
    dimensions: [Dimension; MAX_RANK],
}

impl Room {
    /// A descriptor of elements that lie one after the other, from 1 on.
    pub fn new(base: *mut u8, code: i8, element: usize, extents: &[usize]) -> Room {
        let mut room = Room {
            header: Header {
                base,
                element,
                version: VERSION,
                rank: extents.len() as u8,
                code,
                attribute: 0,
                extra: 0,
            },
            dimensions: [Dimension::default(); MAX_RANK],
        };
        let mut bytes = element;
        for (dimension, &extent) in room.dimensions.iter_mut().zip(extents) {
            *dimension = Dimension {
                lower: 1,
                extent: extent as i64,
                stride: bytes as i64,
            };
            bytes *= extent;
        }
        room
    }

    /// It as a descriptor. Must not be used when the room is gone.
    pub fn descriptor(&mut self) -> Descriptor {
        Descriptor((&raw mut *self).cast())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_is_flangs() {
        assert_eq!(size_of::<Header>(), 24);
        assert_eq!(size_of::<Dimension>(), 24);
        assert_eq!(core::mem::offset_of!(Header, rank), 20);
        assert_eq!(core::mem::offset_of!(Header, extra), 23);
    }

    #[test]
    fn elements_come_in_array_element_order() {
        let mut data: [i32; 12] = core::array::from_fn(|i| i as i32);
        let mut room = Room::new(data.as_mut_ptr().cast(), 9, 4, &[3, 4]);
        let whole = room.descriptor();
        assert_eq!((whole.count(), whole.is_contiguous()), (12, true));
        assert_eq!(whole.nth(7), (&raw mut data[7]).cast());
        // Every second column, backwards.
        whole.change(|header| header.base = (&raw mut data[9]).cast());
        whole.set_dimension(
            1,
            Dimension {
                lower: 1,
                extent: 2,
                stride: -24,
            },
        );
        assert_eq!((whole.count(), whole.is_contiguous()), (6, false));
        assert_eq!(whole.nth(4), (&raw mut data[4]).cast());
    }
}

//! One item of a construct's data environment, read from the parallel arrays that clang passes.

use std::fmt;
use std::ops::Range;

use smallvec::SmallVec;

use crate::abi::MapperFunction;
use crate::mapping::item_name::ItemName;
use crate::mapping::map_type::MapType;

/// One item: a list item of a clause, or a part of one.
#[derive(Clone, Copy, Debug)]
pub struct MapItem {
    /// Base address: of the object the section is part of, or of the pointer to attach.
    pub base: u64,
    /// First byte.
    pub begin: u64,
    /// Bytes (dimensions for non-contiguous items).
    pub size: u64,
    /// What to do with it.
    pub kind: MapType,
    /// Its source text; empty without `-g`.
    pub name: ItemName,
    /// The user-defined mapper to expand it with.
    pub mapper: Option<MapperFunction>,
}

impl MapItem {
    /// The part of the item inside a mapped `host` range. That is all of it, except for implicit maps of something that
    /// is partly mapped.
    pub fn part_inside(&self, host: &Range<u64>) -> Range<u64> {
        let start = self.begin.max(host.start);
        let end = self.begin.saturating_add(self.size).min(host.end);
        start..end.max(start)
    }

    /// The pointer at `address`, a base of an item with `PTR_AND_OBJ` or `ATTACH`.
    ///
    /// # Safety
    /// `address` is the address of a readable pointer.
    pub unsafe fn read_pointer(address: u64) -> u64 {
        // SAFETY: caller; members of packed structs may be unaligned.
        unsafe { (address as *const u64).read_unaligned() }
    }
}

impl fmt::Display for MapItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.expression();
        if !name.is_empty() {
            write!(f, "'{name}' (")?;
        }
        write!(f, "{} bytes at host address {:#x}", self.size, self.begin)?;
        if name.is_empty() {
            Ok(())
        } else {
            f.write_str(")")
        }
    }
}

/// The items of a construct. Most constructs have few.
pub type Items = SmallVec<[MapItem; 4]>;

//! Map types: what clang says about one item of a `map`, `use_device_ptr`, `private` or motion
//! clause (`OpenMPOffloadMappingFlags` in `OMPConstants.h`).

use std::fmt;

/// The flags of one item.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct MapType(pub u64);

impl MapType {
    /// Copy host to device when the storage is new.
    pub const TO: u64 = 0x1;
    /// Copy device to host when the last reference goes.
    pub const FROM: u64 = 0x2;
    /// Copy whatever the reference count is.
    pub const ALWAYS: u64 = 0x4;
    /// Drop every reference.
    pub const DELETE: u64 = 0x8;
    /// The base is the address of a pointer that is to be attached to the item.
    pub const PTR_AND_OBJ: u64 = 0x10;
    /// The item is an argument of the kernel.
    pub const TARGET_PARAM: u64 = 0x20;
    /// Hand the device address back (`use_device_ptr`, `use_device_addr`).
    pub const RETURN_PARAM: u64 = 0x40;
    /// Private storage for this region alone.
    pub const PRIVATE: u64 = 0x80;
    /// The base is the value itself.
    pub const LITERAL: u64 = 0x100;
    /// Not written by the user.
    pub const IMPLICIT: u64 = 0x200;
    /// Prefer memory near the device.
    pub const CLOSE: u64 = 0x400;
    /// It is an error if the item is not there already.
    pub const PRESENT: u64 = 0x1000;
    /// Count on the hold counter (`ompx_hold`).
    pub const HOLD: u64 = 0x2000;
    /// Attach the pointer at the base to the item; maps nothing.
    pub const ATTACH: u64 = 0x4000;
    /// An item that is not mapped becomes null (with `RETURN_PARAM`).
    pub const NULLIFY: u64 = 0x8000;
    /// The item is an array of [`crate::abi::Dimension`], its size their number.
    pub const NON_CONTIGUOUS: u64 = 0x1000_0000_0000;
    /// Index + 1 of the item this one is a member of.
    pub const MEMBER_OF: u64 = 0xffff_0000_0000_0000;

    /// Whether all of `flags` are set.
    pub fn has(self, flags: u64) -> bool {
        self.0 & flags == flags
    }

    /// Whether the item is part of one that comes before it.
    pub fn is_member(self) -> bool {
        self.0 & Self::MEMBER_OF != 0
    }

    /// Index of the item this one is a member of.
    pub fn parent(self) -> Option<usize> {
        ((self.0 >> 48) as usize).checked_sub(1)
    }

    /// Whether the data environment ignores it: passed by value or private to the region.
    pub fn is_unmapped(self) -> bool {
        self.0 & (Self::LITERAL | Self::PRIVATE) != 0
    }

    /// A variable a lambda captures by reference: its address goes into the lambda's copy.
    pub fn is_lambda_capture(self) -> bool {
        self.has(Self::PTR_AND_OBJ | Self::LITERAL | Self::IMPLICIT)
    }
}

impl fmt::Debug for MapType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MapType({:#x})", self.0)
    }
}

impl fmt::Display for MapType {
    /// As a user would write it: `always, tofrom`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (flag, word) in [
            (Self::ALWAYS, "always, "),
            (Self::PRESENT, "present, "),
            (Self::HOLD, "ompx_hold, "),
        ] {
            if self.has(flag) {
                f.write_str(word)?;
            }
        }
        f.write_str(match () {
            () if self.has(Self::ATTACH) => "attach",
            () if self.has(Self::LITERAL) => "firstprivate",
            () if self.has(Self::PRIVATE | Self::TO) => "firstprivate",
            () if self.has(Self::PRIVATE) => "private",
            () if self.has(Self::DELETE) => "delete",
            () if self.has(Self::TO | Self::FROM) => "tofrom",
            () if self.has(Self::TO) => "to",
            () if self.has(Self::FROM) => "from",
            () if self.has(Self::RETURN_PARAM) => "use_device_ptr",
            () => "alloc",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_clang_emits_read_as_written() {
        assert_eq!(MapType(0x23).to_string(), "tofrom");
        assert_eq!(MapType(0x27).to_string(), "always, tofrom");
        assert_eq!(MapType(0x120).to_string(), "firstprivate");
        assert_eq!(MapType(0x4000).to_string(), "attach");
        assert_eq!(MapType(0x1_0000_0000_0003).parent(), Some(0));
        assert_eq!(MapType(0x3).parent(), None);
        assert!(MapType(0x310).is_lambda_capture());
    }
}

//! Map types: the flags of one item of a `map`, `use_device_ptr`, `private` or motion clause
//! (`OpenMPOffloadMappingFlags` in `OMPConstants.h`).

use std::fmt;

use bitflags::bitflags;

bitflags! {
    /// The flags of one item.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct MapType: u64 {
        /// Copy host to device if the storage is new.
        const TO = 0x1;
        /// Copy device to host if the last reference goes.
        const FROM = 0x2;
        /// Copy regardless of the reference count.
        const ALWAYS = 0x4;
        /// Drop every reference.
        const DELETE = 0x8;
        /// The base is the address of a pointer to attach to the item.
        const PTR_AND_OBJ = 0x10;
        /// The item is an argument of the kernel.
        const TARGET_PARAM = 0x20;
        /// Return the device address (`use_device_ptr`, `use_device_addr`).
        const RETURN_PARAM = 0x40;
        /// Private storage for this region alone.
        const PRIVATE = 0x80;
        /// The base is the value itself.
        const LITERAL = 0x100;
        /// Added by the compiler.
        const IMPLICIT = 0x200;
        /// Prefer memory near the device.
        const CLOSE = 0x400;
        /// An item that is not mapped is an error.
        const PRESENT = 0x1000;
        /// Count on the hold counter (`ompx_hold`).
        const HOLD = 0x2000;
        /// Attach the pointer at the base to the item; map nothing.
        const ATTACH = 0x4000;
        /// An item that is not mapped becomes null (with `RETURN_PARAM`).
        const NULLIFY = 0x8000;
        /// The item is an array of [`crate::abi::Dimension`], its size their number.
        const NON_CONTIGUOUS = 0x1000_0000_0000;
        /// Index + 1 of the item this one is a member of.
        const MEMBER_OF = 0xffff_0000_0000_0000;
        /// Flags that newer compilers may add.
        const _ = !0;
    }
}

impl MapType {
    /// Whether the item is a member of an earlier one.
    pub fn is_member(self) -> bool {
        self.intersects(Self::MEMBER_OF)
    }

    /// Index of the item this one is a member of.
    pub fn parent(self) -> Option<usize> {
        ((self.bits() >> 48) as usize).checked_sub(1)
    }

    /// Whether the data environment ignores the item, because it is passed by value or private to the region.
    pub fn is_unmapped(self) -> bool {
        self.intersects(Self::LITERAL | Self::PRIVATE)
    }

    /// Whether the item is a variable that a lambda captures by reference. Its address goes into the lambda's device
    /// copy.
    pub fn is_lambda_capture(self) -> bool {
        self.contains(Self::PTR_AND_OBJ | Self::LITERAL | Self::IMPLICIT)
    }
}

impl fmt::Display for MapType {
    /// In the user's syntax: `always, tofrom`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (flag, word) in [
            (Self::ALWAYS, "always, "),
            (Self::PRESENT, "present, "),
            (Self::HOLD, "ompx_hold, "),
        ] {
            if self.contains(flag) {
                f.write_str(word)?;
            }
        }
        f.write_str(match () {
            () if self.contains(Self::ATTACH) => "attach",
            () if self.contains(Self::LITERAL) => "firstprivate",
            () if self.contains(Self::PRIVATE | Self::TO) => "firstprivate",
            () if self.contains(Self::PRIVATE) => "private",
            () if self.contains(Self::DELETE) => "delete",
            () if self.contains(Self::TO | Self::FROM) => "tofrom",
            () if self.contains(Self::TO) => "to",
            () if self.contains(Self::FROM) => "from",
            () if self.contains(Self::RETURN_PARAM) => "use_device_ptr",
            () => "alloc",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_clang_emits_read_as_written() {
        let of = MapType::from_bits_retain;
        assert_eq!(of(0x23).to_string(), "tofrom");
        assert_eq!(of(0x27).to_string(), "always, tofrom");
        assert_eq!(of(0x120).to_string(), "firstprivate");
        assert_eq!(of(0x4000).to_string(), "attach");
        assert_eq!(of(0x1_0000_0000_0003).parent(), Some(0));
        assert_eq!(of(0x3).parent(), None);
        assert!(of(0x310).is_lambda_capture());
    }
}

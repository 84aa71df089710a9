//! The host's table of offload entries: regions, `declare target` variables and functions, `requires` clauses. clang
//! has used two layouts; this module reads both.

use std::ffi::{CStr, c_char, c_void};

use bitflags::bitflags;

use crate::abi;

bitflags! {
    /// The kind of an entry (`OMPTargetGlobalVarEntryKind` and `OMPTargetRegionEntryKind` in `OMPIRBuilder.h`).
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct EntryFlags: u32 {
        /// `declare target link`: the address is that of the reference pointer.
        const LINK = 0x01;
        /// A function callable through a host function pointer.
        const INDIRECT = 0x08;
        /// The data word holds `requires` clauses.
        const REQUIRES = 0x10;
        /// A table of virtual functions callable on the device.
        const INDIRECT_VTABLE = 0x20;
        /// Flags that newer compilers may add.
        const _ = !0;
    }
}

/// `OffloadKind` of OpenMP.
const OPENMP: u16 = 1;

/// One offload entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Host address: region id, variable or function.
    pub address: u64,
    /// Symbol in the device image.
    pub name: String,
    /// Bytes of a variable, 0 for a region.
    pub size: u64,
    /// Its kind.
    pub flags: EntryFlags,
    /// Extra value.
    pub data: u64,
}

impl Entry {
    /// Whether it is a target region.
    pub fn is_region(&self) -> bool {
        self.size == 0 && self.flags.is_empty()
    }
}

/// Reads the entries between two addresses, in whichever layout they are.
///
/// # Safety
/// `begin..end` is a section of offload entries as clang and the linker lay it out, or empty.
pub unsafe fn read(begin: *const c_void, end: *const c_void) -> Vec<Entry> {
    let bytes = (end as usize).saturating_sub(begin as usize);
    if begin.is_null() || bytes < size_of::<abi::LegacyEntry>() {
        return Vec::new();
    }
    // SAFETY: there are at least 32 bytes.
    let legacy = unsafe { begin.cast::<u64>().read_unaligned() } != 0;
    if legacy {
        // SAFETY: the caller's section; its first word tells the layout.
        unsafe { values::<abi::LegacyEntry>(begin, bytes) }
            // SAFETY: names are NUL-terminated strings (caller).
            .filter_map(|entry| unsafe { from_legacy(&entry) })
            .collect()
    } else {
        // SAFETY: as above.
        unsafe { values::<abi::Entry>(begin, bytes) }
            // SAFETY: as above.
            .filter_map(|entry| unsafe { from_current(&entry) })
            .collect()
    }
}

/// The values of a section. clang up to 20 does not align them.
///
/// # Safety
/// `begin` points at `bytes` readable bytes holding values of `T`, as long as the iterator is in use.
unsafe fn values<T>(begin: *const c_void, bytes: usize) -> impl Iterator<Item = T> {
    let count = bytes / size_of::<T>();
    // SAFETY: caller; the index is within the section.
    (0..count).map(move |index| unsafe { begin.cast::<T>().add(index).read_unaligned() })
}

/// # Safety
/// The entry's name is null or a NUL-terminated string.
unsafe fn from_current(entry: &abi::Entry) -> Option<Entry> {
    if entry.kind != OPENMP {
        return None;
    }
    Some(Entry {
        address: entry.address as u64,
        // SAFETY: caller.
        name: unsafe { string(entry.name) }?,
        size: entry.size,
        flags: EntryFlags::from_bits_retain(entry.flags),
        data: entry.data,
    })
}

/// # Safety
/// As [`from_current`].
unsafe fn from_legacy(entry: &abi::LegacyEntry) -> Option<Entry> {
    Some(Entry {
        address: entry.address as u64,
        // SAFETY: caller.
        name: unsafe { string(entry.name) }?,
        size: entry.size,
        flags: EntryFlags::from_bits_retain(entry.flags as u32),
        data: entry.data as u32 as u64,
    })
}

/// # Safety
/// `text` is null or a NUL-terminated string.
unsafe fn string(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: caller.
    Some(
        unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .into_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_layouts() {
        let address = 0x1234usize as *const c_void;
        let current = [abi::Entry {
            reserved: 0,
            version: 1,
            kind: 1,
            flags: EntryFlags::LINK.bits(),
            address,
            name: c"x_decl_tgt_ref_ptr".as_ptr(),
            size: 8,
            data: 0,
            auxiliary: std::ptr::null(),
        }];
        let legacy = [
            abi::LegacyEntry {
                address,
                name: c"region".as_ptr(),
                size: 0,
                flags: 0,
                data: 0,
            },
            abi::LegacyEntry {
                address,
                name: c"v".as_ptr(),
                size: 4,
                flags: 1,
                data: 0,
            },
        ];
        let ends =
            |entries: *const c_void, bytes: usize| (entries, entries.wrapping_byte_add(bytes));
        let (begin, end) = ends(current.as_ptr().cast(), 56);
        // SAFETY: the arrays are live and laid out as stated.
        let read_current = unsafe { read(begin, end) };
        assert_eq!(read_current.len(), 1);
        assert_eq!(
            (
                read_current[0].address,
                read_current[0].flags,
                read_current[0].size
            ),
            (0x1234, EntryFlags::LINK, 8)
        );
        let (begin, end) = ends(legacy.as_ptr().cast(), 64);
        // SAFETY: as above.
        let read_legacy = unsafe { read(begin, end) };
        assert_eq!(
            read_legacy
                .iter()
                .map(|entry| entry.name.as_str())
                .collect::<Vec<_>>(),
            ["region", "v"]
        );
        assert!(read_legacy[0].is_region() && !read_legacy[1].is_region());
    }

    #[test]
    fn entries_of_other_languages_are_left_alone() {
        let cuda = abi::Entry {
            reserved: 0,
            version: 1,
            kind: 2,
            flags: 0,
            address: std::ptr::null(),
            name: c"k".as_ptr(),
            size: 0,
            data: 0,
            auxiliary: std::ptr::null(),
        };
        let begin: *const c_void = (&raw const cuda).cast();
        // SAFETY: one live entry.
        assert!(unsafe { read(begin, begin.wrapping_byte_add(56)) }.is_empty());
        // SAFETY: an empty range is never read.
        assert!(unsafe { read(std::ptr::null(), std::ptr::null()) }.is_empty());
    }
}

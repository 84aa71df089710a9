//! The parallel arrays in which clang passes the items of a construct.

use std::ffi::c_void;

use crate::abi::MapperFunction;
use crate::mapping::item_name::ItemName;
use crate::mapping::map_item::{Items, MapItem};
use crate::mapping::map_type::MapType;

/// The parallel arrays an entry point receives.
#[derive(Clone, Copy, Debug)]
pub struct RawItems {
    /// Number of items; negative counts as none.
    pub count: i32,
    /// Base addresses.
    pub bases: *mut *mut c_void,
    /// Begin addresses.
    pub begins: *mut *mut c_void,
    /// Sizes.
    pub sizes: *const i64,
    /// Map types.
    pub types: *const i64,
    /// Names or null.
    pub names: *const *mut c_void,
    /// Mappers or null.
    pub mappers: *const *mut c_void,
}

impl RawItems {
    /// The arrays in the order in which entry points receive them.
    pub fn new(
        count: i32,
        bases: *mut *mut c_void,
        begins: *mut *mut c_void,
        sizes: *const i64,
        types: *const i64,
        names: *const *mut c_void,
        mappers: *const *mut c_void,
    ) -> RawItems {
        RawItems {
            count,
            bases,
            begins,
            sizes,
            types,
            names,
            mappers,
        }
    }

    /// Copies the arrays into items.
    ///
    /// # Safety
    /// Each non-null array has `count` elements, names are NUL-terminated strings and mappers
    /// functions of type [`MapperFunction`], all as clang emits them.
    pub unsafe fn items(&self) -> Items {
        let absent = self.bases.is_null()
            || self.begins.is_null()
            || self.sizes.is_null()
            || self.types.is_null();
        let count = match absent {
            true => 0,
            false => usize::try_from(self.count).unwrap_or(0),
        };
        // The one value that is returned, so that it is made in its place.
        let mut items = Items::new();
        for index in 0..count {
            // SAFETY: `index` is below the length the caller guarantees.
            items.push(unsafe { self.item(index) });
        }
        items
    }

    /// # Safety
    /// As [`RawItems::items`], with `index < count`.
    unsafe fn item(&self, index: usize) -> MapItem {
        // SAFETY: the arrays have more than `index` elements (caller).
        let (base, begin, size, kind) = unsafe {
            (
                *self.bases.add(index),
                *self.begins.add(index),
                *self.sizes.add(index),
                *self.types.add(index),
            )
        };
        // SAFETY: as above; null arrays are not followed.
        let name = unsafe { element(self.names, index) };
        // SAFETY: as above.
        let mapper = unsafe { element(self.mappers, index) };
        MapItem {
            base: base as u64,
            begin: begin as u64,
            size: size.max(0) as u64,
            kind: MapType::from_bits_retain(kind as u64),
            // SAFETY: a non-null name is a NUL-terminated string (caller).
            name: unsafe { ItemName::from_raw(name.unwrap_or(std::ptr::null_mut()).cast()) },
            // SAFETY: a non-null mapper is a mapper function (caller).
            mapper: mapper.map(|function| unsafe {
                std::mem::transmute::<*mut c_void, MapperFunction>(function)
            }),
        }
    }

    /// Writes back the device address of a `use_device_ptr` or `use_device_addr` item.
    ///
    /// # Safety
    /// As [`RawItems::items`], with `index < count` and `bases` writable.
    pub unsafe fn set_base(&self, index: usize, value: u64) {
        // SAFETY: caller.
        unsafe { *self.bases.add(index) = value as *mut c_void };
    }
}

/// # Safety
/// `array` is null or has more than `index` elements.
unsafe fn element(array: *const *mut c_void, index: usize) -> Option<*mut c_void> {
    if array.is_null() {
        return None;
    }
    // SAFETY: caller.
    let value = unsafe { *array.add(index) };
    (!value.is_null()).then_some(value)
}

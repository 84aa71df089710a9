//! The C structures that clang emits and passes, exactly as they lie in memory. The entry points
//! turn them into safe types.
//!
//! Sources of the layouts: `llvm/Frontend/OpenMP/OMPKinds.def`,
//! `llvm/Frontend/Offloading/Utility.h`, and what clang 19 and 22 emit with `-emit-llvm`.

use std::ffi::{c_char, c_void};

/// `ident_t`: where a construct is in the user's source.
#[repr(C)]
#[derive(Debug)]
pub struct Ident {
    /// Reserved.
    pub reserved_1: i32,
    /// Flags of the host runtime.
    pub flags: i32,
    /// Reserved.
    pub reserved_2: i32,
    /// Length of `psource`; not used.
    pub reserved_3: i32,
    /// `;file;function;line;column;;`, NUL-terminated.
    pub psource: *const c_char,
}

/// `__tgt_device_image`: one image inside the program.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct DeviceImage {
    /// First byte.
    pub start: *const u8,
    /// One past the last byte.
    pub end: *const u8,
    /// The program's entries (same as in the descriptor).
    pub entries_begin: *const c_void,
    /// One past the last entry.
    pub entries_end: *const c_void,
}

/// `__tgt_bin_desc`: what a program or shared library registers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct BinaryDescriptor {
    /// Number of images.
    pub images: i32,
    /// The images.
    pub device_images: *const DeviceImage,
    /// First host entry.
    pub host_entries_begin: *const c_void,
    /// One past the last host entry.
    pub host_entries_end: *const c_void,
}

/// Offload entry of clang 21 and later. `reserved` is zero. In the older layout the first word is an address.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Always zero.
    pub reserved: u64,
    /// 1.
    pub version: u16,
    /// Its consumer: 1 is OpenMP (`OffloadKind` of `OffloadBinary.h`).
    pub kind: u16,
    /// See [`crate::device::entries`].
    pub flags: u32,
    /// Host address: a region id, a global or a function.
    pub address: *const c_void,
    /// Symbol in the device image.
    pub name: *const c_char,
    /// Bytes of a global, 0 for a region.
    pub size: u64,
    /// Extra value.
    pub data: u64,
    /// Extra address.
    pub auxiliary: *const c_void,
}

/// Offload entry of clang 20 and earlier.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct LegacyEntry {
    /// Host address: a region id, a global or a function.
    pub address: *const c_void,
    /// Symbol in the device image.
    pub name: *const c_char,
    /// Bytes of a global, 0 for a region.
    pub size: u64,
    /// See [`crate::device::entries`].
    pub flags: i32,
    /// Extra value (the clauses of `requires`).
    pub data: i32,
}

/// `__tgt_kernel_arguments`, versions 2 and 3. Version 1 ends after `trip_count`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct KernelArguments {
    /// Version of this structure. From 3 on, kernels take the launch environment as their first parameter.
    pub version: u32,
    /// Length of the arrays that follow.
    pub count: u32,
    /// Base addresses.
    pub bases: *mut *mut c_void,
    /// Begin addresses.
    pub begins: *mut *mut c_void,
    /// Sizes in bytes.
    pub sizes: *mut i64,
    /// Map types.
    pub types: *mut i64,
    /// Names, null without `-g`.
    pub names: *mut *mut c_void,
    /// Mapper functions, null when there is none.
    pub mappers: *mut *mut c_void,
    /// Iterations of the loop the region distributes, 0 when unknown.
    pub trip_count: u64,
    /// Bit 0: `nowait`.
    pub flags: u64,
    /// `num_teams` per dimension.
    pub num_teams: [u32; 3],
    /// `thread_limit` per dimension.
    pub thread_limit: [u32; 3],
    /// Bytes of `ompx_dyn_cgroup_mem`.
    pub dynamic_shared: u32,
}

/// One dimension of a non-contiguous `target update` section.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// First element.
    pub offset: u64,
    /// Elements.
    pub count: u64,
    /// Bytes from one element to the next.
    pub stride: u64,
}

/// A user-defined mapper, as clang emits it: fills `handle` through
/// `__tgt_push_mapper_component`.
pub type MapperFunction = unsafe extern "C" fn(
    handle: *mut c_void,
    base: *mut c_void,
    begin: *mut c_void,
    size: i64,
    map_type: i64,
    name: *mut c_void,
);

const _: () = assert!(size_of::<Entry>() == 56);
const _: () = assert!(size_of::<LegacyEntry>() == 32);
const _: () = assert!(size_of::<KernelArguments>() == 104);

//! Device images: the code for a device that an offload program carries.
//!
//! [`Image::parse`] recognises raw LLVM bitcode, ELF objects (cubins, AMDGPU code objects, shared objects of the host),
//! PTX text, CUDA fat binaries, and clang's containers around any of these: `OffloadBinary`s, and the bundles of HIP
//! programs. It checks every size and offset that a format announces against the bytes that are there.
//! [`Image::wrap`] writes an `OffloadBinary`, [`bundle()`] a bundle. [`fat_entries`] lists what a CUDA fat binary
//! holds. [`fat_binary`] makes one of `OffloadBinary`s, as the `fatbinary` of `dist/cuda-stub` does.
//!
//! This crate depends on no other crate of the project.

mod bitcode;
mod bundle;
mod image;
mod image_parser;
mod nvidia;
mod offload_binary;
mod unpack;

pub use bundle::{bundle, bundle_size};
pub use image::{Image, ImageError, ImageKind};
pub use nvidia::{
    FAT_HEADER, FAT_MAGIC, FatEntry, FatKind, FatPacking, fat_binary, fat_entries, fat_size,
    preferred_ptx,
};

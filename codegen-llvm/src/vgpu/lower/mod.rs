//! What each intrinsic does, as LLVM assembly: one always-inlined function per intrinsic used.
//!
//! They are text because everybody who checks them reads LLVM assembly. `nvptx` follows the chapters of the PTX ISA,
//! `amdgcn` follows LLVM's AMDGPU usage and AMD's ISA manuals. What both use is in `engine`.

pub mod amdgcn;
pub mod body;
pub mod engine;
pub mod library;
pub mod nvptx;

pub use body::Body;

/// A declared function that may have a lowering.
pub struct Request<'a> {
    /// Its name.
    pub name: &'a str,
    /// Result type as LLVM prints it.
    pub result: String,
    /// Parameter types as LLVM prints them.
    pub parameters: Vec<String>,
    /// Lanes per warp of the image.
    pub warp_size: u32,
}

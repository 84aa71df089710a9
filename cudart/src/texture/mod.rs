//! Arrays, and the textures and surfaces by which kernels read and write them.
//!
//! - `format`: what a texel is.
//! - `array`: arrays, with the levels of mipmapped ones.
//! - `object`: texture and surface objects, as device code sees them (`devicertl/textures`).

pub mod abi;
pub mod array;
pub mod format;
pub mod object;

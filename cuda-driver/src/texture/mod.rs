//! What describes arrays, textures and surfaces by this interface, and the runtime's descriptions of the same.

pub mod array;
pub mod object;
pub mod reference;
pub mod texels;

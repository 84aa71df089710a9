//! Operations on vectors.

pub mod reductions;
pub mod rotations;
pub mod updates;

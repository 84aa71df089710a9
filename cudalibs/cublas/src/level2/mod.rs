//! Operations of matrices with vectors.

pub mod banded;
pub mod general;
pub mod packed;
pub mod symmetric;
pub mod triangular;

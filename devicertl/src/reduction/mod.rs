//! Reductions (*reductions* paper).

pub mod dispersed;
pub mod reduce;

//! Many small problems at once.

pub mod least_squares;
pub mod lu;
pub mod pointers;

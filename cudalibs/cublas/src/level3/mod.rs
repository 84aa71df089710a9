//! Operations of matrices with matrices.

pub mod general;
pub mod rank;
pub mod sums;
pub mod symmetric;
pub mod triangular;

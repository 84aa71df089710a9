//! Worksharing constructs.

pub mod copyprivate;
pub mod dispatch;
pub mod doacross;
mod member;
pub mod static_loops;
pub mod static_schedule;
pub mod warp_chunks;

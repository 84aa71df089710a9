//! Synchronisation: barriers, critical sections, locks, atomics.

pub mod atomic;
pub mod barrier;
pub mod critical;
pub mod lock;
pub mod masked;

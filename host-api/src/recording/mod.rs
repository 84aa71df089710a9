//! Recording launches, and the device memory for replaying them.

pub mod replay_memory;
pub mod request;

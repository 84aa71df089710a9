//! Recording launches, and the device memory in which they are replayed.

pub mod replay_memory;
pub mod request;

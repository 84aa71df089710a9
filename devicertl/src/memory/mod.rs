//! Memory that the runtime itself needs.

pub mod heap;
pub mod pool;
pub mod state_queue;

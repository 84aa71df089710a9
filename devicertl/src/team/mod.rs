//! What a team and each of its threads keep while a kernel runs.

pub mod icv;
pub mod nest;
pub mod state;
pub mod thread_state;

//! Explicit tasks.

pub mod incomplete_tasks;
pub mod task;
pub mod taskgroup;
pub mod taskloop;

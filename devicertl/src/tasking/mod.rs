//! Explicit tasks.

pub mod dependence;
pub mod execution;
pub mod incomplete_tasks;
pub mod scheduling;
pub mod task;
pub mod task_structure;
pub mod taskgroup;
pub mod taskloop;

//! Tests that span several files, and the fake device they run on.

mod concurrency;
pub mod data_environment;
mod errors;
pub mod fake_device;
mod kernel_arguments;
mod kernel_launch;
mod launch_shape;
mod mapping_model;

//! Kernel launches: the shape of the grid, the parameters, the launch itself.

pub mod kernel_arguments;
pub mod kernel_launch;
pub mod shape;

//! Kernel launches: the shape of the grid, the parameters, the buffer of cross-team reductions, the launch itself.

pub mod kernel_arguments;
pub mod kernel_launch;
pub mod reduction_buffer;
pub mod shape;

//! What passes ask of a module. Nothing here changes one.

pub mod block_shape;
pub mod captures;
pub mod control_flow;
pub mod effects;
pub mod exec_mode;
pub mod host_instructions;
pub mod indirect_calls;
pub mod intrinsics;
pub mod kernel_value;
pub mod kernels;
pub mod likely_blocks;
pub mod locals;
pub mod reach;
pub mod release;
pub mod source_locations;
pub mod target;
pub mod uniform_control;
pub mod variable_names;

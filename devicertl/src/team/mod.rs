//! What a team and each of its threads keep while a kernel runs.

pub mod data_environment;
pub mod icv;
pub mod kernel_environment;
pub mod nest;
pub mod nest_record;
pub mod roles;
pub mod shared;
pub mod state;
pub mod state_buffer;
pub mod team_loop;
pub mod team_shape;
pub mod thread_state;

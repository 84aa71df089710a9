//! What the warp vectoriser asks of a kernel. Nothing here changes it.

pub mod affine_address;
pub mod callee;
mod chosen_threads;
pub mod context_escape;
pub mod context_fields;
pub mod divergence;
pub mod divergent_barriers;
pub mod elected;
pub mod eligibility;
pub mod forward_progress;
pub mod grid_steps;
mod lane_locks;
pub mod linearise;
pub mod multiples;
pub mod shape;
mod tiles;
pub mod width;

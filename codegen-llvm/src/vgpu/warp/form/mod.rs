//! Writes the warp form of a normalised kernel, given the order of its blocks and the shapes of its values: a function
//! of its own.
//!
//! * A uniform value is one scalar. A strided value is lane 0's scalar. All others are vectors.
//! * Stack slots hold the phis, the masks, and the values that cross blocks. LLVM's `mem2reg` turns the slots into
//!   registers. It finds by itself which value is needed where control skips a block without active lanes.
//! * Each block that not all lanes run has a mask. Edges add to the masks of their targets. The end of a block
//!   branches to the earliest block with lanes (`control`).
//! * Such a block has a second version, for all lanes of the subgroup, without a mask (`versions`).
//!
//! [`Vectoriser`](vectoriser::Vectoriser) holds the state. Each other file adds what belongs to one kind of
//! instruction.

mod access_checks;
mod access_pattern;
mod addresses;
mod atomics;
mod barriers;
mod calls;
mod control;
mod division;
mod fixed_distances;
mod instructions;
mod interleaved_access;
mod intrinsics;
mod lane_bounds;
mod lane_loop;
mod lane_serialisation;
mod memory;
mod prefetch;
mod reduction;
mod row_runs;
mod runs;
mod shadow_test;
mod shared_places;
mod shuffles;
mod side_paths;
mod spaced_access;
mod spaced_stores;
mod stride_test;
mod values;
mod vectoriser;
mod versions;
mod warp_operations;
mod wave_operations;
mod window_checks;

pub use vectoriser::{Request, build};
pub use window_checks::{compare_window, library};

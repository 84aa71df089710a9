//! Passes on a device image, whatever runs it. A new pass is a file here and a line in `pipeline`.

pub mod absent_regions;
pub mod array_reductions;
pub mod captured_values;
pub mod debug_captures;
mod ending_paths;
pub mod fold;
pub mod full_teams;
mod global_space;
pub mod guards;
pub mod host_pointers;
mod idle_barriers;
pub mod launch_bounds;
mod older_clangs;
mod pack_shared;
pub mod pipeline;
mod placed_shared;
mod realloc;
mod retarget;
pub mod runtime;
mod services;
mod shared_accesses;
pub mod shared_captures;
mod static_shared;
mod traps;
pub mod undefined;
mod unsupported;

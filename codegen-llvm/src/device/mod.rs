//! Passes on a device image, whatever runs it.

pub mod fold;
pub mod guards;
pub mod idle_barriers;
pub mod launch_bounds;
mod older_clangs;
pub mod pack_shared;
pub mod realloc;
pub mod runtime;
pub mod static_shared;
pub mod unsupported;

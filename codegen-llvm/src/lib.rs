//! What device images become: host objects for the virtual GPU, PTX, and, in clang's own device link, better machine code.
//!
//! `omptarget-codegen`, the compiler process (see the crate `codegen`), is [`main`]. The crate `link-plugin` brings [`link`] into clang's
//! linkers.

mod bound;
mod command;
mod fold;
mod guards;
mod idle_barriers;
mod inspect;
mod ir;
pub mod link;
mod master;
mod older_clangs;
mod pack_shared;
mod ptx;
mod realloc;
mod roles;
mod runtime;
mod sent;
mod shape;
mod static_shared;
mod unsupported;
mod vgpu;

pub use command::main;

//! What device images become: host objects for the virtual GPU, PTX, and, in clang's own device link, better machine code.
//!
//! `omptarget-codegen`, the compiler process (see the crate `codegen`), is [`main`]. The crate `link-plugin` brings [`link`] into clang's
//! linkers.

mod analysis;
mod command;
mod device;
mod inspect;
mod ir;
pub mod link;
mod pass_manager;
mod ptx;
mod vgpu;

pub use command::main;

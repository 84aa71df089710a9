//! The entry points, by family.

#![allow(non_snake_case, reason = "the names are the ABI")]

pub mod devices;
pub mod identity;
pub mod memory;
pub mod processes;
pub mod system;
pub mod unsupported;

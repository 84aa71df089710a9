//! The entry points, by family. They turn raw arguments into safe types, call the rest of the crate, and note errors.

#![allow(non_snake_case, reason = "the names are the ABI")]

pub mod any_node;
pub mod array_copies;
pub mod arrays;
pub mod captures;
pub mod cooperative;
pub mod copies;
pub mod cuda_13;
pub mod devices;
pub mod errors;
pub mod events;
pub mod external;
pub mod foreign;
pub mod functions;
pub mod graph_nodes;
pub mod graph_questions;
pub mod graphs;
pub mod host_calls;
pub mod host_memory;
pub mod launch_configurations;
pub mod launches;
pub mod managed;
pub mod memory;
pub mod peers;
pub mod per_thread;
pub mod pools;
pub mod processes;
pub mod registration;
pub mod settings;
pub mod streams;
pub mod symbols;
pub mod textures;

use crate::error::{Code, Result};

/// A place that the program gives for a result.
///
/// # Safety
/// The address is null or valid for a `T`.
unsafe fn place<'a, T>(address: *mut T) -> Result<&'a mut T> {
    // SAFETY: caller.
    unsafe { address.as_mut() }.ok_or(Code::INVALID_VALUE)
}

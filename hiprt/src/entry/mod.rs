//! The entry points that CUDA's runtime interface does not have, or has with other structures.

#![allow(non_snake_case, reason = "the names are the ABI")]

pub mod copies;
pub mod devices;
pub mod errors;
mod exports;
pub mod functions;
pub mod graphs;
pub mod launches;
pub mod memory;
pub mod registration;
pub mod textures;

/// `hipErrorInvalidValue`.
const INVALID_VALUE: i32 = 1;
/// `hipSuccess`.
const SUCCESS: i32 = 0;

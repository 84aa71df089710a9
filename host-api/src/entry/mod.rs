//! The entry points: what programs, clang's generated code and libomp call.
//!
//! They turn raw C structures into items and locations, and call the parts below.

pub mod counters;
pub mod data;
mod exports;
mod ident;
pub mod interop;
pub mod interop_properties;
pub mod kernel_language;
pub mod legacy_target;
mod memcpy_rect;
pub mod omp_allocation;
pub mod omp_association;
pub mod omp_copy;
pub mod omp_copy_async;
pub mod omp_routines;
mod process_end;
mod raw_items;
pub mod record_replay;
pub mod registration;
mod routine;
pub mod target;
pub mod tool;

//! Kernels and parallel regions: the master, the workers, and what they pass each other (*fork-join* and *sharing*
//! papers).

pub mod data_sharing;
mod invoke;
pub mod kernel;
pub mod legacy_abi;
pub mod parallel;
mod region_end;

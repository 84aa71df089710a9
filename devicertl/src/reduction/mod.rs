//! Reductions (*reductions* paper).

pub mod dispersed;
pub mod generated_functions;
pub mod league;
pub mod locked;
pub mod shuffle;
pub mod team;

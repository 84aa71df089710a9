//! What the `omptarget` command needs before it compiles anything: the built tree ([`dist`]), the right clang
//! ([`clang`]) or flang ([`flang`]), and the reasons why a command can fail ([`Failure`]).

pub mod clang;
pub mod dist;
mod failure;
pub mod flang;
mod search;

pub use failure::{Failure, Result};
pub use search::VERSION;

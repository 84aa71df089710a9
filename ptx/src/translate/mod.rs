//! Checked tree → LLVM assembly.

mod assembler;
mod barrier;
mod call;
mod carry;
mod control;
mod debug;
mod function;
mod inline;
mod library;
mod memory;
mod module;
mod names;
mod operands;
mod space;
mod symbol;

pub use debug::{LINE_METADATA, MODULE_METADATA};
pub use module::module;

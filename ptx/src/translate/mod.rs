//! Checked tree → LLVM assembly.

mod assembler;
mod barrier;
mod call;

mod constructors;
mod control;
mod convert;
mod debug;
mod extended_precision;
mod float;
mod function;
mod hint;
mod inline;
mod integer;
mod library;
mod memory;
mod module;
mod names;
mod operands;
mod shared_offsets;
mod space;
mod symbol;

pub use debug::{LINE_METADATA, MODULE_METADATA};
pub use inline::UNKNOWN;
pub use module::module;

//! Reads PTX, NVIDIA's assembly language for GPUs, and translates it to LLVM assembly for `nvptx64-nvidia-cuda`.
//!
//! | module | what it does |
//! |---|---|
//! | `lexer` | text → tokens, each with line and column |
//! | `parser` | tokens → syntax tree (`syntax`) |
//! | `checker` | names, types, labels and directives of a tree |
//! | `translate` | checked tree → LLVM assembly |
//! | `link` | several texts → one |
//!
//! Kernels look in the result as clang makes them: `ptx_kernel` functions with a parameter for each `.param`, variables
//! in the address spaces of their state spaces. Registers are local variables, which LLVM makes values of. Control
//! flow, calls, parameters, variables and what LLVM has no inline assembly for are translated here. An instruction that
//! computes is handed on as inline PTX of that one instruction, so that it means in a PTX image what it means in a CUDA
//! program, and so that one which is not known concerns only the kernels that have it.
//!
//! The reference is NVIDIA's "Parallel Thread Execution ISA", called the PTX ISA in comments.

mod checker;
mod error;
mod lexer;
mod link;
mod parser;
mod syntax;
mod translate;

pub use error::{Error, Position};
pub use link::link;
pub use translate::{LINE_METADATA, MODULE_METADATA, UNKNOWN};

/// Translates PTX to LLVM assembly.
pub fn translate(text: &str) -> Result<String, Error> {
    let module = parser::parse(lexer::tokens(text)?)?;
    checker::check(&module)?;
    Ok(translate::module(&module))
}

/// Whether a text begins as PTX does: with `.version`, after comments.
pub fn is_ptx(text: &str) -> bool {
    let mut rest = text.trim_start();
    loop {
        let after = match (rest.strip_prefix("//"), rest.strip_prefix("/*")) {
            (Some(line), _) => line.split_once('\n').map(|(_, after)| after),
            (_, Some(block)) => block.split_once("*/").map(|(_, after)| after),
            _ => return rest.starts_with(".version"),
        };
        match after {
            Some(after) => rest = after.trim_start(),
            None => return false,
        }
    }
}

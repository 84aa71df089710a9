//! `omptarget-codegen`, the compiler process.

use std::process::ExitCode;

fn main() -> ExitCode {
    codegen_llvm::main()
}

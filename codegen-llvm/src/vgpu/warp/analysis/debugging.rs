//! Kernels that stay with threads because somebody wants to look at them: what clang compiled with `-O0 -g`.
//!
//! A debugger shows a thread's variables in the slots where unoptimised code keeps them. In a warp form they are parts of
//! vectors, most of them in registers, and steps from line to line are those of all lanes. (With optimisation, clang's debug
//! information for NVPTX has lines and no variables, and warp forms have the lines.)

use crate::ir::{Module, Value};
use crate::vgpu::warp::refusal::Refusal;

/// Whether a module's debug information names variables.
pub fn names_variables(module: &Module) -> bool {
    module
        .named_metadata_text("llvm.dbg.cu")
        .iter()
        .any(|unit| unit.contains("emissionKind: FullDebug"))
}

/// Refuses a kernel that was not optimised, in a module that [`names_variables`].
pub fn check(kernel: Value) -> Result<(), Refusal> {
    match kernel.has_function_attribute("optnone") {
        true => Err(Refusal::new(
            "it was compiled with -O0 -g, and debuggers show the variables of threads",
        )),
        false => Ok(()),
    }
}

//! Takes back a promise that clang makes with `-g` for AMD GPUs: that nothing else refers to a captured variable.
//!
//! For debuggers clang puts a region's code into a function of its own, whose name ends with `_debug__`. The captured
//! variables are its parameters, as `restrict` pointers (`noalias`). But every thread of the team has the same ones.
//! LLVM then took stores out of critical sections, and additions between `omp_set_lock` and `omp_unset_lock` were
//! lost.

use crate::ir::Module;

/// Removes the promise from a translation unit.
pub fn run(module: &Module) {
    for function in module.definitions() {
        if function.name().ends_with("_debug__") {
            // Attributes of the parameters are numbered from 1; 0 is the result.
            for parameter in 1..=function.parameters().len() {
                function.remove_attribute_at(parameter as u32, "noalias");
            }
        }
    }
}

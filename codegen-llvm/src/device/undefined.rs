//! Refuses calls of functions that nobody defines.

use anyhow::{Result, bail};

use crate::analysis::source_locations::describe_use;
use crate::ir::Module;

/// Functions that drivers define ("CUDA C++ Programming Guide": formatted output, assertion, dynamic global memory
/// allocation).
const DRIVER_FUNCTIONS: [&str; 4] = ["vprintf", "__assertfail", "malloc", "free"];

/// Refuses a module that calls a function nobody defines. A driver would refuse it, too, but not say where the call is.
pub fn refuse(module: &Module) -> Result<()> {
    let missing = module.functions().into_iter().find(|function| {
        function.is_declaration()
            && !function.is_unused()
            && !function.is_intrinsic()
            && !DRIVER_FUNCTIONS.contains(&function.name().as_str())
    });
    let Some(function) = missing else {
        return Ok(());
    };
    bail!(
        "device code calls `{}`, which neither the program nor the device runtime defines, {}",
        function.name(),
        describe_use(module.context, function)
    )
}

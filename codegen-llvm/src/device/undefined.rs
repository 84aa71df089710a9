//! Refuses uses of functions and variables that nobody defines.

use anyhow::{Result, bail};

use crate::analysis::source_locations::describe_use;
use crate::analysis::target::SHARED;
use crate::ir::{Module, Value};

/// Functions that NVIDIA's drivers define ("CUDA C++ Programming Guide": formatted output, assertion, dynamic global
/// memory allocation). AMD's define none.
pub const NVIDIAS_FUNCTIONS: &[&str] = &["vprintf", "__assertfail", "malloc", "free"];

/// Refuses a module that uses what neither it nor the driver defines. A driver would refuse it, too, but not say where
/// the use is.
pub fn refuse(module: &Module, of_driver: &[&str]) -> Result<()> {
    let missing =
        |symbol: &Value| symbol.is_declaration() && !symbol.is_unused() && !symbol.is_intrinsic();
    let function = module
        .functions()
        .into_iter()
        .find(|function| missing(function) && !of_driver.contains(&function.name().as_str()));
    // Undefined shared variables stand for dynamic shared memory.
    let variable = || {
        let is_shared = |variable: &Value| variable.ty().address_space() == SHARED;
        let mut globals = module.globals().into_iter();
        globals.find(|variable| missing(variable) && !is_shared(variable))
    };
    let Some(symbol) = function.or_else(variable) else {
        return Ok(());
    };
    bail!(
        "device code {} `{}`, which neither the program nor the device runtime defines, {}",
        match symbol.is_function() {
            true => "calls",
            false => "uses",
        },
        symbol.name(),
        describe_use(module.context, symbol)
    )
}

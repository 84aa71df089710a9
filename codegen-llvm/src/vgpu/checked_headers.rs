//! With `--check`: functions of headers that wrap operations of the GPU, such as CUDA's `__shfl_sync`, become part of
//! their callers. With optimisation they are anyway. Without, reports would name the header's line instead of the
//! program's.

use anyhow::Result;

use super::unit::Unit;
use crate::analysis::source_locations::is_of_header;

/// Inlines them.
pub fn inline(unit: &Unit) -> Result<()> {
    let context = unit.context();
    let functions = unit.module.definitions().into_iter();
    let wrappers = functions.filter(|function| {
        function.is_local()
            && function.has_function_attribute("noinline")
            && is_of_header(context, *function)
    });
    let mut any = false;
    for wrapper in wrappers {
        wrapper.remove_attribute("optnone");
        wrapper.remove_attribute("noinline");
        wrapper.add_attribute(context, "alwaysinline");
        any = true;
    }
    match any {
        true => unit.machine.run_passes(&unit.module, "always-inline"),
        false => Ok(()),
    }
}

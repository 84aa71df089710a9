//! Links the device services into code objects for AMD GPUs that need them (docs/abi.md, "Device services").
//!
//! NVIDIA's drivers define `malloc`, `free` and `vprintf`. AMD's define none, and a code object may leave nothing
//! undefined.

use anyhow::{Result, bail};

use super::runtime;
use crate::ir::{Machine, Module, Value};

/// The functions that the library is asked for.
pub const FUNCTIONS: [&str; 5] = ["malloc", "realloc", "free", "vprintf", "__assertfail"];

/// What the names of the services' variables begin with.
const VARIABLES: &str = "__omptarget_";

/// Links what the image lacks of the services, without what it does not use of them.
pub fn run(module: &Module, machine: &Machine) -> Result<()> {
    let missing = runtime::missing(module);
    let Some(service) = FUNCTIONS
        .into_iter()
        .find(|function| missing.iter().any(|name| name == function))
    else {
        return Ok(());
    };
    let path = runtime::in_dist(codegen::SERVICES_LIBRARY)?;
    if !path.is_file() {
        bail!(
            "device code calls `{service}`, and there are no device services at {} to link",
            path.display()
        );
    }
    let layout = machine.layout();
    module.set_layout(&layout);
    let members = runtime::members(module.context, &[path])?;
    for member in &members {
        member.set_layout(&layout);
    }
    let before: Vec<String> = module.globals().into_iter().map(Value::name).collect();
    runtime::link_needed(module, members)?;
    machine.run_passes(module, "globaldce")?;
    drop_unused(module, &before);
    Ok(())
}

/// Drops variables of services that nothing uses, so that the plugin does not set them up.
fn drop_unused(module: &Module, before: &[String]) {
    for variable in module.globals() {
        let name = variable.name();
        if name.starts_with(VARIABLES) && !before.contains(&name) && variable.is_unused() {
            // SAFETY: nothing uses it, and the handle goes out of scope.
            unsafe { variable.delete_global() };
        }
    }
}

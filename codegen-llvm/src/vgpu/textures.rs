//! Links the functions that fetch from textures and access surfaces (`devicertl/textures`) into images that use them.
//! `lower::nvptx::assembly` has translated PTX's instructions into calls of them.
//!
//! Warp forms call them lane by lane (`warp::cold_functions`): with vectors, their many branches take the compiler long
//! and gain nothing. So their accesses are not checked, as a check finds the thread's context by its stack. The caller
//! checks the descriptor, and the CPU finds what is not mapped.
//!
//! Needs: host triple and layout. Leaves: the functions as internal ones of the module.

use anyhow::{Result, bail};

use super::unit::Unit;
use super::warp::cold_functions;
use crate::device::runtime;
use crate::ir::{Module, Value};

/// What the names of the functions begin with.
const PREFIXES: [&str; 2] = ["__omptarget_texture_", "__omptarget_surface_"];

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    let missing = runtime::missing(&unit.module);
    let is_ours = |name: &String| PREFIXES.iter().any(|prefix| name.starts_with(prefix));
    if !missing.iter().any(is_ours) {
        return Ok(());
    }
    let path = runtime::in_dist(codegen::TEXTURE_LIBRARY)?;
    if !path.is_file() {
        bail!(
            "device code uses textures, and there is no library for them at {}",
            path.display()
        );
    }
    let members = runtime::members(unit.context(), &[path])?;
    for member in &members {
        member.set_layout(&unit.machine.layout());
        member.set_triple(unit.options.host.triple());
    }
    let names: Vec<String> = members
        .iter()
        .flat_map(Module::definitions)
        .map(Value::name)
        .collect();
    runtime::link_needed(&unit.module, members)?;
    unit.machine.run_passes(&unit.module, "globaldce")?;
    for function in names.iter().filter_map(|name| unit.module.function(name)) {
        if !function.is_declaration() {
            cold_functions::mark(unit.context(), function);
        }
    }
    Ok(())
}

//! Replaces shared variables by addresses in the block's shared memory.
//!
//! Needs: the lowering library (`vgpu.shared_base`). Leaves: no variable in address space 3. Each use is
//! `context.shared_base + offset`, in constants too.
//!
//! `shared_layout` determines where each variable lies. Variables without a size (`extern … []`) are the dynamic shared
//! memory, which the engine puts behind the static.

use anyhow::{Result, bail};

use super::lower::engine::SHARED_BASE;
use super::offsets;
use super::runtime_variables::{Extent, RuntimeVariables};
use super::shared_layout::{self, Location};
use super::unit::Unit;
use crate::analysis::target::SHARED;
use crate::ir::{Builder, Substitution, Type, Value};

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    let variables: Vec<_> = unit
        .module
        .globals()
        .into_iter()
        .filter(|variable| variable.ty().address_space() == SHARED)
        .collect();
    if variables.is_empty() {
        return Ok(());
    }
    let locations = shared_layout::lay_out(unit, &variables)?;
    let layout = unit.module.layout();
    let extent_of = |name: &str| {
        locations
            .iter()
            .find_map(|(variable, location)| match location {
                Location::Static(start) if variable.name() == name => Some(Extent {
                    start: *start,
                    bytes: layout.alloc_size(variable.value_type()),
                }),
                _ => None,
            })
    };
    unit.runtime_variables = RuntimeVariables::find(extent_of);
    if unit.dialect.target.segments {
        for (&variable, &location) in &locations {
            offsets::fold(unit, variable, location)?;
        }
    }
    let address = |builder: &Builder, variable: Value| {
        address(unit, builder, locations[&variable], variable.ty())
    };
    let mut substitution = Substitution::new(
        unit.context(),
        locations.keys().copied().collect(),
        &address,
    );
    for function in unit.module.definitions() {
        substitution.run(function)?;
    }
    for variable in variables {
        remove(unit, variable)?;
    }
    Ok(())
}

/// Where a variable is, computed by instructions.
fn address(unit: &Unit, builder: &Builder, location: Location, ty: Type) -> Result<Value> {
    let call = |name: &str| {
        unit.library_function(name)
            .map(|function| builder.call_function(function, &[]))
    };
    let base = match location {
        Location::Static(offset) => builder.byte_offset(
            call(SHARED_BASE)?,
            Value::int(Type::int(unit.context(), 64), offset),
        ),
        Location::Dynamic => call("vgpu.dynamic_shared")?,
    };
    Ok(builder.to_space(base, ty))
}

/// Removes a variable whose uses are rewritten.
fn remove(unit: &Unit, variable: Value) -> Result<()> {
    let initializers = unit
        .module
        .globals()
        .into_iter()
        .filter(|&other| other != variable);
    let holder = initializers
        .filter_map(|other| Some((other, other.initializer()?)))
        .find(|(_, value)| value.mentions(variable));
    if let Some((holder, _)) = holder {
        bail!(
            "the address of shared variable `{}` is in the initializer of `{}`: it differs from block to block",
            variable.name(),
            holder.name()
        );
    }
    variable.replace_all_uses(Value::poison(variable.ty()));
    // SAFETY: its uses are replaced, and the caller is done with it.
    unsafe { variable.delete_global() };
    Ok(())
}

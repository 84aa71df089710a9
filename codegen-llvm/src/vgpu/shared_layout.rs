//! The layout of a block's static shared memory.
//!
//! Variables that several kernels can reach come first. Behind them lie the variables that only one kernel can reach,
//! those of one kernel over those of the others: a module's kernels need not fit into shared memory together.

use std::collections::{HashMap, HashSet};

use anyhow::{Result, bail};

use super::unit::Unit;
use crate::analysis::reach;
use crate::analysis::source_locations::describe_use;
use crate::ir::Value;

/// Alignment of the dynamic part, hence of the static part's size.
const DYNAMIC_ALIGNMENT: u64 = 16;

/// Bytes of a line of the host's cache. A vector across two of them is loaded and stored at half the speed.
const LINE: u64 = 64;

/// Where a shared variable lies.
#[derive(Clone, Copy)]
pub enum Location {
    /// Bytes from the block's shared memory.
    Static(u64),
    /// At the start of the dynamic part.
    Dynamic,
}

/// Gives every variable its location and every kernel its size.
pub fn lay_out(unit: &mut Unit, variables: &[Value]) -> Result<HashMap<Value, Location>> {
    let layout = unit.module.layout();
    let size_of = |variable: Value| layout.alloc_size(variable.value_type());
    let mut locations = HashMap::new();
    let mut sized = Vec::new();
    for &variable in variables {
        if size_of(variable) == 0 {
            locations.insert(variable, Location::Dynamic);
        } else if variable.is_declaration() {
            let place = describe_use(unit.context(), variable);
            bail!(
                "shared variable `{}` is used {place} but nowhere defined",
                variable.name()
            );
        } else {
            sized.push(variable);
        }
    }
    // Variables of whole lines begin with a line. As they come first, that costs nothing behind the first of them.
    let alignment = |variable: Value| {
        let lines = size_of(variable).is_multiple_of(LINE);
        variable
            .alignment()
            .max(layout.alignment(variable.value_type()))
            .max(if lines { LINE } else { 1 })
    };
    sized.sort_by_key(|&variable| std::cmp::Reverse(alignment(variable)));
    let reach: Vec<HashSet<Value>> = unit
        .kernels
        .iter()
        .map(|kernel| reach::variables(&unit.module, kernel.function))
        .collect();
    let users = |variable: Value| {
        reach
            .iter()
            .filter(|reached| reached.contains(&variable))
            .count()
    };
    let place =
        |start: u64, which: &dyn Fn(Value) -> bool, locations: &mut HashMap<Value, Location>| {
            sized
                .iter()
                .copied()
                .filter(|&variable| which(variable))
                .fold(start, |end, variable| {
                    let offset = end.next_multiple_of(alignment(variable));
                    locations.insert(variable, Location::Static(offset));
                    offset + size_of(variable)
                })
        };
    let common = place(0, &|variable| users(variable) != 1, &mut locations);
    for (kernel, reached) in unit.kernels.iter_mut().zip(&reach) {
        let own = |variable: Value| users(variable) == 1 && reached.contains(&variable);
        kernel.static_shared =
            place(common, &own, &mut locations).next_multiple_of(DYNAMIC_ALIGNMENT);
        if kernel.static_shared > u64::from(u32::MAX) {
            bail!(
                "kernel `{}` has {} bytes of shared variables",
                kernel.name,
                kernel.static_shared
            );
        }
    }
    Ok(locations)
}

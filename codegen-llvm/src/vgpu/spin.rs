//! Puts a call of `vgpu_spin` at the end of every iteration of a loop that waits on memory (`polling_loops`).
//!
//! Needs: lowerings inlined. The threads of a block share one CPU thread. A thread that polls a variable would hold it
//! for ever; `vgpu_spin` hands it on now and then.

use std::collections::HashSet;

use anyhow::Result;

use super::lower::engine::SPIN;
use super::polling_loops;
use super::unit::Unit;
use crate::analysis::control_flow::ControlFlow;
use crate::ir::{Builder, Type, Value};

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    let communicating = communicating_functions(unit);
    let mut loops = Vec::new();
    for function in unit.module.definitions() {
        // Warp forms have their calls already, and a thread's context cannot be found in them.
        if function.name().starts_with("vgpu.") {
            continue;
        }
        let mut found: Vec<_> = ControlFlow::new(function)
            .loops()
            .into_iter()
            .filter(|each| {
                polling_loops::may_wait(each, &communicating, &|_| false)
                    && !polling_loops::yields(each)
            })
            .collect();
        found.dedup_by_key(|each| each.latch);
        loops.extend(found);
    }
    if loops.is_empty() {
        return Ok(());
    }
    unit.add_library(&library())?;
    let spin = unit.library_function("vgpu.spin")?;
    for each in loops {
        if let (Some(end), Some(place)) = (each.latch.terminator(), polling_loops::place(&each)) {
            let site = u64::from(unit.locations.for_call(place));
            let site = Value::int(Type::int(unit.context(), 32), site);
            Builder::before(unit.context(), end).call_function(spin, &[site]);
        }
    }
    Ok(())
}

fn library() -> String {
    format!(
        "
define void @vgpu.spin(i32 %site) alwaysinline nounwind convergent {{
  %cx = call ptr @vgpu.context()
  call void @{SPIN}(ptr %cx, i32 %site)
  ret void
}}
declare void @{SPIN}(ptr, i32) convergent nounwind
"
    )
}

/// Functions in which threads may communicate through memory, themselves or in what they call.
fn communicating_functions(unit: &Unit) -> HashSet<Value> {
    let mut found: HashSet<Value> = HashSet::new();
    loop {
        let before = found.len();
        for function in unit.module.definitions() {
            if !found.contains(&function)
                && function
                    .instructions()
                    .into_iter()
                    .any(|it| polling_loops::communicates(it, &found))
            {
                found.insert(function);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

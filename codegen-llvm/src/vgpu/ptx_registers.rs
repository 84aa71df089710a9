//! Makes values of the registers of an image that was PTX: the passes that follow expect an optimised image.
//!
//! Needs: inline PTX replaced by functions' instructions, because registers are what it reads and writes.

use anyhow::Result;

use super::ptx_addresses;
use super::ptx_divisions;
use super::ptx_masks;
use super::unit::Unit;
use super::wide_counters;
use crate::ptx_reader::was_ptx;

/// Makes values of registers.
const VALUES: &str = "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg)";

/// Sees which memory the pointers mean that addresses have become.
const MEMORY: &str =
    "function(instcombine<no-verify-fixpoint>,sroa,early-cse<memssa>,simplifycfg,gvn)";

/// Finds out what numbers can be, from the branches before them.
const RANGES: &str = "correlated-propagation,instcombine<no-verify-fixpoint>";

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    if unit.options.level == 0 || !was_ptx(&unit.module) {
        return Ok(());
    }
    unit.machine.run_passes(&unit.module, VALUES)?;
    let context = unit.context();
    let functions = unit.module.definitions();
    for function in functions {
        ptx_divisions::run(context, function);
        ptx_addresses::run(context, function);
    }
    unit.machine.run_passes(&unit.module, MEMORY)?;
    for function in unit.module.definitions() {
        let find_ranges = || {
            let (module, machine) = (&unit.module, &unit.machine);
            machine.run_function_passes(module, function, RANGES)
        };
        ptx_masks::run(context, function);
        find_ranges()?;
        if wide_counters::join_counters(context, function) {
            find_ranges()?;
        }
        if wide_counters::widen_sums(context, function) {
            ptx_masks::run(context, function);
            find_ranges()?;
        }
    }
    Ok(())
}

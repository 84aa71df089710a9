//! Makes values of the registers of an image that was PTX: the passes that follow expect an optimised image.
//!
//! Needs: inline PTX replaced by functions' instructions, because registers are what it reads and writes.

use anyhow::Result;

use super::unit::Unit;
use crate::ptx_reader::was_ptx;

/// Addresses are computed as integers. `instcombine` makes them pointers again; `sroa` then sees which memory they
/// mean.
const PASSES: &str = "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg,sroa,\
    instcombine<no-verify-fixpoint>,simplifycfg,gvn)";

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    if unit.options.level == 0 || !was_ptx(&unit.module) {
        return Ok(());
    }
    unit.machine.run_passes(&unit.module, PASSES)
}

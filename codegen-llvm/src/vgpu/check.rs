//! Checks that the module is valid IR without module-level assembly, and reads what it was compiled for.
//!
//! Needs: a module as read. Leaves: the architecture and the warp's size.

use anyhow::{Result, bail};

use super::unit::Unit;
use crate::analysis::target::cuda_arch;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    unit.module.verify("as it stands in the image")?;
    if !unit.module.inline_assembly().trim().is_empty() {
        bail!(
            "the image has module-level {} assembly, which the virtual GPU cannot run",
            unit.dialect.target.name
        );
    }
    unit.manifest.warp_size = (unit.dialect.target.warp_size)(&unit.module);
    unit.manifest.lockstep = unit.dialect.target.lockstep;
    unit.manifest.default_threads = unit.dialect.target.default_threads;
    let archs = unit
        .module
        .definitions()
        .into_iter()
        .filter_map(|function| function.text_attribute("target-cpu"));
    unit.cuda_arch = archs.filter_map(|cpu| cuda_arch(&cpu)).max().unwrap_or(800);
    Ok(())
}

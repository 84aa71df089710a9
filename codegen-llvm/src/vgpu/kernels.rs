//! Lists the image's kernels.
//!
//! Needs: the calling conventions and annotations of the image.

use anyhow::Result;
use vgpu_abi::artifact::{Parameter, WarpForm};

use super::short_rows;
use super::unit::{Kernel, Unit};
use crate::analysis::exec_mode;
use crate::analysis::kernels::{find, parameters};
use crate::analysis::target::MAX_THREADS;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    let layout = unit.module.layout();
    unit.kernels = find(&unit.module)
        .into_iter()
        .map(|found| (parameters(layout, found.function), found))
        .map(|(parameters, found)| Kernel {
            function: found.function,
            places: places(&parameters),
            parameters,
            mode: exec_mode::of(&unit.module, &found.name),
            name: found.name,
            // `nvvm.maxntid` and its like do not limit it: they are a promise to a GPU's register allocator.
            max_threads: MAX_THREADS,
            bound: found.bound,
            static_shared: 0,
            warp: WarpForm::default(),
            short_rows: short_rows::form_of(found.function),
            refusal: None,
        })
        .collect();
    Ok(())
}

/// The words at which parameters begin.
fn places(parameters: &[Parameter]) -> Vec<u32> {
    let mut end = 0;
    let place = |parameter: &Parameter| {
        let begin = end;
        end += parameter.words();
        begin
    };
    parameters.iter().map(place).collect()
}

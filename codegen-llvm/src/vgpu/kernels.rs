//! Lists the image's kernels.
//!
//! Needs: the calling conventions and annotations of the image.

use anyhow::Result;
use vgpu_abi::artifact::{Parameter, WarpForm};
use vgpu_abi::summary::ExecutionMode;

use super::short_rows;
use super::unit::{Kernel, Unit};
use crate::analysis::exec_mode;
use crate::analysis::kernels::{Found, find, parameters};
use crate::analysis::target::MAX_THREADS;
use crate::ir::Module;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    let layout = unit.module.layout();
    unit.kernels = find(&unit.module)
        .into_iter()
        .map(|found| (parameters(layout, found.function), found))
        .map(|(parameters, found)| kernel(&unit.module, parameters, found))
        .collect();
    Ok(())
}

fn kernel(module: &Module, parameters: Vec<Parameter>, found: Found) -> Kernel {
    let mode = exec_mode::of(module, &found.name);
    let short_rows = short_rows::form_of(found.function);
    // Launches are the program's own, which the bound limits. An OpenMP region's are the host runtime's, to which the
    // bound is a promise for a GPU's register allocator. Blocks of a form have another shape than the kernel's.
    let is_launched = mode == ExecutionMode::Bare && short_rows.is_none();
    let bound = found.bound.filter(|_| is_launched);
    Kernel {
        function: found.function,
        places: places(&parameters),
        parameters,
        mode,
        name: found.name,
        max_threads: bound.map_or(MAX_THREADS, |bound| bound.min(MAX_THREADS)),
        block: found.block.filter(|_| is_launched),
        bound: found.bound,
        static_shared: 0,
        warp: WarpForm::default(),
        threads: None,
        short_rows,
        refusal: None,
    }
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

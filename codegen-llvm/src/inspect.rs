//! Summarises an image without compiling it.

use anyhow::Result;
use vgpu_abi::summary::{GlobalSummary, ImageSummary, KernelSummary};

use crate::analysis::release;
use crate::analysis::target::{SHARED, Target};
use crate::analysis::{exec_mode, kernels};
use crate::ir::{Context, Module, Type};
use crate::ptx_reader;

/// Summarises an image.
pub fn summarise(context: Context, bitcode: &[u8]) -> Result<ImageSummary> {
    let module = ptx_reader::read(context, bitcode)?;
    let cpu = module
        .definitions()
        .into_iter()
        .find_map(|function| function.text_attribute("target-cpu"));
    let mut kernels: Vec<_> = kernels::find(&module)
        .into_iter()
        .map(|kernel| summary_of(&module, &kernel))
        .collect();
    kernels.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(ImageSummary {
        triple: module.triple(),
        cpu: cpu.unwrap_or_default(),
        warp_size: Target::of(&module).map_or(0, |target| (target.warp_size)(&module)),
        runtime_release: release::of_runtime(&module),
        kernels,
        globals: globals(&module),
    })
}

fn summary_of(module: &Module, kernel: &kernels::Found) -> KernelSummary {
    KernelSummary {
        name: kernel.name.clone(),
        mode: exec_mode::of(module, &kernel.name),
        parameters: kernel
            .function
            .value_type()
            .parameters()
            .into_iter()
            .map(Type::print)
            .collect(),
        max_threads: kernel.bound,
    }
}

fn globals(module: &Module) -> Vec<GlobalSummary> {
    let layout = module.layout();
    let visible = module.globals().into_iter().filter(|global| {
        !global.is_declaration()
            && !global.is_local()
            && !global.name().starts_with("llvm.")
            && global.ty().address_space() != SHARED
    });
    let mut globals: Vec<_> = visible
        .map(|global| GlobalSummary {
            name: global.name(),
            size: layout.alloc_size(global.value_type()),
            constant: global.is_constant_variable(),
        })
        .collect();
    globals.sort_by(|left, right| left.name.cmp(&right.name));
    globals
}

//! What is in an image, without compiling it.

use anyhow::Result;
use codegen::summary::{ExecutionMode, GlobalSummary, ImageSummary, KernelSummary};

use crate::ir::{Context, Module, Type, Value};
use crate::vgpu::{Dialect, kernels};

/// Summarises an image.
pub fn summarise(context: Context, bitcode: &[u8]) -> Result<ImageSummary> {
    let module = Module::read(context, bitcode)?;
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
        warp_size: Dialect::of(&module).map_or(0, |dialect| (dialect.warp_size)(&module)),
        kernels,
        globals: globals(&module),
    })
}

fn summary_of(module: &Module, kernel: &kernels::Found) -> KernelSummary {
    KernelSummary {
        name: kernel.name.clone(),
        mode: mode_of(module, &kernel.name),
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

/// The execution mode clang records in `<kernel>_kernel_environment` (`KernelEnvironmentTy` in
/// OMPKinds.def: configuration first, in it the mode third; values in `OMPDeviceConstants.h`), up to clang 17 in `<kernel>_exec_mode`.
pub fn mode_of(module: &Module, kernel: &str) -> ExecutionMode {
    let environment = module
        .global(&format!("{kernel}_kernel_environment"))
        .and_then(Value::initializer);
    let field = |value: Value, index: usize| value.aggregate_element(index as u32);
    let mode = environment
        .and_then(|environment| field(environment, 0))
        .and_then(|configuration| field(configuration, 2))
        .or_else(|| module.global(&format!("{kernel}_exec_mode"))?.initializer());
    match mode.and_then(Value::as_int) {
        Some(1) => ExecutionMode::Generic,
        // 6 is SPMD whose loop needs no iteration (`SPMD_NO_LOOP`).
        Some(2 | 6) => ExecutionMode::Spmd,
        Some(3) => ExecutionMode::GenericSpmd,
        _ => ExecutionMode::Bare,
    }
}

fn globals(module: &Module) -> Vec<GlobalSummary> {
    let layout = module.layout();
    let visible = module.globals().into_iter().filter(|global| {
        !global.is_declaration()
            && !global.is_local()
            && !global.name().starts_with("llvm.")
            && global.ty().address_space() != 3
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

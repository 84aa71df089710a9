//! The execution mode of a kernel: how its threads begin.

use vgpu_abi::summary::ExecutionMode;

use crate::ir::{Module, Value};

/// The execution mode that clang records in `<kernel>_kernel_environment`, up to clang 17 in `<kernel>_exec_mode`.
///
/// The environment is `KernelEnvironmentTy` of OMPKinds.def: the configuration comes first, and in it the mode is
/// third. `OMPDeviceConstants.h` has the values.
pub fn of(module: &Module, kernel: &str) -> ExecutionMode {
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

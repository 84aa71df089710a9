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
        .and_then(Value::initializer)
        .and_then(third_byte);
    let older = || {
        module
            .global(&format!("{kernel}_exec_mode"))?
            .initializer()?
            .as_int()
    };
    match environment.or_else(older) {
        Some(1) => ExecutionMode::Generic,
        // 6 is SPMD whose loop needs no iteration (`SPMD_NO_LOOP`).
        Some(2 | 6) => ExecutionMode::Spmd,
        Some(3) => ExecutionMode::GenericSpmd,
        _ => ExecutionMode::Bare,
    }
}

/// The third byte of a constant. clang writes the configuration's fields, PTX has the bytes, or words of them.
fn third_byte(mut value: Value) -> Option<u64> {
    loop {
        let first = value.aggregate_element(0)?;
        match first.as_int() {
            Some(word) if first.ty().int_width() >= 32 => return Some(word >> 16 & 0xff),
            Some(_) => return value.aggregate_element(2)?.as_int(),
            None => value = first,
        }
    }
}

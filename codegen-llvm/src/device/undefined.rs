//! Refuses uses of functions and variables that nobody defines.

use anyhow::{Result, bail};
use llvm_sys::LLVMLinkage::LLVMExternalWeakLinkage;

use super::{runtime, services};
use crate::analysis::source_locations::describe_use;
use crate::analysis::target::SHARED;
use crate::analysis::{kernels, reach};
use crate::ir::{Module, Value};
use crate::vgpu::undefined::is_known;

/// Functions that NVIDIA's drivers define ("CUDA C++ Programming Guide": formatted output, assertion, dynamic global
/// memory allocation). AMD's define none.
pub const NVIDIAS_FUNCTIONS: &[&str] = &["vprintf", "__assertfail", "malloc", "free"];

/// Refuses a module that uses what neither it nor the driver defines. A driver would refuse it, too, but not say where
/// the use is.
pub fn refuse(module: &Module, of_driver: &[&str]) -> Result<()> {
    let missing =
        |symbol: &Value| symbol.is_declaration() && !symbol.is_unused() && !symbol.is_intrinsic();
    let function = module
        .functions()
        .into_iter()
        .find(|function| missing(function) && !of_driver.contains(&function.name().as_str()));
    // Undefined shared variables stand for dynamic shared memory.
    let variable = || {
        let is_shared = |variable: &Value| variable.ty().address_space() == SHARED;
        let mut globals = module.globals().into_iter();
        globals.find(|variable| missing(variable) && !is_shared(variable))
    };
    let Some(symbol) = function.or_else(variable) else {
        return Ok(());
    };
    bail!("{}", describe_missing(module, symbol))
}

/// Refuses a linked program with kernels that reach what nobody defines: neither the program, nor a library of ours
/// that a later step links, nor a driver. Weak symbols may stay undefined.
pub fn refuse_reached(module: &Module) -> Result<()> {
    let mut told = Vec::new();
    let mut lines = Vec::new();
    for kernel in kernels::find(module) {
        let mut reached = reach::mentioned(vec![kernel.function]);
        reached.retain(|symbol| is_missing(*symbol) && !told.contains(symbol));
        for symbol in reached {
            told.push(symbol);
            lines.push(format!(
                "{}, reached from kernel `{}`",
                describe_missing(module, symbol),
                kernel.name
            ));
        }
    }
    if lines.is_empty() {
        return Ok(());
    }
    bail!("{}", lines.join("\nerror: "))
}

/// Whether a later step of the link, or of the load, defines a symbol as little as the program does.
fn is_missing(symbol: Value) -> bool {
    let name = symbol.name();
    let is_later = || {
        runtime::is_of_library(&name)
            || services::FUNCTIONS.contains(&name.as_str())
            || is_known(&name)
    };
    symbol.is_declaration()
        && !symbol.is_intrinsic()
        && symbol.linkage() != LLVMExternalWeakLinkage
        && (symbol.is_function() || symbol.ty().address_space() != SHARED)
        && !is_later()
}

fn describe_missing(module: &Module, symbol: Value) -> String {
    let place = describe_use(module.context, symbol);
    if symbol.name() == "__kmpc_threadprivate_cached" {
        return format!(
            "a threadprivate variable is used {place}: devices have none (OpenMP 5.2, §13.8); give the region a copy, \
             with firstprivate or map"
        );
    }
    format!(
        "device code {} `{}`, which neither the program nor the device runtime defines, {place}",
        match symbol.is_function() {
            true => "calls",
            false => "uses",
        },
        symbol.name(),
    )
}

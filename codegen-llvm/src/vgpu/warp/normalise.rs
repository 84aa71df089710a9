//! Needs: a copy of the module. Leaves: in it, kernels that consist of one function as far as possible, with one exit, without
//! switches or vectors, whose loops have one entry, one latch and exits of their own, and whose values leave loops through phis.

use anyhow::Result;

use super::super::entries;
use super::super::unit::Unit;
use super::{context, form, words};
use crate::ir::{Module, Value};

/// Inlines. What the optimiser may know of a value it has been asked before.
const INLINE: &str =
    "always-inline,function(lower-constant-intrinsics,lower-expect,sroa,early-cse<memssa>)";

/// Cleans up.
const SIMPLIFY: &str = "function(sroa,early-cse<memssa>,sccp,instcombine<no-verify-fixpoint>,simplifycfg,correlated-propagation,jump-threading,\
                        gvn,instcombine<no-verify-fixpoint>,simplifycfg)";

/// Brings into shape; nothing may run after it.
const SHAPE: &str =
    "function(scalarizer<load-store>,dce,simplifycfg,lower-switch,mergereturn,loop-simplify,lcssa)";

/// The pass.
pub fn run(unit: &Unit, module: &Module) -> Result<()> {
    let kernels: Vec<_> = unit
        .kernels
        .iter()
        .filter_map(|kernel| module.function(&kernel.function.name()))
        .collect();
    for function in module.definitions() {
        let calls = function
            .instructions()
            .into_iter()
            .filter(|it| it.is_call());
        calls.for_each(|call| call.remove_call_attribute("noinline"));
        // The warp form has its own checks in place of these calls.
        let kept = function.name().starts_with("vgpu.");
        function.remove_attribute("optnone");
        if kernels.contains(&function) || kept {
            function.remove_attribute("alwaysinline");
            function.add_attribute(module.context, "noinline");
        } else {
            function.remove_attribute("noinline");
            function.add_attribute(module.context, "alwaysinline");
        }
    }
    for kernel in &unit.kernels {
        let function = module.function(&kernel.function.name());
        if let (Some(function), Some(bound)) = (function, kernel.bound) {
            context::assume_bound(module, function, bound);
        }
    }
    unit.machine.run_passes(module, INLINE)?;
    if let Some(start) = unit.thread_words {
        kernels
            .iter()
            .for_each(|&kernel| words::run(module, kernel, start));
    }
    unit.machine.run_passes(module, SIMPLIFY)?;
    unit.machine.run_passes(module, SHAPE)?;
    let library = Module::parse(module.context, &form::library(), "the warp form's library")?;
    library.set_layout(&unit.machine.layout());
    library.set_triple(&module.triple());
    module.link(library)
}

/// Whether a kernel's entry makes copies of parameters on the stack: each thread would need its own.
pub fn takes_structures(module: Module, kernel: &str) -> bool {
    let entry = module.function(&entries::symbol(kernel));
    entry.is_none_or(|entry| {
        let instructions = entry.instructions();
        instructions
            .into_iter()
            .any(|it: Value| it.opcode() == Some(llvm_sys::LLVMOpcode::LLVMAlloca))
    })
}

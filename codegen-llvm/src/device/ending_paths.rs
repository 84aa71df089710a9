//! Takes the cost of the paths that end a kernel from the kernel (AMD GPUs).
//!
//! The runtime's rarely called functions are kept from the optimiser (`left_alone` in scripts/build-device), which
//! saves time in the device link. On AMD's GPUs a kernel that may call one pays for it even if it never does: the
//! calling convention takes 32 vector registers, a stack, and registers for all inputs of a kernel's start (pointers to
//! queue and dispatch packet, implicit arguments), because LLVM infers what a function does not use only of functions
//! that it may optimise.
//!
//! Here the functions that end a kernel become part of it, and the others are looked into.

use anyhow::Result;

use crate::ir::{Machine, Module};

/// The functions that end a kernel, callers first.
const ENDING: [&str; 3] = ["__assert_fail", "omptarget_give_up", "__assertfail"];
/// A function that calls regions through pointers.
const INVOKING: &str = "omptarget_invoke_most";

/// Inlines what ends a kernel, and infers which inputs kernels need.
pub fn run(module: &Module, machine: &Machine) -> Result<()> {
    for function in ENDING.iter().filter_map(|name| module.function(name)) {
        function.remove_attribute("optnone");
        function.remove_attribute("noinline");
        function.add_attribute(module.context, "alwaysinline");
    }
    if let Some(function) = module.function(INVOKING) {
        function.remove_attribute("optnone");
    }
    machine.run_passes(
        module,
        "always-inline,function(sroa,early-cse,instcombine<no-verify-fixpoint>,simplifycfg),globaldce,amdgpu-attributor",
    )
}

//! Finds out what the runtime's rarely called functions need of a kernel's start (AMD GPUs).
//!
//! A kernel gets pointers to the queue, to the dispatch packet and others in registers, and further ones as implicit
//! arguments, unless attributes say that neither it nor what it calls uses them. LLVM infers these attributes, but not
//! of functions that are not to be optimised (`optnone`). Some functions of the runtime are such, which saves time in
//! the device link (`left_alone` in scripts/build-device). A kernel that may call one got everything.

use anyhow::Result;

use crate::ir::{Machine, Module};

/// The runtime's functions that are not to be optimised.
const LEFT_ALONE: [&str; 3] = [
    "omptarget_invoke_most",
    "omptarget_give_up",
    "__assert_fail",
];

/// Infers the attributes, of these functions, too.
pub fn run(module: &Module, machine: &Machine) -> Result<()> {
    for function in LEFT_ALONE.iter().filter_map(|name| module.function(name)) {
        function.remove_attribute("optnone");
    }
    machine.run_passes(module, "amdgpu-attributor")
}

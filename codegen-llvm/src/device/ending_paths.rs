//! Takes the cost of the paths that end a kernel from the kernel (AMD GPUs).
//!
//! The runtime's rarely called functions are kept from the optimiser (`left_alone` in scripts/build-device), which
//! saves time in the device link. On AMD's GPUs a kernel that may call one pays for it even if it never does: the
//! calling convention takes 32 vector registers, a stack, and registers for all inputs of a kernel's start (pointers to
//! queue and dispatch packet, implicit arguments), because LLVM infers what a function does not use only of functions
//! that it may optimise.
//!
//! Here the functions that end a kernel become part of it, once in each function that ends it, and the others are
//! looked into.

use anyhow::Result;
use llvm_sys::LLVMOpcode;

use crate::ir::{Block, Builder, Machine, Module, Value};

/// The functions that end a kernel, callers first.
const ENDING: [&str; 3] = ["__assert_fail", "omptarget_give_up", "__assertfail"];
/// A function that calls regions through pointers.
const INVOKING: &str = "omptarget_invoke_most";

/// Inlines what ends a kernel, and infers which inputs kernels need.
pub fn run(module: &Module, machine: &Machine) -> Result<()> {
    for ending in ENDING.iter().filter_map(|name| module.function(name)) {
        for function in module.definitions() {
            end_in_one_place(module, function, ending);
        }
        ending.remove_attribute("optnone");
        ending.remove_attribute("noinline");
        ending.add_attribute(module.context, "alwaysinline");
    }
    if let Some(function) = module.function(INVOKING) {
        function.remove_attribute("optnone");
    }
    machine.run_passes(
        module,
        "always-inline,function(sroa,infer-address-spaces,early-cse,instcombine<no-verify-fixpoint>,simplifycfg),\
         globaldce,amdgpu-attributor",
    )
}

/// Makes the calls of `ending` in a function one.
fn end_in_one_place(module: &Module, function: Value, ending: Value) {
    let mut calls = function.instructions();
    calls.retain(|&it| it.called_function() == Some(ending) && is_last(it));
    if calls.len() < 2 {
        return;
    }
    let (context, block) = (
        module.context,
        Builder::append_block(module.context, function, "end"),
    );
    let builder = Builder::at_end(context, block);
    let arguments: Vec<Value> = calls[0]
        .arguments()
        .into_iter()
        .map(|argument| builder.phi(argument.ty()))
        .collect();
    builder
        .call_function(ending, &arguments)
        .set_call_convention(ending.calling_convention());
    builder.unreachable();
    for call in calls {
        for (merged, argument) in arguments.iter().zip(call.arguments()) {
            merged.add_incoming(argument, call.block());
        }
        go_on_at(module, call, block);
    }
}

/// Whether nothing comes after a call.
fn is_last(call: Value) -> bool {
    let next = call.next().and_then(Value::opcode);
    next == Some(LLVMOpcode::LLVMUnreachable)
}

/// Replaces a call and what follows it by a jump.
fn go_on_at(module: &Module, call: Value, target: Block) {
    let block = call.block();
    if let Some(unreachable) = call.next() {
        // SAFETY: a terminator without a value.
        unsafe { unreachable.erase() };
    }
    // SAFETY: the function does not return, so that nothing uses a result of it.
    unsafe { call.erase() };
    Builder::at_end(module.context, block).jump(target);
}

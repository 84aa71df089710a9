//! Has the built-in functions on the index space read the kernel's hidden parameters: the offset, which
//! `clEnqueueNDRangeKernel` is given, and the number of dimensions.
//!
//! They are known in the kernel's entry alone. So whatever asks for them, directly or through others, is inlined there.
//! OpenCL C has neither recursion nor calls through pointers.

use std::collections::HashSet;

use anyhow::{Result, bail};
use llvm_sys::LLVMIntPredicate::LLVMIntEQ;

use crate::ir::{Builder, Machine, Module, Type, Value};

/// `ulong __omptarget_opencl_offset(uint dimension)`, as our built-in functions call it.
const OFFSET: &str = "__omptarget_opencl_offset";
/// `uint __omptarget_opencl_dimensions()`.
const DIMENSIONS: &str = "__omptarget_opencl_dimensions";

/// Inlines every function that asks.
pub fn inline(module: &Module, machine: &Machine) -> Result<()> {
    let mut open: Vec<Value> = [OFFSET, DIMENSIONS]
        .iter()
        .filter_map(|name| module.function(name))
        .collect();
    let mut inlined = HashSet::new();
    while let Some(function) = open.pop() {
        for user in function.users() {
            if !user.is_instruction() {
                continue;
            }
            let caller = user.block().function();
            if inlined.insert(caller.name()) {
                caller.add_attribute(module.context, "alwaysinline");
                open.push(caller);
            }
        }
    }
    match inlined.is_empty() {
        true => Ok(()),
        false => machine.run_passes(module, "always-inline,globaldce"),
    }
}

/// Replaces the questions in kernels by what their parameters say.
pub fn run(module: &Module, kernels: &[Value]) -> Result<()> {
    for kernel in kernels {
        let parameters = kernel.parameters();
        let (_, hidden) = parameters.split_at(parameters.len() - 4);
        for instruction in kernel.instructions() {
            if !instruction.is_call() {
                continue;
            }
            let Some(called) = instruction.called_function().map(Value::name) else {
                continue;
            };
            let builder = Builder::before(module.context, instruction);
            let answer = match called.as_str() {
                OFFSET => offset(&builder, module, hidden, instruction.arguments()[0]),
                DIMENSIONS => hidden[3],
                _ => continue,
            };
            // SAFETY: the snapshot's handle of this instruction is not used again.
            unsafe { instruction.replace_with(answer) };
        }
    }
    let left = [OFFSET, DIMENSIONS].iter().any(|name| {
        module
            .function(name)
            .is_some_and(|function| !function.is_unused())
    });
    match left {
        true => bail!("the program has recursive functions, which OpenCL C does not allow"),
        false => Ok(()),
    }
}

fn offset(builder: &Builder, module: &Module, hidden: &[Value], dimension: Value) -> Value {
    let (short, long) = (Type::int(module.context, 32), Type::int(module.context, 64));
    (0..3).fold(Value::zero(long), |otherwise, index| {
        let is_it = builder.compare(LLVMIntEQ, dimension, Value::int(short, index as u64));
        builder.select(is_it, hidden[index], otherwise)
    })
}

//! Builds the entry of each kernel: an `EntryFn` (see `vgpu_abi`) that loads the kernel's parameters and calls it.
//!
//! Needs: kernels known, their calling convention C.

use std::mem::offset_of;

use anyhow::Result;
use llvm_sys::LLVMLinkage::LLVMInternalLinkage;
use vgpu_abi::ThreadContext;

use super::unit::{Kernel, Unit};
use crate::analysis::kernels::{IN_MEMORY, in_memory, stack_alignment};
use crate::ir::{Builder, Type, Value};

/// The symbol of a kernel's entry.
pub fn symbol(kernel: &str) -> String {
    format!("vgpu.entry.{kernel}")
}

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    for kernel in &unit.kernels {
        build(unit, kernel);
        // The kernel keeps a frame of its own, so that its debug information stays attached to it.
        kernel.function.set_linkage(LLVMInternalLinkage);
        kernel.function.remove_attribute("alwaysinline");
        kernel.function.add_attribute(unit.context(), "noinline");
    }
    Ok(())
}

/// `void entry(ThreadContext *, const u64 *words)`: each parameter takes as many words as it needs.
fn build(unit: &Unit, kernel: &Kernel) {
    let context = unit.context();
    let pointer = Type::pointer(context);
    let entry = unit.module.declare(
        &symbol(&kernel.name),
        Type::function(Type::void(context), &[pointer, pointer]),
    );
    entry.add_attribute(context, "nounwind");
    entry.hide();
    let builder = Builder::at_end(context, Builder::append_block(context, entry, "entry"));
    if let Some(number) = kernel
        .function
        .metadata_int(context, "llvm.amdgcn.lds.kernel.id")
    {
        let offset = offset_of!(ThreadContext, kernel_number) as u64;
        let field = builder.byte_offset(
            entry.parameters()[0],
            Value::int(Type::int(context, 64), offset),
        );
        builder.store(Value::int(Type::int(context, 32), number), field);
    }
    let values = arguments(unit, &builder, entry.parameters()[1], kernel);
    builder.call_function(kernel.function, &values);
    builder.return_void();
}

/// The kernel's arguments, from the words at `words`. An argument in memory becomes a copy on the thread's stack: the
/// words are not device memory, and the kernel may change its own copy.
fn arguments(unit: &Unit, builder: &Builder, words: Value, kernel: &Kernel) -> Vec<Value> {
    let (context, layout) = (unit.context(), unit.module.layout());
    let int = Type::int(context, 64);
    let argument = |(index, (value, &word)): (usize, (Value, &u32))| {
        let place = builder.byte_offset(words, Value::int(int, 8 * u64::from(word)));
        let index = index as u32 + 1;
        let Some(ty) = in_memory(kernel.function, index) else {
            let argument = builder.load(value.ty(), place);
            // A vector of a kernel in OpenCL may want more; words have no more.
            argument.set_alignment(8);
            return argument;
        };
        let alignment = stack_alignment(kernel.function, index);
        let copy = builder.stack_slot(ty, alignment);
        builder.copy(
            copy,
            alignment,
            place,
            8,
            Value::int(int, layout.alloc_size(ty)),
        );
        // From here on it is an ordinary pointer, so `memory` goes, too: to LLVM, reading an AMD kernel's parameters is
        // reading constants, and not reading memory.
        kernel.function.remove_attribute("memory");
        IN_MEMORY
            .iter()
            .for_each(|name| kernel.function.remove_attribute_at(index, name));
        builder.to_space(copy, value.ty())
    };
    kernel
        .function
        .parameters()
        .into_iter()
        .zip(&kernel.places)
        .enumerate()
        .map(argument)
        .collect()
}

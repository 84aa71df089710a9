//! Needs: kernels known, their calling convention C. Leaves: an `EntryFn` (see `codegen::vgpu_abi`)
//! per kernel, which loads the kernel's parameters and calls it.

use std::mem::offset_of;

use anyhow::{Result, bail};
use codegen::vgpu_abi::ThreadContext;
use llvm_sys::LLVMLinkage::LLVMInternalLinkage;
use llvm_sys::LLVMTypeKind::{
    LLVMDoubleTypeKind, LLVMFloatTypeKind, LLVMHalfTypeKind, LLVMIntegerTypeKind,
    LLVMPointerTypeKind,
};

use super::unit::Unit;
use crate::ir::{Builder, Type, Value};

/// The symbol of a kernel's entry.
pub fn symbol(kernel: &str) -> String {
    format!("vgpu.entry.{kernel}")
}

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    for kernel in &unit.kernels {
        check_parameters(&kernel.name, kernel.function)?;
        build(unit, &symbol(&kernel.name), kernel.function);
        // The kernel keeps a frame of its own: its debug information stays attached to it.
        kernel.function.set_linkage(LLVMInternalLinkage);
        kernel.function.remove_attribute("alwaysinline");
        kernel.function.add_attribute(unit.context(), "noinline");
    }
    Ok(())
}

fn check_parameters(kernel: &str, function: Value) -> Result<()> {
    for (index, parameter) in function.parameters().into_iter().enumerate() {
        let ty = parameter.ty();
        let fits = match ty.kind() {
            LLVMIntegerTypeKind => ty.int_width() <= 64,
            LLVMPointerTypeKind | LLVMFloatTypeKind | LLVMDoubleTypeKind | LLVMHalfTypeKind => true,
            _ => false,
        };
        if !fits || is_in_memory(function, index as u32 + 1) {
            bail!(
                "parameter {index} of kernel `{kernel}` has the type {}; kernels take pointers and numbers of up to 64 bits",
                if fits {
                    "byval structure".to_owned()
                } else {
                    ty.print()
                }
            );
        }
    }
    Ok(())
}

/// Whether a parameter is a pointer to memory that the caller fills.
fn is_in_memory(function: Value, parameter: u32) -> bool {
    ["byval", "byref"]
        .iter()
        .any(|name| function.has_attribute_at(parameter, name))
}

/// `void entry(ThreadContext *, const u64 *parameters)`: parameter i is at byte 8·i.
fn build(unit: &Unit, name: &str, kernel: Value) {
    let context = unit.context();
    let pointer = Type::pointer(context);
    let entry = unit.module.declare(
        name,
        Type::function(Type::void(context), &[pointer, pointer]),
    );
    entry.add_attribute(context, "nounwind");
    entry.hide();
    let builder = Builder::at_end(context, Builder::append_block(context, entry, "entry"));
    if let Some(number) = kernel.metadata_int(context, "llvm.amdgcn.lds.kernel.id") {
        let offset = offset_of!(ThreadContext, kernel_number) as u64;
        let field = builder.byte_offset(
            entry.parameters()[0],
            Value::int(Type::int(context, 64), offset),
        );
        builder.store(Value::int(Type::int(context, 32), number), field);
    }
    let arguments = entry.parameters()[1];
    let offset = |index: usize| Value::int(Type::int(context, 64), 8 * index as u64);
    let load = |(index, parameter): (usize, Value)| {
        builder.load(
            parameter.ty(),
            builder.byte_offset(arguments, offset(index)),
        )
    };
    let values: Vec<_> = kernel
        .parameters()
        .into_iter()
        .enumerate()
        .map(load)
        .collect();
    builder.call_function(kernel, &values);
    builder.return_void();
}

//! Where addresses come from: fields of the context, elements, locals.

use std::mem::offset_of;

use codegen::vgpu_abi::ThreadContext;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

use super::calls::{self, Callee};
use super::divergence::signed;
use super::shape::Shape;
use crate::ir::{Layout, Type, Value};

/// The field of the context that a load reads: its offset.
pub fn context_field(load: Value) -> Option<usize> {
    let address = load.operand(0);
    if is_context(address) {
        return Some(0);
    }
    let is_field = address.opcode() == Some(LLVMOpcode::LLVMGetElementPtr)
        && is_context(address.operand(0))
        && address.operand_count() == 2
        && address.source_element_type().is_int()
        && address.source_element_type().int_width() == 8;
    is_field.then(|| signed(address.operand(1)).map(|offset| offset as usize))?
}

/// Whether a value is the thread's context.
pub fn is_context(value: Value) -> bool {
    value.opcode() == Some(LLVMOpcode::LLVMCall) && calls::of(value) == Callee::Context
}

/// What differs among the threads of a strip: the first dimension's index and the lane number.
pub fn shape(field: usize) -> Shape {
    let tid = offset_of!(ThreadContext, tid);
    if field == tid || field == offset_of!(ThreadContext, laneid) {
        Shape::Strided {
            stride: 1,
            aligned: true,
            small: true,
        }
    } else {
        Shape::Uniform
    }
}

/// The indices of a `getelementptr`, with the bytes each stands for; `None` for the number of a structure's field.
pub fn indices(layout: Layout, pointer: Value) -> Vec<(Value, Option<u64>)> {
    let mut ty = pointer.source_element_type();
    let mut found = Vec::new();
    for number in 1..pointer.operand_count() {
        let index = pointer.operand(number);
        if number == 1 {
            found.push((index, Some(layout.alloc_size(ty))));
        } else if ty.is_structure() {
            found.push((index, None));
            ty = ty.element(index.as_int().unwrap_or(0) as u32);
        } else {
            ty = ty.element(0);
            found.push((index, Some(layout.alloc_size(ty))));
        }
    }
    found
}

/// Bytes from one lane's copy of a local to the next one's.
pub fn private_stride(layout: Layout, alloca: Value) -> u64 {
    let size = layout.alloc_size(alloca.allocated_type()) * alloca.operand(0).as_int().unwrap_or(1);
    size.next_multiple_of(alloca.alignment().max(1)).max(1)
}

/// Whether memory of this type can be accessed lane by lane as a vector without gaps.
pub fn is_element(ty: Type) -> bool {
    match ty.kind() {
        LLVMTypeKind::LLVMIntegerTypeKind => matches!(ty.int_width(), 8 | 16 | 32 | 64),
        LLVMTypeKind::LLVMPointerTypeKind => true,
        _ => ty.is_float(),
    }
}

//! Values that come from the thread's context, and addresses of elements and local variables.

use std::mem::offset_of;

use llvm_sys::{LLVMOpcode, LLVMTypeKind};
use vgpu_abi::ThreadContext;

use super::callee::{self, Callee};
use super::shape::{Shape, Size};
use crate::analysis::target::SHARED;
use crate::ir::{Layout, Type, Value};
use crate::vgpu::unit::Kernel;

/// The field of the context that a load reads, as an offset.
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
    is_field.then(|| {
        address
            .operand(1)
            .as_signed_int()
            .map(|offset| offset as usize)
    })?
}

/// The field of the context that a value was loaded from, perhaps extended.
pub fn context_field_of(mut value: Value) -> Option<usize> {
    while matches!(
        value.opcode(),
        Some(LLVMOpcode::LLVMZExt | LLVMOpcode::LLVMSExt)
    ) {
        value = value.operand(0);
    }
    (value.opcode() == Some(LLVMOpcode::LLVMLoad)).then(|| context_field(value))?
}

/// Whether a value is the thread's context.
pub fn is_context(value: Value) -> bool {
    value.opcode() == Some(LLVMOpcode::LLVMCall) && callee::of(value) == Callee::Context
}

/// The dimension in which the thread ids of a subgroup are consecutive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneAxis {
    /// The first dimension.
    X,
    /// The second dimension: blocks of generic kernels extend along y (docs/abi.md).
    Y,
}

impl LaneAxis {
    /// The axis of a kernel's warp form.
    pub fn of(kernel: &Kernel) -> LaneAxis {
        match kernel.is_generic() {
            true => LaneAxis::Y,
            false => LaneAxis::X,
        }
    }

    /// The field of the thread id in that dimension.
    pub fn thread_id(self) -> usize {
        offset_of!(ThreadContext, tid) + self as usize * size_of::<u32>()
    }

    /// The field of the block's size in that dimension.
    pub fn threads(self) -> usize {
        offset_of!(ThreadContext, ntid) + self as usize * size_of::<u32>()
    }
}

/// The shape of a field. Only the thread id along the axis and the lane id differ in a subgroup.
pub fn shape(field: usize, axis: LaneAxis) -> Shape {
    if field == axis.thread_id() || field == offset_of!(ThreadContext, laneid) {
        Shape::Strided {
            stride: 1,
            aligned: true,
            size: Size::Small,
        }
    } else {
        Shape::Uniform
    }
}

/// Whether a value is the thread id along `axis`, perhaps extended.
pub fn is_thread_id(value: Value, axis: LaneAxis) -> bool {
    context_field_of(value) == Some(axis.thread_id())
}

/// Whether a value is the thread id in the first dimension, perhaps zero-extended.
pub fn is_zero_extended_thread_id(value: Value) -> bool {
    match value.opcode() {
        Some(LLVMOpcode::LLVMZExt) => is_zero_extended_thread_id(value.operand(0)),
        Some(LLVMOpcode::LLVMLoad) => context_field(value) == Some(offset_of!(ThreadContext, tid)),
        _ => false,
    }
}

/// Whether a value is the lane id: the thread's number in its warp.
pub fn is_lane(value: Value, axis: LaneAxis) -> bool {
    let is_part = value.opcode() == Some(LLVMOpcode::LLVMAnd)
        && is_thread_id(value.operand(0), axis)
        && matches!(value.operand(1).as_int(), Some(31 | 63));
    is_part || context_field_of(value) == Some(offset_of!(ThreadContext, laneid))
}

/// The offset of an address in shared memory, if that is known.
pub fn shared_offset(mut address: Value) -> Option<i64> {
    let mut offset = 0;
    loop {
        match address.opcode()? {
            LLVMOpcode::LLVMAddrSpaceCast => {}
            LLVMOpcode::LLVMGetElementPtr => {
                let bytes = address.source_element_type();
                let is_bytes = bytes.is_int() && bytes.int_width() == 8;
                if !is_bytes || address.operand_count() != 2 {
                    return None;
                }
                offset += address.operand(1).as_signed_int()?;
            }
            _ => break,
        }
        address = address.operand(0);
    }
    let is_base = context_field_of(address) == Some(offset_of!(ThreadContext, shared_base));
    is_base.then_some(offset)
}

/// Whether an address is known to be one of shared memory.
pub fn is_in_shared_memory(address: Value) -> bool {
    if address.ty().address_space() == SHARED {
        return true;
    }
    let base = address.address_base();
    let is_load = base.opcode() == Some(LLVMOpcode::LLVMLoad);
    is_load && context_field(base) == Some(offset_of!(ThreadContext, shared_base))
}

/// The indices of a `getelementptr`, and the bytes that one step of each means; `None` for the index of a structure's
/// field.
pub fn indices(layout: Layout, pointer: Value) -> Vec<(Value, Option<u64>)> {
    let mut ty = pointer.source_element_type();
    let mut found = Vec::new();
    for operand in 1..pointer.operand_count() {
        let index = pointer.operand(operand);
        if operand == 1 {
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

/// Bytes from one lane's copy of a local variable to the next lane's.
pub fn local_stride(layout: Layout, alloca: Value) -> u64 {
    let size = layout.local_size(alloca).unwrap_or(1);
    size.next_multiple_of(alloca.alignment().max(1)).max(1)
}

/// Whether a vector of such elements lies in memory without gaps.
pub fn is_element(ty: Type) -> bool {
    match ty.kind() {
        LLVMTypeKind::LLVMIntegerTypeKind => matches!(ty.int_width(), 8 | 16 | 32 | 64),
        LLVMTypeKind::LLVMPointerTypeKind => true,
        _ => ty.is_float(),
    }
}

//! Addresses: vectors of pointers, and pointers in the flat address space.

use llvm_sys::LLVMOpcode;

use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};
use crate::vgpu::warp::analysis::shape::Shape;

impl Vectoriser<'_> {
    /// A pointer in the flat address space.
    pub(super) fn flat(&self, pointer: Value) -> Value {
        self.builder.to_space(pointer, Type::pointer(self.context))
    }

    /// A vector of pointers in the flat address space.
    pub(super) fn flat_vector(&mut self, address: Value) -> Value {
        let pointers = self.vector(address);
        let ty = Type::pointer(self.context).vector(self.width);
        self.builder.to_space(pointers, ty)
    }

    /// The vector of a pointer in the flat address space, recomputed here. At unit stride only side paths need the
    /// vector, so it is not computed where the kernel computes the address.
    pub(super) fn rematerialise_pointers(&mut self, address: Value) -> Value {
        let pointers = self.rematerialise_address(address);
        let ty = Type::pointer(self.context).vector(self.width);
        self.builder.to_space(pointers, ty)
    }

    fn rematerialise_address(&mut self, address: Value) -> Value {
        if self.divergence.shape(address) != Shape::Varying {
            return self.vector(address);
        }
        match address.opcode() {
            Some(LLVMOpcode::LLVMAddrSpaceCast) => {
                let pointers = self.rematerialise_address(address.operand(0));
                let ty = address.ty().vector(self.width);
                self.builder.to_space(pointers, ty)
            }
            Some(LLVMOpcode::LLVMGetElementPtr) => {
                let base = address.operand(0);
                if self.divergence.shape(base) == Shape::Varying {
                    let again = self.rematerialise_address(base);
                    self.vectors.insert(base, again);
                }
                self.vector_pointer(address)
            }
            _ => self.vector(address),
        }
    }

    /// The vector of pointers that a `getelementptr` makes.
    pub(super) fn vector_pointer(&mut self, instruction: Value) -> Value {
        let mut operands = Vec::new();
        for operand in instruction.operands() {
            // The index of a structure's field must stay a constant. Uniform indices may stay scalars.
            let uniform = self.divergence.shape(operand).is_uniform();
            operands.push(if uniform {
                self.scalar(operand)
            } else {
                self.vector(operand)
            });
        }
        let ty = instruction.source_element_type();
        let made = self.builder.index(ty, operands[0], &operands[1..]);
        made.take_flags(instruction);
        made
    }

    /// The addresses of an array's elements at 32-bit indices.
    pub(super) fn element_pointers(&self, array: Value, element: Type, indices: Value) -> Value {
        let wide = Type::int(self.context, 64).vector(self.width);
        let indices = self.builder.cast(LLVMOpcode::LLVMZExt, indices, wide);
        self.builder.index(element, array, &[indices])
    }

    /// The address, or the vector of addresses, `bytes` further on.
    pub(super) fn offset_by(&self, pointer: Value, bytes: i64) -> Value {
        let int = Type::int(self.context, 64);
        self.builder
            .byte_offset(pointer, Value::int(int, bytes as u64))
    }
}

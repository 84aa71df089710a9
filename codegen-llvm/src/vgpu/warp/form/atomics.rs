//! Atomic operations: one for all lanes where that does the same, else one for each lane.

use llvm_sys::{LLVMAtomicRMWBinOp, LLVMOpcode};

use super::reduction::{Neutral, Reduction};
use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};
use crate::vgpu::warp::refusal::Refusal;

impl Vectoriser<'_> {
    /// An atomic operation. If all lanes change one memory location and none wants the old value, the lanes' values
    /// are reduced first. If all lanes add the same to one location, one addition serves all of them. Anything else is
    /// done lane by lane.
    pub(super) fn atomic(&mut self, instruction: Value) -> Result<(), Refusal> {
        if self.is_float_sum(instruction) {
            let value = instruction.operand(1);
            let vector = self.vector(value);
            let zero = Value::real(value.ty(), -0.0);
            let zeros = self.builder.splat(zero, self.width);
            let active = self.builder.select(self.mask, vector, zeros);
            let function = self
                .module
                .intrinsic("llvm.vector.reduce.fadd", &[vector.ty()]);
            let total = self.builder.call_function(function, &[zero, active]);
            // The order of atomic additions is free anyway.
            total.allow_reassociation();
            self.copy_with_total(instruction, total);
            return Ok(());
        }
        if let Some(reduction) = self.reduction(instruction) {
            let value = instruction.operand(1);
            let vector = self.vector(value);
            let neutral = self
                .builder
                .splat(reduction.neutral(value.ty()), self.width);
            let active = self.builder.select(self.mask, vector, neutral);
            let function = self.module.intrinsic(reduction.intrinsic, &[vector.ty()]);
            let total = self.builder.call_function(function, &[active]);
            self.copy_with_total(instruction, total);
            return Ok(());
        }
        if self.is_uniform_fetch_add(instruction) {
            self.aggregate_fetch_add(instruction);
            return Ok(());
        }
        self.lane_by_lane(instruction, false)
    }

    /// Whether all lanes add the same value to one memory location, such as a counter from which each takes a number.
    fn is_uniform_fetch_add(&self, instruction: Value) -> bool {
        let uniform = |operand| {
            self.divergence
                .shape(instruction.operand(operand))
                .is_uniform()
        };
        instruction.opcode() == Some(LLVMOpcode::LLVMAtomicRMW)
            && instruction.atomic_operation() == LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpAdd
            && !instruction.is_volatile()
            && uniform(0)
            && uniform(1)
    }

    /// Warp-aggregated fetch-and-add: one addition of all that the active lanes add. A lane's old value is the
    /// location's old value plus what the active lanes before it add.
    fn aggregate_fetch_add(&mut self, instruction: Value) {
        let (address, step) = (
            self.scalar(instruction.operand(0)),
            self.scalar(instruction.operand(1)),
        );
        let ty = step.ty();
        let lanes = Type::int(self.context, self.width);
        let bits = self.mask_bits();
        let builder = &self.builder;
        let count = |which: Value, ty: Type| {
            let function = self.module.intrinsic("llvm.ctpop", &[which.ty()]);
            builder.cast_unsigned(builder.call_function(function, &[which]), ty)
        };
        let total = builder.binary(LLVMOpcode::LLVMMul, count(bits, ty), step);
        let first = builder.copy_of(instruction);
        first.set_operand(0, address);
        first.set_operand(1, total);
        let before: Vec<_> = (0..self.width)
            .map(|lane| Value::int(lanes, (1 << lane) - 1))
            .collect();
        let splat = |scalar| builder.splat(scalar, self.width);
        let earlier = builder.binary(LLVMOpcode::LLVMAnd, splat(bits), Value::vector(&before));
        let ranks = count(earlier, ty.vector(self.width));
        let steps = builder.binary(LLVMOpcode::LLVMMul, ranks, splat(step));
        let old_values = builder.binary(LLVMOpcode::LLVMAdd, splat(first), steps);
        self.define_vector(instruction, old_values);
    }

    /// The atomic operation with one value for all lanes.
    fn copy_with_total(&mut self, instruction: Value, total: Value) {
        let address = self.scalar(instruction.operand(0));
        let copy = self.builder.copy_of(instruction);
        copy.set_operand(0, address);
        copy.set_operand(1, total);
    }

    fn is_float_sum(&self, instruction: Value) -> bool {
        self.is_uniform_reduction(instruction)
            && instruction.atomic_operation() == LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpFAdd
            && instruction.operand(1).ty().is_float()
    }

    /// Whether all lanes change one memory location and none wants the old value.
    pub(super) fn is_uniform_reduction(&self, instruction: Value) -> bool {
        instruction.opcode() == Some(LLVMOpcode::LLVMAtomicRMW)
            && instruction.is_unused()
            && !instruction.is_volatile()
            && self.divergence.shape(instruction.operand(0)).is_uniform()
    }

    /// How to reduce the lanes' values for such an operation on integers.
    fn reduction(&self, instruction: Value) -> Option<Reduction> {
        use LLVMAtomicRMWBinOp::*;
        let fits = self.is_uniform_reduction(instruction) && instruction.operand(1).ty().is_int();
        if !fits {
            return None;
        }
        let (intrinsic, neutral) = match instruction.atomic_operation() {
            LLVMAtomicRMWBinOpAdd => ("llvm.vector.reduce.add", Neutral::Zero),
            LLVMAtomicRMWBinOpOr => ("llvm.vector.reduce.or", Neutral::Zero),
            LLVMAtomicRMWBinOpXor => ("llvm.vector.reduce.xor", Neutral::Zero),
            LLVMAtomicRMWBinOpUMax => ("llvm.vector.reduce.umax", Neutral::Zero),
            LLVMAtomicRMWBinOpAnd => ("llvm.vector.reduce.and", Neutral::Ones),
            LLVMAtomicRMWBinOpUMin => ("llvm.vector.reduce.umin", Neutral::Ones),
            LLVMAtomicRMWBinOpMax => ("llvm.vector.reduce.smax", Neutral::Least),
            LLVMAtomicRMWBinOpMin => ("llvm.vector.reduce.smin", Neutral::Greatest),
            _ => return None,
        };
        Some(Reduction { intrinsic, neutral })
    }
}

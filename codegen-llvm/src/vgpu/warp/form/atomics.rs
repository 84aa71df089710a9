//! Atomic operations: one for all lanes where that does the same, else one for each lane.

use llvm_sys::{LLVMAtomicRMWBinOp, LLVMOpcode};

use super::reduction::Combination;
use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};
use crate::vgpu::warp::refusal::Refusal;

impl Vectoriser<'_> {
    /// An atomic operation. If all lanes change one memory location and none wants the old value, the lanes' values
    /// are reduced first. If all lanes add the same to one location, one addition serves all of them. Anything else is
    /// done place by place (`shared_places`) or lane by lane.
    pub(super) fn atomic(&mut self, instruction: Value) -> Result<(), Refusal> {
        let combination = self
            .is_uniform_reduction(instruction)
            .then(|| Combination::of(instruction));
        if let Some(combination) = combination.flatten() {
            let values = self.vector(instruction.operand(1));
            let total = self.combine_lanes(&combination, values, self.mask);
            self.copy_with_total(instruction, total);
            return Ok(());
        }
        if self.is_uniform_fetch_add(instruction) {
            self.aggregate_fetch_add(instruction);
            return Ok(());
        }
        let alone = |vectoriser: &mut Self| vectoriser.lane_by_lane(instruction, false);
        self.place_by_place(&[instruction], alone)
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
        let count = |which: Value, ty: Type| builder.cast_unsigned(self.count(which), ty);
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

    /// Whether all lanes change one memory location and none wants the old value.
    pub(super) fn is_uniform_reduction(&self, instruction: Value) -> bool {
        instruction.opcode() == Some(LLVMOpcode::LLVMAtomicRMW)
            && instruction.is_unused()
            && !instruction.is_volatile()
            && self.divergence.shape(instruction.operand(0)).is_uniform()
    }
}

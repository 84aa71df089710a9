//! What is done lane by lane: calls with side effects, atomics, and whatever has no vector form.

use llvm_sys::{LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMOpcode};
use vgpu_abi::ReduxOp;

use super::Vectoriser;
use crate::ir::{Builder, Type, Value};
use crate::vgpu::warp::refusal::Refusal;

impl Vectoriser<'_> {
    /// Runs `body` for every active lane in turn, with the lane's number (32 bits); the results are a vector of type
    /// `result`, if one is wanted. There is at least one active lane.
    pub(super) fn for_each_lane(
        &mut self,
        result: Option<Type>,
        body: impl FnOnce(&mut Self, Value) -> Value,
    ) -> Option<Value> {
        let bits = self.mask_bits();
        let before = self.builder.block();
        let body_block = Builder::append_block(self.context, self.function, "");
        let done = Builder::append_block(self.context, self.function, "");
        self.builder.jump(body_block);
        self.builder.move_to_end(body_block);
        let left = self.builder.phi(bits.ty());
        let gathered = result.map(|ty| self.builder.phi(ty));
        let lane = self.count_trailing(left);
        let value = body(self, lane);
        let with_lane = gathered.map(|whole| self.insert_lane(whole, value, lane));
        let minus_one =
            self.builder
                .binary(LLVMOpcode::LLVMAdd, left, Value::int(bits.ty(), u64::MAX));
        let rest = self.builder.binary(LLVMOpcode::LLVMAnd, left, minus_one);
        let more = self
            .builder
            .compare(LLVMIntPredicate::LLVMIntNE, rest, Value::zero(rest.ty()));
        let end = self.builder.block();
        self.builder.branch(more, body_block, done);
        left.add_incoming(bits, before);
        left.add_incoming(rest, end);
        if let (Some(whole), Some(next)) = (gathered, with_lane) {
            whole.add_incoming(Value::poison(whole.ty()), before);
            whole.add_incoming(next, end);
        }
        self.builder.move_to_end(done);
        with_lane
    }

    /// A vector with lane `lane` replaced; structures field by field.
    fn insert_lane(&self, whole: Value, value: Value, lane: Value) -> Value {
        let count = value.ty().part_count();
        if count == 0 {
            return self.builder.insert_element(whole, value, lane);
        }
        (0..count).fold(whole, |made, index| {
            let (vectors, part) = (
                self.builder.field(whole, index),
                self.builder.field(value, index),
            );
            let part = self.insert_lane(vectors, part, lane);
            self.builder.insert_field(made, part, index)
        })
    }

    /// Lane `lane` of a vector; structures field by field.
    pub(super) fn extract_lane(&self, vector: Value, lane: Value) -> Value {
        let count = vector.ty().part_count();
        if count == 0 {
            return self.builder.extract(vector, lane);
        }
        let parts: Vec<_> = (0..count)
            .map(|index| self.extract_lane(self.builder.field(vector, index), lane))
            .collect();
        let types: Vec<_> = parts.iter().map(|part| part.ty()).collect();
        let whole = Value::poison(Type::structure(self.context, &types));
        parts
            .into_iter()
            .enumerate()
            .fold(whole, |whole, (index, part)| {
                self.builder.insert_field(whole, part, index as u32)
            })
    }

    /// `vgpu_warp_lane`: the engine calls that follow are this lane's.
    pub(super) fn announce(&self, lane: Value) {
        let ty = Type::function(
            Type::void(self.context),
            &[Type::pointer(self.context), Type::int(self.context, 32)],
        );
        let function = self.module.declare("vgpu_warp_lane", ty);
        function.add_attribute(self.context, "nounwind");
        self.builder.call_function(function, &[self.cx, lane]);
    }

    /// An engine call of every lane.
    pub(super) fn engine_call(&mut self, call: Value) -> Result<(), Refusal> {
        self.lane_by_lane(call, true)
    }

    /// A call that ends the kernel: the first lane's.
    pub(super) fn fault(&mut self, call: Value) -> Result<(), Refusal> {
        let lane = self.first_lane();
        self.announce(lane);
        let mut operands = Vec::new();
        for index in 0..call.operand_count() {
            let operand = call.operand(index);
            let value = match self.divergence.shape(operand).is_uniform() {
                true => self.scalar(operand),
                false => {
                    let vector = self.vector(operand);
                    self.extract_lane(vector, lane)
                }
            };
            operands.push((index, value));
        }
        let copy = self.builder.copy_of(call);
        operands
            .into_iter()
            .for_each(|(index, value)| copy.set_operand(index, value));
        Ok(())
    }

    /// A function of the C library, or a transfer: once if all lanes ask for the same.
    pub(super) fn library_call(&mut self, call: Value) -> Result<(), Refusal> {
        if self.divergence.shape(call).is_uniform() {
            let made = self.once(call);
            if !call.ty().is_void() {
                self.define_scalar(call, made);
            }
            return Ok(());
        }
        self.lane_by_lane(call, false)
    }

    /// An atomic operation. What all lanes add to one place is added up first; if each wants to know what was there before its own, lanes
    /// are served in order.
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
            // Atomic additions happen in any order, too.
            total.allow_reassociation();
            self.add_once(instruction, total);
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
            self.add_once(instruction, total);
            return Ok(());
        }
        if self.is_uniform_fetch_add(instruction) {
            self.aggregate_fetch_add(instruction);
            return Ok(());
        }
        self.lane_by_lane(instruction, false)
    }

    /// Whether all lanes add the same to one place, such as a counter from which each takes a number.
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

    /// One addition of all that the active lanes add; a lane's old value is what was there, and what the active lanes before it add.
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
        let numbers = builder.binary(LLVMOpcode::LLVMAdd, splat(first), steps);
        self.define_vector(instruction, numbers);
    }

    /// The atomic operation with one value for all lanes.
    fn add_once(&mut self, instruction: Value, total: Value) {
        let address = self.scalar(instruction.operand(0));
        let copy = self.builder.copy_of(instruction);
        copy.set_operand(0, address);
        copy.set_operand(1, total);
    }

    fn is_float_sum(&self, instruction: Value) -> bool {
        self.is_one_place(instruction)
            && instruction.atomic_operation() == LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpFAdd
            && instruction.operand(1).ty().is_float()
    }

    /// Whether all lanes change one place, and nobody wants the old value.
    pub(super) fn is_one_place(&self, instruction: Value) -> bool {
        instruction.opcode() == Some(LLVMOpcode::LLVMAtomicRMW)
            && instruction.is_unused()
            && !instruction.is_volatile()
            && self.divergence.shape(instruction.operand(0)).is_uniform()
    }

    /// How to reduce the values of an atomic operation on one place, whose old value nobody wants.
    fn reduction(&self, instruction: Value) -> Option<Reduction> {
        use LLVMAtomicRMWBinOp::*;
        let fits = self.is_one_place(instruction) && instruction.operand(1).ty().is_int();
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

/// How the lanes' values become one.
pub(super) struct Reduction {
    /// The intrinsic that does it.
    pub(super) intrinsic: &'static str,
    /// What inactive lanes give.
    pub(super) neutral: Neutral,
}

/// A value that changes nothing.
#[derive(Clone, Copy)]
pub(super) enum Neutral {
    /// 0
    Zero,
    /// All bits set
    Ones,
    /// The least signed number
    Least,
    /// The greatest signed number
    Greatest,
}

impl Reduction {
    /// That of `redux.sync`.
    pub(super) fn of(operation: ReduxOp) -> Reduction {
        let (intrinsic, neutral) = match operation {
            ReduxOp::Add => ("llvm.vector.reduce.add", Neutral::Zero),
            ReduxOp::Umin => ("llvm.vector.reduce.umin", Neutral::Ones),
            ReduxOp::Umax => ("llvm.vector.reduce.umax", Neutral::Zero),
            ReduxOp::Smin => ("llvm.vector.reduce.smin", Neutral::Greatest),
            ReduxOp::Smax => ("llvm.vector.reduce.smax", Neutral::Least),
            ReduxOp::And => ("llvm.vector.reduce.and", Neutral::Ones),
            ReduxOp::Or => ("llvm.vector.reduce.or", Neutral::Zero),
            ReduxOp::Xor => ("llvm.vector.reduce.xor", Neutral::Zero),
        };
        Reduction { intrinsic, neutral }
    }

    /// That of number `number` among [`ReduxOp`]'s, if there is one.
    pub(super) fn numbered(number: u64) -> Option<Reduction> {
        use ReduxOp::*;
        let all = [Add, Umin, Umax, Smin, Smax, And, Or, Xor];
        all.into_iter()
            .find(|&operation| operation as u64 == number)
            .map(Reduction::of)
    }

    /// The value that changes nothing.
    pub(super) fn neutral(&self, ty: Type) -> Value {
        let sign = 1u64 << (ty.int_width() - 1);
        Value::int(
            ty,
            match self.neutral {
                Neutral::Zero => 0,
                Neutral::Ones => u64::MAX,
                Neutral::Least => sign,
                Neutral::Greatest => sign - 1,
            },
        )
    }
}

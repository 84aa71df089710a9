//! Shuffles: each lane takes the value of another one.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use vgpu_abi::ShuffleMode;

use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};
use crate::vgpu::warp::refusal::Refusal;

impl Vectoriser<'_> {
    /// `vgpu_shfl(cx, site, mask, mode, value, b, c)` as the PTX ISA specifies "shfl.sync". `from` is the source lane
    /// `j`, and `inside` tells whether it lies in the segment. The result has 32 bits of value, then the predicate.
    pub(super) fn shuffle(&mut self, call: Value) -> Result<(), Refusal> {
        use LLVMOpcode::{LLVMAdd, LLVMAnd, LLVMOr, LLVMShl, LLVMSub, LLVMXor};
        let arguments = call.arguments();
        let Some(mode) = arguments[3].as_int() else {
            return Err(Refusal::at(
                self.context,
                call,
                "the kind of a shuffle is only known at run time",
            ));
        };
        if self.width != 32 {
            let what = "a shuffle needs warps of 32 lanes";
            return Err(Refusal::at(self.context, call, what));
        }
        let int = Type::int(self.context, 32);
        let constant = |value: u64| self.builder.splat(Value::int(int, value), self.width);
        let (five, eight) = (constant(31), constant(8));
        let lane = self.steps(int, 1);
        let (value, b, c) = (
            self.vector(arguments[4]),
            self.vector(arguments[5]),
            self.vector(arguments[6]),
        );
        let builder = &self.builder;
        let op = |opcode, left, right| builder.binary(opcode, left, right);
        let by = op(LLVMAnd, b, five);
        let segments = op(LLVMOpcode::LLVMLShr, c, eight);
        let segments = op(LLVMAnd, segments, five);
        let others = op(LLVMXor, segments, five);
        let clamp = op(LLVMAnd, c, others);
        let lowest = op(LLVMAnd, lane, segments);
        let highest = op(LLVMOr, lowest, clamp);
        let up = mode == ShuffleMode::Up as u64;
        let from = match mode {
            _ if up => op(LLVMSub, lane, by),
            _ if mode == ShuffleMode::Down as u64 => op(LLVMAdd, lane, by),
            _ if mode == ShuffleMode::Bfly as u64 => op(LLVMXor, lane, by),
            _ => op(LLVMOr, lowest, op(LLVMAnd, by, others)),
        };
        let bound = if up {
            LLVMIntPredicate::LLVMIntSGE
        } else {
            LLVMIntPredicate::LLVMIntSLE
        };
        let inside = builder.compare(bound, from, highest);
        let from = builder.select(inside, from, lane);
        // An inactive lane gives nothing: the reader keeps its own value.
        let lanes = self.mask_bits();
        let lanes = self.builder.splat(lanes, self.width);
        let there = self.builder.binary(LLVMOpcode::LLVMLShr, lanes, from);
        let bit = Type::int(self.context, 1).vector(self.width);
        let there = self.builder.cast(LLVMOpcode::LLVMTrunc, there, bit);
        // Selected afterwards, so that a constant `from` stays constant.
        let moved = self.permute(value, from);
        let moved = self.builder.select(there, moved, value);
        let wide = Type::int(self.context, 64).vector(self.width);
        let low = self.builder.cast(LLVMOpcode::LLVMZExt, moved, wide);
        let flag = self.builder.cast(LLVMOpcode::LLVMZExt, inside, wide);
        let thirty_two = self
            .builder
            .splat(Value::int(Type::int(self.context, 64), 32), self.width);
        let high = self.builder.binary(LLVMShl, flag, thirty_two);
        let both = self.builder.binary(LLVMOr, low, high);
        self.define_vector(call, both);
        Ok(())
    }

    /// The vector whose lane `l` is lane `from[l]` of `value`: a `shufflevector` for constant lanes, else the CPU's
    /// permutation where it has one, else a gather from the stack.
    pub(super) fn permute(&self, value: Value, from: Value) -> Value {
        if from.is_constant() {
            return self.builder.shuffle(value, from);
        }
        let element = value.ty().element(0);
        if self.has_vpermi2d && self.width == 32 && element == Type::int(self.context, 32) {
            let half = |vector, first| self.builder.shuffle_both(vector, vector, first..first + 16);
            let (low, high) = (half(value, 0), half(value, 16));
            let permute = self
                .module
                .intrinsic("llvm.x86.avx512.vpermi2var.d.512", &[]);
            let [first, second] = [0, 16].map(|at| {
                self.builder
                    .call_function(permute, &[low, half(from, at), high])
            });
            return self.builder.shuffle_both(first, second, 0..32);
        }
        let slot = self.slot(value.ty());
        self.builder.store(value, slot);
        let pointers = self.element_pointers(slot, element, from);
        let types = [value.ty(), pointers.ty()];
        let function = self.module.intrinsic("llvm.masked.gather", &types);
        let call = self
            .builder
            .call_function(function, &[pointers, self.mask, value]);
        call.align_argument(self.context, 0, self.layout.alignment(element));
        call
    }
}

//! Comparisons of 64-bit values that count up by 1 over the lanes with a value that all lanes have.
//!
//! A scalar question answers for all lanes: how many of them are below the bound? Their numbers, a byte each, are then
//! compared with this count. Without AVX-512 a comparison of 32 lanes of 64 bits is eight comparisons, whose results
//! are packed to bytes in three steps: some seventy instructions instead of twenty.

use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMOpcode::*;

use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};
use crate::vgpu::warp::analysis::shape::Shape;

/// Lanes whose numbers and counts are bytes.
const MOST_LANES: u32 = 64;

impl Vectoriser<'_> {
    /// The mask of a comparison of such values, if it is one and this pays.
    pub(super) fn compare_by_count(&mut self, comparison: Value) -> Option<Value> {
        let (left, right) = (comparison.operand(0), comparison.operand(1));
        let is_wide = left.ty().is_int() && left.ty().int_width() == 64;
        if self.has_vpermi2d || !is_wide || self.width > MOST_LANES {
            return None;
        }
        let shapes = [left, right].map(|value| self.divergence.shape(value));
        let (counting, bound, predicate) = match shapes {
            [Shape::Strided { stride: 1, .. }, Shape::Uniform] => {
                (left, right, comparison.int_predicate())
            }
            [Shape::Uniform, Shape::Strided { stride: 1, .. }] => {
                (right, left, comparison.swapped_predicate())
            }
            _ => return None,
        };
        let (mut first, mut bound) = (self.scalar(counting), self.scalar(bound));
        if matches!(predicate, LLVMIntSLT | LLVMIntSLE | LLVMIntSGT | LLVMIntSGE) {
            // With the sign turned, the order is that of unsigned numbers.
            let sign = Value::int(first.ty(), 1 << 63);
            first = self.builder.binary(LLVMXor, first, sign);
            bound = self.builder.binary(LLVMXor, bound, sign);
        }
        match predicate {
            LLVMIntULT | LLVMIntSLT => Some(self.below(first, bound)),
            LLVMIntUGE | LLVMIntSGE => {
                let below = self.below(first, bound);
                Some(self.not(below))
            }
            LLVMIntULE | LLVMIntSLE => {
                let above = self.above(first, bound);
                Some(self.not(above))
            }
            LLVMIntUGT | LLVMIntSGT => Some(self.above(first, bound)),
            _ => None,
        }
    }

    /// The lanes whose unsigned value, `first` for lane 0 and so on, is below `bound`.
    ///
    /// Values may wrap to 0 after some lanes. So these are the lanes up to the bound, and those from the wrap on.
    fn below(&self, first: Value, bound: Value) -> Value {
        let width = Value::int(first.ty(), self.width.into());
        let zero = Value::int(first.ty(), 0);
        let up_to_bound = self.builder.binary(LLVMSub, bound, first);
        let up_to_bound = self.lesser(up_to_bound, width);
        let is_below = self.builder.compare(LLVMIntULT, first, bound);
        let up_to_bound = self.builder.select(is_below, up_to_bound, zero);
        let before_wrap = self.builder.binary(LLVMSub, zero, first);
        let after_wrap = self.lesser(bound, width);
        let wraps = self
            .builder
            .compare(LLVMIntUGT, first, self.last_start(first.ty()));
        let after_wrap = self.builder.select(wraps, after_wrap, zero);
        let numbers = self.steps(Type::int(self.context, 8), 1);
        let before = self
            .builder
            .compare(LLVMIntULT, numbers, self.byte_for_all(up_to_bound));
        let since_wrap = self
            .builder
            .binary(LLVMSub, numbers, self.byte_for_all(before_wrap));
        let after = self
            .builder
            .compare(LLVMIntULT, since_wrap, self.byte_for_all(after_wrap));
        self.builder.binary(LLVMOr, before, after)
    }

    /// The lanes whose unsigned value is above `bound`. What is above it is what is not below the next number; above
    /// the last number there is none.
    fn above(&self, first: Value, bound: Value) -> Value {
        let next = self
            .builder
            .binary(LLVMAdd, bound, Value::int(bound.ty(), 1));
        let below = self.below(first, next);
        let is_last = self
            .builder
            .compare(LLVMIntEQ, bound, Value::int(bound.ty(), u64::MAX));
        let above = self.not(below);
        let none = Value::zero(above.ty());
        self.builder.select(is_last, none, above)
    }

    /// The greatest value of lane 0 from which no lane wraps.
    fn last_start(&self, ty: Type) -> Value {
        Value::int(ty, u64::MAX - u64::from(self.width - 1))
    }

    fn lesser(&self, one: Value, other: Value) -> Value {
        let is_less = self.builder.compare(LLVMIntULT, one, other);
        self.builder.select(is_less, one, other)
    }

    /// The last byte of a number, for each lane.
    fn byte_for_all(&self, number: Value) -> Value {
        let byte = Type::int(self.context, 8);
        let number = self.builder.cast(LLVMTrunc, number, byte);
        self.builder.splat(number, self.width)
    }
}

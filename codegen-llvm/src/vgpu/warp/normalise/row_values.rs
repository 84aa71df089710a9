//! The values that the first active lane has, and how the other lanes of its row differ from it.
//!
//! A *row* is a set of consecutive lanes in which all quotients are the same: then a quotient is uniform, and a
//! remainder counts up. This file computes, from the first active lane's values alone,
//!
//! * the values that are uniform or strided in its row,
//! * how many lanes from that one on are in the row,
//! * whether that is certain: nothing negative, nothing so large that an index wraps around within the subgroup.

use std::collections::HashMap;

use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMOpcode::{self, *};

use super::row_markers::Markers;
use crate::ir::{Builder, Context, Type, Value};
use crate::vgpu::warp::analysis::divergence::Divergence;
use crate::vgpu::warp::analysis::shape::Shape;

/// A value that changes by `stride` from lane to lane of the row.
#[derive(Clone, Copy)]
struct InRow {
    /// The first active lane's.
    first: Value,
    stride: i64,
}

/// No two thread ids of a block are further apart.
const MOST_THREADS: i64 = 1024;

/// The shortest rows that are run one after the other. Of shorter ones a subgroup would have too many: the body would
/// take longer for all of them than with vectors of any elements.
pub const SHORTEST: u64 = 16;
/// The same of a body with a loop or much arithmetic, whose accesses are a small part of it.
pub const SHORTEST_OF_LONG_BODY: u64 = 64;

/// The values of the first active lane, computed before the code that `inside` tells.
pub struct RowValues<'a> {
    builder: &'a Builder,
    markers: &'a Markers,
    divergence: &'a Divergence,
    inside: &'a dyn Fn(Value) -> bool,
    shortest: u64,
    known: HashMap<Value, InRow>,
    /// Values that the analysis of shapes does not find uniform or strided by itself, in order.
    pub found: Vec<Value>,
    /// Whether everything computed here holds for the whole row.
    pub certain: Value,
    /// How many lanes are in the row, from the first active one on, 64 bits.
    pub length: Value,
    /// Whether no divisor is so small that rows are very short.
    pub long: Value,
}

impl<'a> RowValues<'a> {
    /// Nothing but the subgroup yet. `shortest`: the length of rows from which on they are run one after the other.
    pub fn new(
        context: Context,
        builder: &'a Builder,
        markers: &'a Markers,
        divergence: &'a Divergence,
        inside: &'a dyn Fn(Value) -> bool,
        shortest: u64,
    ) -> RowValues<'a> {
        let yes = Value::int(Type::int(context, 1), 1);
        RowValues {
            builder,
            markers,
            divergence,
            inside,
            shortest,
            known: HashMap::new(),
            found: Vec::new(),
            certain: yes,
            length: Value::int(Type::int(context, 64), MOST_THREADS as u64),
            long: yes,
        }
    }

    /// Looks at an instruction of the code. Its operands have been looked at before.
    pub fn look_at(&mut self, instruction: Value) {
        if !is_index(instruction.ty()) {
            return;
        }
        let Some(opcode) = instruction.opcode() else {
            return;
        };
        let in_row = match opcode {
            LLVMAdd | LLVMSub => self.sum(opcode, instruction),
            LLVMOr if instruction.is_disjoint() => self.sum(LLVMAdd, instruction),
            LLVMMul | LLVMShl => self.product(opcode, instruction),
            LLVMAnd | LLVMOr | LLVMXor | LLVMLShr | LLVMAShr => self.uniform(opcode, instruction),
            LLVMFreeze => self.of(instruction.operand(0)),
            LLVMTrunc => self.narrowed(instruction),
            LLVMSExt | LLVMZExt => self.widened(opcode, instruction),
            LLVMUDiv | LLVMSDiv | LLVMURem | LLVMSRem => self.divided(opcode, instruction),
            _ => None,
        };
        if let Some(in_row) = in_row {
            self.known.insert(instruction, in_row);
        }
    }

    /// A found value as all lanes of the row have it, given the thread id and the first active lane's.
    pub fn in_row(&self, value: Value, id: Value, first_id: Value) -> Value {
        let InRow { first, stride } = self.known[&value];
        if stride == 0 {
            return first;
        }
        let (builder, ty) = (self.builder, first.ty());
        let times = |id: Value| {
            let wide = builder.cast_unsigned(id, ty);
            match stride {
                1 => wide,
                _ => builder.binary(LLVMMul, wide, Value::int(ty, stride as u64)),
            }
        };
        let base = builder.binary(LLVMSub, first, times(first_id));
        // Quotients and remainders are at most a quarter of what their type holds, and what is widened has room.
        builder.add_without_overflow(base, times(id))
    }

    fn of(&mut self, value: Value) -> Option<InRow> {
        if let Some(&known) = self.known.get(&value) {
            return Some(known);
        }
        if value.is_instruction() && (self.inside)(value) {
            return None;
        }
        let in_row = match self.divergence.shape(value) {
            Shape::Uniform => InRow {
                first: value,
                stride: 0,
            },
            Shape::Strided { stride, .. } if is_index(value.ty()) => InRow {
                first: self.markers.first(self.builder, value),
                stride,
            },
            _ => return None,
        };
        self.known.insert(value, in_row);
        Some(in_row)
    }

    fn operands(&mut self, instruction: Value) -> Option<(InRow, InRow)> {
        Some((
            self.of(instruction.operand(0))?,
            self.of(instruction.operand(1))?,
        ))
    }

    fn sum(&mut self, opcode: LLVMOpcode, instruction: Value) -> Option<InRow> {
        let (left, right) = self.operands(instruction)?;
        let stride = match opcode {
            LLVMSub => left.stride.checked_sub(right.stride)?,
            _ => left.stride.checked_add(right.stride)?,
        };
        let first = self.builder.binary(opcode, left.first, right.first);
        Some(InRow { first, stride })
    }

    fn product(&mut self, opcode: LLVMOpcode, instruction: Value) -> Option<InRow> {
        let (left, right) = self.operands(instruction)?;
        let factor = |value: Value| match (opcode, value.as_signed_int()) {
            (LLVMShl, Some(by)) if (0..31).contains(&by) => Some(1_i64 << by),
            (LLVMMul, factor) => factor,
            _ => None,
        };
        let stride = match (left.stride, right.stride) {
            (0, 0) => 0,
            (stride, 0) => stride.checked_mul(factor(right.first)?)?,
            (0, stride) if opcode == LLVMMul => stride.checked_mul(factor(left.first)?)?,
            _ => return None,
        };
        let first = self.builder.binary(opcode, left.first, right.first);
        Some(InRow { first, stride })
    }

    fn uniform(&mut self, opcode: LLVMOpcode, instruction: Value) -> Option<InRow> {
        let (left, right) = self.operands(instruction)?;
        (left.stride == 0 && right.stride == 0).then(|| InRow {
            first: self.builder.binary(opcode, left.first, right.first),
            stride: 0,
        })
    }

    fn narrowed(&mut self, instruction: Value) -> Option<InRow> {
        let from = self.of(instruction.operand(0))?;
        let first = self.builder.cast(LLVMTrunc, from.first, instruction.ty());
        Some(InRow { first, ..from })
    }

    fn widened(&mut self, opcode: LLVMOpcode, instruction: Value) -> Option<InRow> {
        let operand = instruction.operand(0);
        let from = is_index(operand.ty()).then(|| self.of(operand))??;
        if from.stride != 0 {
            // Only upwards, and signed and unsigned numbers alike.
            let reach = from.stride.checked_mul(MOST_THREADS)?;
            let is_signed = opcode == LLVMSExt || instruction.is_of_nonnegative();
            let least = if is_signed { i64::from(i32::MIN) } else { 0 };
            let most = i64::from(i32::MAX) - reach;
            if from.stride < 0 || most <= 0 {
                return None;
            }
            self.require_between(from.first, least, most);
            self.found.push(instruction);
        }
        let first = self.builder.cast(opcode, from.first, instruction.ty());
        Some(InRow { first, ..from })
    }

    /// Requires `least <= value <= most` of a signed 32-bit number.
    fn require_between(&mut self, value: Value, least: i64, most: i64) {
        let constant = |number: i64| Value::int(value.ty(), number as u64);
        let from_least = self.builder.binary(LLVMSub, value, constant(least));
        let holds = self
            .builder
            .compare(LLVMIntULE, from_least, constant(most - least));
        self.require(holds);
    }

    fn require(&mut self, holds: Value) {
        self.certain = self.builder.binary(LLVMAnd, self.certain, holds);
    }

    /// A division by something uniform. The quotient is uniform in the row, as that is what a row is.
    fn divided(&mut self, opcode: LLVMOpcode, instruction: Value) -> Option<InRow> {
        let (dividend, divisor) = self.operands(instruction)?;
        if dividend.stride != 1 || divisor.stride != 0 {
            return None;
        }
        let (builder, ty) = (self.builder, instruction.ty());
        let constant = |number: u64| Value::int(ty, number);
        // Neither negative, nor so large that counting on wraps around.
        let both = builder.binary(LLVMOr, dividend.first, divisor.first);
        let limit = constant(1 << (ty.int_width() - 2));
        let small = builder.compare(LLVMIntULT, both, limit);
        // The code may not come to the division at all.
        let is_zero = builder.compare(LLVMIntEQ, divisor.first, constant(0));
        let by = builder.select(is_zero, constant(1), divisor.first);
        let quotient = builder.binary(LLVMUDiv, dividend.first, by);
        let begin = builder.binary(LLVMMul, quotient, by);
        let remainder = builder.binary(LLVMSub, dividend.first, begin);
        let left = builder.binary(LLVMSub, by, remainder);
        let left = builder.cast_unsigned(left, self.length.ty());
        let shorter = builder.compare(LLVMIntULT, left, self.length);
        self.length = builder.select(shorter, left, self.length);
        let long = builder.compare(LLVMIntUGE, by, constant(self.shortest));
        self.long = builder.binary(LLVMAnd, self.long, long);
        self.require(small);
        self.found.push(instruction);
        Some(match opcode {
            LLVMUDiv | LLVMSDiv => InRow {
                first: quotient,
                stride: 0,
            },
            _ => InRow {
                first: remainder,
                stride: 1,
            },
        })
    }
}

/// Whether a type is one that indices have.
fn is_index(ty: Type) -> bool {
    ty.is_int() && matches!(ty.int_width(), 32 | 64)
}

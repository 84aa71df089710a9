//! Accesses of a tile of a matrix, row by row: of lanes in rows of a block, those of a row are consecutive.
//!
//! `a[row * n + column]` in a block of 16 by 16: the lanes of a warp are two rows, and how far these lie apart is known
//! when the kernel runs. A test asks whether the lanes of each row are consecutive. Then each row is one access, else
//! all of them are a gather or scatter. Only where all lanes are active.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};
use crate::vgpu::warp::analysis::shape::Shape;

/// How deep in an index its column is looked for.
const DEPTH: u32 = 6;

/// Where the rows of lanes lie.
pub(super) struct RowRuns {
    /// Whether the lanes of each row are consecutive.
    pub(super) holds: Value,
    /// Lanes of a row.
    columns: u32,
    /// The address of each row's first element.
    starts: Vec<Value>,
}

impl Vectoriser<'_> {
    /// The rows of lanes whose elements, of type `ty`, may be consecutive.
    pub(super) fn row_runs(&mut self, address: Value, ty: Type) -> Option<RowRuns> {
        if !self.is_every_lane_active() || self.divergence.shape(address) != Shape::Varying {
            return None;
        }
        let (pointer, steps) = self.origin(address);
        let (operand, index, scale) = self.only_varying(pointer)?;
        let size = self.layout.alloc_size(ty);
        if scale == 0 || !size.is_multiple_of(scale) {
            return None;
        }
        let step = size / scale;
        let narrow = self.narrow_index(index);
        let columns = self.columns_of(narrow, step as i64, DEPTH)?;
        let (consecutive, firsts) = self.test_rows(narrow, step, columns);
        let holds = firsts.iter().fold(consecutive, |holds, &first| {
            match self.stays_in_range(index, first, step * u64::from(columns - 1)) {
                Some(stays) => self.builder.binary(LLVMOpcode::LLVMAnd, holds, stays),
                None => holds,
            }
        });
        let starts = firsts.into_iter().map(|first| {
            let first = match index.opcode() {
                Some(extends) if narrow != index => self.builder.cast(extends, first, index.ty()),
                _ => first,
            };
            let start = self.with_index(pointer, operand, first);
            let start = self.flat(start);
            self.behind(start, steps.clone())
        });
        let starts = starts.collect();
        Some(RowRuns {
            holds,
            columns,
            starts,
        })
    }

    /// The 32-bit value that an index extends, if it is to be had, else the index.
    fn narrow_index(&self, index: Value) -> Value {
        let extends = matches!(
            index.opcode(),
            Some(LLVMOpcode::LLVMSExt | LLVMOpcode::LLVMZExt)
        );
        let narrow = extends.then(|| index.operand(0));
        let usable = |it: &Value| it.ty().int_width() == 32 && self.is_known(*it);
        narrow.filter(usable).unwrap_or(index)
    }

    /// The length of a row of lanes, if a part of the index counts up by `step` in such rows.
    fn columns_of(&self, value: Value, step: i64, depth: u32) -> Option<u32> {
        use LLVMOpcode::{LLVMAdd, LLVMOr, LLVMSExt, LLVMSub, LLVMTrunc, LLVMZExt};
        match self.divergence.shape(value) {
            Shape::Tiled {
                columns, across, ..
            } => (across == step).then_some(columns),
            Shape::Varying if depth > 0 => match value.opcode()? {
                LLVMAdd | LLVMSub | LLVMOr | LLVMSExt | LLVMZExt | LLVMTrunc => {
                    let mut operands = value.operands().into_iter();
                    operands.find_map(|it| self.columns_of(it, step, depth - 1))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Tests whether a vector counts up by `step` in rows of lanes. Gives the rows' first values, too.
    fn test_rows(&mut self, value: Value, step: u64, columns: u32) -> (Value, Vec<Value>) {
        let vector = self.vector(value);
        let ty = value.ty();
        let lanes = 0..u64::from(self.width);
        let columns = u64::from(columns);
        let heads = lanes.clone().map(|lane| lane - lane % columns);
        let heads = self.builder.shuffle_both(vector, vector, heads);
        let steps: Vec<_> = lanes
            .clone()
            .map(|lane| Value::int(ty, step * (lane % columns)))
            .collect();
        let expected = self
            .builder
            .binary(LLVMOpcode::LLVMAdd, heads, Value::vector(&steps));
        let differ = self
            .builder
            .compare(LLVMIntPredicate::LLVMIntNE, vector, expected);
        let bits = self.bits(differ);
        let holds = self
            .builder
            .compare(LLVMIntPredicate::LLVMIntEQ, bits, Value::zero(bits.ty()));
        let number = |lane| Value::int(Type::int(self.context, 32), lane);
        let firsts = lanes.step_by(columns as usize);
        let firsts = firsts.map(|lane| self.builder.extract(vector, number(lane)));
        (holds, firsts.collect())
    }

    /// Whether a row that begins with `first` does not wrap before the index is extended; `None` if it is not extended.
    fn stays_in_range(&self, index: Value, first: Value, reach: u64) -> Option<Value> {
        use LLVMIntPredicate::{LLVMIntSLE, LLVMIntULE};
        if first.ty() == index.ty() {
            return None;
        }
        let (most, at_most) = match index.opcode() {
            Some(LLVMOpcode::LLVMZExt) => (u64::from(u32::MAX), LLVMIntULE),
            _ => (i32::MAX as u64, LLVMIntSLE),
        };
        let last = Value::int(first.ty(), most - reach);
        Some(self.builder.compare(at_most, first, last))
    }

    /// Loads rows that are consecutive.
    pub(super) fn load_rows(&self, rows: &RowRuns, ty: Type, alignment: u64) -> Value {
        let load = |&start: &Value| {
            let load = self.builder.load(ty.vector(rows.columns), start);
            load.set_alignment(alignment as u32);
            load
        };
        self.concatenate(rows.starts.iter().map(load).collect())
    }

    /// Stores rows that are consecutive.
    pub(super) fn store_rows(&self, vector: Value, rows: &RowRuns, alignment: u64) {
        let columns = u64::from(rows.columns);
        for (&start, row) in rows.starts.iter().zip(0..) {
            let lanes = row * columns..(row + 1) * columns;
            let part = self.builder.shuffle_both(vector, vector, lanes);
            let store = self.builder.store(part, start);
            store.set_alignment(alignment as u32);
        }
    }
}

//! Shapes: how a value differs among the lanes of a subgroup.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::tiles::{SMALL, column_numbers, masked, row_numbers, tiled};

/// The shape of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The same in all active lanes.
    Uniform,
    /// Lane 0's value plus the lane's number times `stride`, modulo the type's size. This holds for all lanes,
    /// inactive ones included.
    Strided {
        /// The difference from lane to lane.
        stride: i64,
        /// With stride 1: whether lane 0's value is a multiple of the subgroup's width.
        aligned: bool,
        /// What is known of the values' size.
        size: Size,
    },
    /// Lanes as rows of `columns` lanes, as in a tile: lane 0's value, plus `across` times the lane's column, plus
    /// `down` times its row. As with [`Shape::Strided`], which this is where `down` is `columns * across`.
    Tiled {
        /// Lanes of a row: a power of two, less than the subgroup's width.
        columns: u32,
        /// The difference from column to column.
        across: i64,
        /// The difference from row to row.
        down: i64,
        /// Whether these are the numbers of rows: lane 0's value is a multiple of how many rows there are.
        numbers: bool,
        /// What is known of the values' size.
        size: Size,
    },
    /// Any values.
    Varying,
}

/// What is known of the size of strided values, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    /// Nothing: the values may wrap from lane to lane.
    Any,
    /// As signed 32-bit values, perhaps extended: lane 0's value has not overflowed if no active lane's has.
    Exact,
    /// The same, and lane 0's value is not negative then.
    ExactNonnegative,
    /// The values are so small that neither sign nor width matters.
    Small,
}

use Shape::{Strided, Tiled, Uniform, Varying};

impl Shape {
    /// The shape of a value that may have either shape.
    pub fn join(self, other: Shape) -> Shape {
        match (self, other) {
            (Uniform, Uniform) => Uniform,
            (
                Strided {
                    stride,
                    aligned,
                    size,
                },
                Strided {
                    stride: stride2,
                    aligned: aligned2,
                    size: size2,
                },
            ) if stride == stride2 => Strided {
                stride,
                aligned: aligned && aligned2,
                size: size.min(size2),
            },
            (Tiled { size, .. }, Tiled { size: size2, .. })
                if self.with_size(Size::Any) == other.with_size(Size::Any) =>
            {
                self.with_size(size.min(size2))
            }
            _ => Varying,
        }
    }

    /// Whether the value is the same in all lanes.
    pub fn is_uniform(self) -> bool {
        self == Uniform
    }

    /// Whether lane 0's value determines the others.
    pub fn has_base(self) -> bool {
        self != Varying
    }

    /// How much a lane's value differs from lane 0's, if that determines it.
    pub fn step(self, lane: i64) -> i64 {
        match self {
            Strided { stride, .. } => stride.wrapping_mul(lane),
            Tiled {
                columns,
                across,
                down,
                ..
            } => {
                let (row, column) = (lane / i64::from(columns), lane % i64::from(columns));
                across
                    .wrapping_mul(column)
                    .wrapping_add(down.wrapping_mul(row))
            }
            Uniform | Varying => 0,
        }
    }

    /// Whether the values differ, but are so small that neither sign nor width matters (less than [`SMALL`]).
    pub fn is_small(self) -> bool {
        self.size() == Size::Small
    }

    fn with_size(self, size: Size) -> Shape {
        match self {
            Strided {
                stride, aligned, ..
            } => Strided {
                stride,
                aligned,
                size,
            },
            Tiled {
                columns,
                across,
                down,
                numbers,
                ..
            } => Tiled {
                columns,
                across,
                down,
                numbers,
                size,
            },
            other => other,
        }
    }

    /// What is known of the values' size.
    pub(super) fn size(self) -> Size {
        match self {
            Strided { size, .. } | Tiled { size, .. } => size,
            Uniform | Varying => Size::Any,
        }
    }

    /// Whether no lane's value is less than lane 0's, if none overflows.
    fn counts_up(self) -> bool {
        match self {
            Strided { stride, .. } => stride > 0,
            Tiled { across, down, .. } => across >= 0 && down >= 0,
            Uniform | Varying => false,
        }
    }

    fn is_aligned(self) -> bool {
        matches!(self, Strided { aligned: true, .. })
    }
}

/// An operand: its shape, and its value if it is a constant.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// The operand's shape.
    pub shape: Shape,
    /// The sign-extended constant.
    pub constant: Option<i64>,
    /// Whether it is a multiple of the subgroup's width (`multiples`).
    pub is_multiple: bool,
}

/// The shape of `left opcode right` in subgroups of `width` lanes.
pub fn binary(opcode: LLVMOpcode, left: Operand, right: Operand, width: u32) -> Shape {
    use LLVMOpcode::*;
    if left.shape.is_uniform() && right.shape.is_uniform() {
        return Uniform;
    }
    let width = i64::from(width);
    match opcode {
        LLVMAdd => sum(left, right, 1),
        LLVMSub => sum(left, right, -1),
        LLVMMul => match (left.constant, right.constant) {
            (_, Some(factor)) => scaled(left.shape, factor),
            (Some(factor), _) => scaled(right.shape, factor),
            _ => Varying,
        },
        LLVMShl => match right.constant {
            Some(by) if (0..63).contains(&by) => scaled(left.shape, 1 << by),
            _ => Varying,
        },
        LLVMLShr | LLVMAShr => match (left.shape.counted(), right.constant) {
            (Some(columns), Some(by @ 1..63)) => row_numbers(left.shape, columns << by, width),
            _ => Varying,
        },
        LLVMUDiv => match (left.shape.counted(), right.constant) {
            (Some(columns), Some(by @ 1..)) => match columns.checked_mul(by) {
                Some(columns) => row_numbers(left.shape, columns, width),
                None => Varying,
            },
            _ => Varying,
        },
        LLVMURem if left.shape.is_aligned() => match right.constant {
            Some(by @ 1..) if by % width == 0 => left.shape,
            Some(by @ 2..) if width % by == 0 => column_numbers(by),
            _ => Varying,
        },
        LLVMAnd if left.shape.counted().is_some() => masked(left.shape, right.constant, width),
        LLVMAnd if right.shape.counted().is_some() => masked(right.shape, left.constant, width),
        _ => Varying,
    }
}

/// The shape of `(x << by) & mask`: columns and rows of a tile times the size of an element, as LLVM writes them.
pub fn masked_shift(x: Shape, by: i64, mask: i64, width: u32) -> Shape {
    match (x, by) {
        (Uniform, _) => Uniform,
        (_, 0..31) => {
            let shape = scaled(masked(x, Some(mask >> by), width.into()), 1 << by);
            // The mask bounds the product.
            match (0..SMALL).contains(&mask) {
                true => shape.with_size(Size::Small),
                false => shape,
            }
        }
        _ => Varying,
    }
}

fn sum(left: Operand, right: Operand, sign: i64) -> Shape {
    let columns = |operand: Operand| match operand.shape {
        Tiled { columns, .. } => Some(columns),
        _ => None,
    };
    if let Some(columns) = columns(left).or(columns(right)) {
        let (a, b) = (left.shape.as_tiled(columns), right.shape.as_tiled(columns));
        let (Some((across, down)), Some((across2, down2))) = (a, b) else {
            return Varying;
        };
        let both = |one: i64, other: i64| one.wrapping_add(sign.wrapping_mul(other));
        // Few small values are added before one that is not small: they do not overflow.
        let small = [left, right]
            .iter()
            .all(|it| it.shape.size() == Size::Small);
        let size = if small && sign == 1 {
            Size::Exact
        } else {
            Size::Any
        };
        return tiled(columns, both(across, across2), both(down, down2), size);
    }
    let part = |shape| match shape {
        Strided {
            stride, aligned, ..
        } => Some((stride, aligned)),
        Uniform => Some((0, false)),
        Tiled { .. } | Varying => None,
    };
    let (Some((a, left_aligned)), Some((b, right_aligned))) = (part(left.shape), part(right.shape))
    else {
        return Varying;
    };
    let stride = a.wrapping_add(sign.wrapping_mul(b));
    if stride == 0 {
        return Uniform;
    }
    let aligned = stride == 1
        && (left_aligned && right.is_multiple || right_aligned && left.is_multiple && sign == 1);
    Strided {
        stride,
        aligned,
        size: Size::Any,
    }
}

fn scaled(shape: Shape, factor: i64) -> Shape {
    // Small values stay below 2^31 when they are multiplied by a small factor.
    let is_small = shape.size() == Size::Small && (1..=1024).contains(&factor);
    match shape {
        Uniform => Uniform,
        _ if factor == 0 => Uniform,
        Strided { stride, .. } => Strided {
            stride: stride.wrapping_mul(factor),
            aligned: false,
            size: match is_small && stride == 1 {
                true => Size::Small,
                false => Size::Any,
            },
        },
        Tiled {
            columns,
            across,
            down,
            ..
        } => Tiled {
            columns,
            across: across.wrapping_mul(factor),
            down: down.wrapping_mul(factor),
            numbers: false,
            size: match is_small && matches!((across, down), (1, 0) | (0, 1)) {
                true => Size::Small,
                false => Size::Any,
            },
        },
        Varying => Varying,
    }
}

/// The shape of a conversion to `bits` bits. `signed`: a zero extension of values that are not negative.
pub fn cast(opcode: LLVMOpcode, from: Shape, bits: u32, signed: bool) -> Shape {
    use LLVMOpcode::*;
    let keeps = match (opcode, from.size()) {
        (LLVMTrunc | LLVMAddrSpaceCast, _) => true,
        (LLVMZExt | LLVMSExt, Size::Small | Size::ExactNonnegative) => true,
        (LLVMSExt, Size::Exact) => true,
        (LLVMZExt, Size::Exact) => signed,
        _ => false,
    };
    match from {
        Uniform => Uniform,
        _ if !keeps => Varying,
        _ if opcode == LLVMTrunc && bits < 32 => from.with_size(Size::Any),
        _ => from,
    }
}

/// The shape of a sum that does not overflow in active lanes; `positive` tells that the uniform operand is not
/// negative.
///
/// With a stride upwards, lane 0's sum is the least, so it does not overflow upwards. Nor downwards, as it is not less
/// than one operand if the other is not negative.
pub fn exact_sum(sum: Shape, left: Shape, right: Shape, positive: bool) -> Shape {
    let ((Uniform, shape) | (shape, Uniform)) = (left, right) else {
        return sum;
    };
    let nonnegative = shape.size() >= Size::ExactNonnegative;
    match shape.counts_up() && shape.size() >= Size::Exact {
        true if nonnegative && positive => sum.with_size(Size::ExactNonnegative),
        true if nonnegative || positive => sum.with_size(Size::Exact),
        _ => sum,
    }
}

/// The shape of an integer comparison. An aligned subgroup lies wholly below or wholly above any multiple of its
/// width.
pub fn compare(predicate: LLVMIntPredicate, left: Operand, right: Operand, width: u32) -> Shape {
    use LLVMIntPredicate::*;
    if left.shape.is_uniform() && right.shape.is_uniform() {
        return Uniform;
    }
    let Some(bound) = right.constant.filter(|_| left.shape.is_aligned()) else {
        return Varying;
    };
    let width = i64::from(width);
    let splits = match predicate {
        LLVMIntULT | LLVMIntUGE | LLVMIntSLT | LLVMIntSGE => bound % width != 0,
        LLVMIntUGT | LLVMIntULE | LLVMIntSGT | LLVMIntSLE => bound.wrapping_add(1) % width != 0,
        _ => true,
    };
    if splits { Varying } else { Uniform }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use llvm_sys::LLVMOpcode::*;

    /// The thread id.
    pub(in super::super) const TID: Shape = Strided {
        stride: 1,
        aligned: true,
        size: Size::Small,
    };

    pub(in super::super) fn value(shape: Shape) -> Operand {
        Operand {
            shape,
            constant: None,
            is_multiple: false,
        }
    }

    pub(in super::super) fn constant(value: i64) -> Operand {
        Operand {
            shape: Uniform,
            constant: Some(value),
            is_multiple: value % 32 == 0,
        }
    }

    #[test]
    fn the_warp_number_is_uniform_and_the_lane_number_is_not() {
        let of = |opcode, c| binary(opcode, value(TID), constant(c), 32);
        assert_eq!(of(LLVMLShr, 5), Uniform);
        assert_eq!(of(LLVMLShr, 7), Uniform);
        assert_eq!(of(LLVMLShr, 0), Varying);
        assert_eq!(of(LLVMUDiv, 96), Uniform);
        assert_eq!(of(LLVMUDiv, 48), Varying);
        assert_eq!(of(LLVMAnd, -32), Uniform);
        assert_eq!(of(LLVMAnd, 31), TID);
        assert_eq!(of(LLVMAnd, 5), Varying);
        assert_eq!(of(LLVMURem, 64), TID);
    }

    #[test]
    fn what_is_a_multiple_keeps_a_sum_aligned() {
        let multiple = Operand {
            shape: Uniform,
            constant: None,
            is_multiple: true,
        };
        let next = binary(LLVMAdd, value(TID), multiple, 32);
        assert!(matches!(next, Strided { aligned: true, .. }));
    }

    #[test]
    fn an_aligned_subgroup_is_on_one_side_of_a_multiple() {
        use llvm_sys::LLVMIntPredicate::*;
        let of = |predicate, c| compare(predicate, value(TID), constant(c), 32);
        assert_eq!(of(LLVMIntULT, 64), Uniform);
        assert_eq!(of(LLVMIntULT, 65), Varying);
        assert_eq!(of(LLVMIntUGT, 31), Uniform);
        assert_eq!(of(LLVMIntUGT, 32), Varying);
        assert_eq!(of(LLVMIntEQ, 0), Varying);
    }

    #[test]
    fn strides_add_and_multiply() {
        let doubled = binary(LLVMMul, value(TID), constant(8), 16);
        assert!(matches!(doubled, Strided { stride: 8, .. }));
        assert_eq!(binary(LLVMSub, value(TID), value(TID), 16), Uniform);
        let moved = binary(LLVMAdd, value(TID), value(Uniform), 16);
        assert_eq!(
            moved,
            Strided {
                stride: 1,
                aligned: false,
                size: Size::Any
            }
        );
        assert_eq!(binary(LLVMMul, value(TID), value(Uniform), 16), Varying);
        assert_eq!(cast(LLVMSExt, moved, 64, false), Varying);
        assert_eq!(cast(LLVMSExt, TID, 64, false), TID);
    }

    #[test]
    fn a_sum_that_does_not_overflow_can_be_extended() {
        let moved = binary(LLVMAdd, value(TID), value(Uniform), 16);
        let exact = exact_sum(moved, TID, Uniform, false);
        assert_eq!(cast(LLVMSExt, exact, 64, false), exact);
        assert_eq!(cast(LLVMZExt, exact, 64, false), Varying);
        assert_eq!(cast(LLVMZExt, exact, 64, true), exact);
        assert_eq!(
            cast(LLVMSExt, cast(LLVMTrunc, exact, 16, false), 64, false),
            Varying
        );
        // Lane 0 may be inactive, and its value may have overflowed where the others' have not.
        let further = binary(LLVMAdd, value(exact), value(Uniform), 16);
        assert_eq!(exact_sum(further, exact, Uniform, false), further);
        assert_eq!(exact_sum(further, exact, Uniform, true), exact);
    }

    #[test]
    fn what_counts_up_from_0_stays_exact_behind_any_number() {
        let sum = binary(LLVMAdd, value(TID), value(Uniform), 16);
        let counted = exact_sum(sum, TID, Uniform, true);
        assert_eq!(cast(LLVMZExt, counted, 64, false), counted);
        assert_eq!(exact_sum(sum, Uniform, counted, true), counted);
        let behind = exact_sum(sum, Uniform, counted, false);
        assert_eq!(cast(LLVMSExt, behind, 64, false), behind);
        assert_eq!(cast(LLVMZExt, behind, 64, false), Varying);
        // Downwards, lane 0's value is the greatest.
        let down = binary(LLVMMul, value(TID), constant(-1), 16);
        assert_eq!(exact_sum(down, down, Uniform, true), down);
    }
}

//! Shapes: how a value differs among the lanes of a subgroup.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

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
    /// The values are so small that neither sign nor width matters.
    Small,
}

use Shape::{Strided, Uniform, Varying};

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

    fn with_size(self, size: Size) -> Shape {
        match self {
            Strided {
                stride, aligned, ..
            } => Strided {
                stride,
                aligned,
                size,
            },
            other => other,
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
}

/// The shape of `left opcode right` in subgroups of `width` lanes.
pub fn binary(opcode: LLVMOpcode, left: Operand, right: Operand, width: u32) -> Shape {
    use LLVMOpcode::*;
    if left.shape.is_uniform() && right.shape.is_uniform() {
        return Uniform;
    }
    let width = i64::from(width);
    let multiple = |operand: Operand| operand.constant.is_some_and(|c| c % width == 0);
    let log = width.trailing_zeros();
    match opcode {
        LLVMAdd => sum(left, right, 1, multiple(left), multiple(right)),
        LLVMSub => sum(left, right, -1, multiple(left), multiple(right)),
        LLVMMul => match (left.constant, right.constant) {
            (_, Some(factor)) => scaled(left.shape, factor),
            (Some(factor), _) => scaled(right.shape, factor),
            _ => Varying,
        },
        LLVMShl => match right.constant {
            Some(by) if (0..63).contains(&by) => scaled(left.shape, 1 << by),
            _ => Varying,
        },
        // The subgroup lies between two multiples of its width, so it does for every larger power of two.
        LLVMLShr | LLVMAShr if left.shape.is_aligned() => match right.constant {
            Some(by) if by >= i64::from(log) => Uniform,
            _ => Varying,
        },
        LLVMUDiv if left.shape.is_aligned() && multiple(right) && right.constant > Some(0) => {
            Uniform
        }
        LLVMURem if left.shape.is_aligned() && multiple(right) && right.constant > Some(0) => {
            left.shape
        }
        LLVMAnd if left.shape.is_aligned() => masked(left.shape, right.constant, width),
        LLVMAnd if right.shape.is_aligned() => masked(right.shape, left.constant, width),
        _ => Varying,
    }
}

fn sum(
    left: Operand,
    right: Operand,
    sign: i64,
    left_multiple: bool,
    right_multiple: bool,
) -> Shape {
    let part = |shape| match shape {
        Uniform => Some((0, false)),
        Strided {
            stride, aligned, ..
        } => Some((stride, aligned)),
        Varying => None,
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
        && (left_aligned && right_multiple || right_aligned && left_multiple && sign == 1);
    Strided {
        stride,
        aligned,
        size: Size::Any,
    }
}

fn scaled(shape: Shape, factor: i64) -> Shape {
    match shape {
        Uniform => Uniform,
        _ if factor == 0 => Uniform,
        Strided { stride, size, .. } => Strided {
            stride: stride.wrapping_mul(factor),
            aligned: false,
            // Small values stay below 2^31 when they are multiplied by a small factor.
            size: match size == Size::Small && (1..=1024).contains(&factor) && stride == 1 {
                true => Size::Small,
                false => Size::Any,
            },
        },
        Varying => Varying,
    }
}

/// The shape of `x & mask` for an aligned `x`.
fn masked(shape: Shape, mask: Option<i64>, width: i64) -> Shape {
    match mask {
        Some(mask) if mask & (width - 1) == 0 => Uniform,
        Some(mask) if mask & (width - 1) == width - 1 => shape,
        _ => Varying,
    }
}

/// The shape of a conversion to `bits` bits. `signed`: a zero extension of values that are not negative.
pub fn cast(opcode: LLVMOpcode, from: Shape, bits: u32, signed: bool) -> Shape {
    use LLVMOpcode::*;
    match (opcode, from) {
        (_, Uniform) => Uniform,
        (LLVMTrunc, _) if bits < 32 => from.with_size(Size::Any),
        (LLVMTrunc | LLVMAddrSpaceCast, _) => from,
        (
            LLVMZExt | LLVMSExt,
            Strided {
                size: Size::Small, ..
            },
        ) => from,
        (
            LLVMSExt,
            Strided {
                size: Size::Exact, ..
            },
        ) => from,
        (
            LLVMZExt,
            Strided {
                size: Size::Exact, ..
            },
        ) if signed => from,
        _ => Varying,
    }
}

/// The shape of a sum that does not overflow in active lanes; `positive` tells that the uniform operand is not
/// negative.
///
/// With a stride upwards, lane 0's sum is the least. It is not less than the uniform operand, or than lane 0's value
/// of the strided operand, which has not overflowed.
pub fn exact_sum(sum: Shape, left: Shape, right: Shape, positive: bool) -> Shape {
    let exact = match (left, right) {
        (Uniform, Strided { stride, size, .. }) | (Strided { stride, size, .. }, Uniform) => {
            stride > 0 && (size == Size::Small || size == Size::Exact && positive)
        }
        _ => false,
    };
    match exact {
        true => sum.with_size(Size::Exact),
        false => sum,
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
mod tests {
    use super::*;
    use llvm_sys::LLVMOpcode::*;

    const TID: Shape = Strided {
        stride: 1,
        aligned: true,
        size: Size::Small,
    };

    fn value(shape: Shape) -> Operand {
        Operand {
            shape,
            constant: None,
        }
    }

    fn constant(value: i64) -> Operand {
        Operand {
            shape: Uniform,
            constant: Some(value),
        }
    }

    #[test]
    fn the_warp_number_is_uniform_and_the_lane_number_is_not() {
        let of = |opcode, c| binary(opcode, value(TID), constant(c), 32);
        assert_eq!(of(LLVMLShr, 5), Uniform);
        assert_eq!(of(LLVMLShr, 7), Uniform);
        assert_eq!(of(LLVMLShr, 4), Varying);
        assert_eq!(of(LLVMUDiv, 96), Uniform);
        assert_eq!(of(LLVMUDiv, 48), Varying);
        assert_eq!(of(LLVMAnd, -32), Uniform);
        assert_eq!(of(LLVMAnd, 31), TID);
        assert_eq!(of(LLVMAnd, 7), Varying);
        assert_eq!(of(LLVMURem, 64), TID);
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
}

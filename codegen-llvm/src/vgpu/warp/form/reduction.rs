//! Reductions of the lanes' values to one.

use llvm_sys::LLVMAtomicRMWBinOp;
use vgpu_abi::ReduxOp;

use super::vectoriser::Vectoriser;
use crate::ir::{Type, Value};

/// How the lanes' values become one.
pub(super) struct Reduction {
    /// The intrinsic that does it.
    pub(super) intrinsic: &'static str,
    /// The value that inactive lanes contribute.
    pub(super) neutral: Neutral,
}

/// The neutral element of a reduction.
#[derive(Clone, Copy)]
pub(super) enum Neutral {
    /// 0.
    Zero,
    /// All bits set.
    Ones,
    /// The least signed number.
    Least,
    /// The greatest signed number.
    Greatest,
}

impl Reduction {
    /// The reduction that an operation of `redux.sync` means.
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

    /// The reduction with number `number` among [`ReduxOp`], if there is one.
    pub(super) fn with_number(number: u64) -> Option<Reduction> {
        use ReduxOp::*;
        let all = [Add, Umin, Umax, Smin, Smax, And, Or, Xor];
        all.into_iter()
            .find(|&operation| operation as u64 == number)
            .map(Reduction::of)
    }

    /// Whether it adds.
    pub(super) fn is_sum(&self) -> bool {
        self.intrinsic == "llvm.vector.reduce.add"
    }

    /// The neutral element as a value of type `ty`.
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

/// How the values that lanes change one place by become one value.
pub(super) enum Combination {
    /// By a reduction of integers.
    Integers(Reduction),
    /// By adding floating-point numbers.
    FloatSum,
}

impl Combination {
    /// How many lanes the first place has where it pays. If there are 32 places, it seldom has so many
    /// (docs/measurements.md, "Atomic operations on few places").
    pub(super) fn fewest_lanes(&self) -> u64 {
        match self {
            Combination::Integers(_) => 3,
            Combination::FloatSum => 4,
        }
    }

    /// That of an atomic operation, if it has one.
    pub(super) fn of(instruction: Value) -> Option<Combination> {
        use LLVMAtomicRMWBinOp::*;
        let (operation, ty) = (instruction.atomic_operation(), instruction.operand(1).ty());
        if operation == LLVMAtomicRMWBinOpFAdd && ty.is_float() {
            return Some(Combination::FloatSum);
        }
        let reduction = match operation {
            _ if !ty.is_int() => return None,
            LLVMAtomicRMWBinOpAdd => ReduxOp::Add,
            LLVMAtomicRMWBinOpOr => ReduxOp::Or,
            LLVMAtomicRMWBinOpXor => ReduxOp::Xor,
            LLVMAtomicRMWBinOpUMax => ReduxOp::Umax,
            LLVMAtomicRMWBinOpAnd => ReduxOp::And,
            LLVMAtomicRMWBinOpUMin => ReduxOp::Umin,
            LLVMAtomicRMWBinOpMax => ReduxOp::Smax,
            LLVMAtomicRMWBinOpMin => ReduxOp::Smin,
            _ => return None,
        };
        Some(Combination::Integers(Reduction::of(reduction)))
    }
}

impl Vectoriser<'_> {
    /// The values of the lanes of a mask, reduced to one.
    pub(super) fn reduce_lanes(&self, reduction: &Reduction, values: Value, mask: Value) -> Value {
        let neutral = reduction.neutral(values.ty().element(0));
        let values = self.builder.select(mask, values, self.broadcast(neutral));
        let function = self.module.intrinsic(reduction.intrinsic, &[values.ty()]);
        self.builder.call_function(function, &[values])
    }

    /// What the lanes of a mask change a place by, all together.
    pub(super) fn combine_lanes(&self, how: &Combination, values: Value, mask: Value) -> Value {
        match how {
            Combination::Integers(reduction) => self.reduce_lanes(reduction, values, mask),
            Combination::FloatSum => {
                let zero = Value::real(values.ty().element(0), -0.0);
                let active = self.builder.select(mask, values, self.broadcast(zero));
                let function = self
                    .module
                    .intrinsic("llvm.vector.reduce.fadd", &[values.ty()]);
                let total = self.builder.call_function(function, &[zero, active]);
                // The order of atomic additions is free anyway.
                total.allow_reassociation();
                total
            }
        }
    }
}

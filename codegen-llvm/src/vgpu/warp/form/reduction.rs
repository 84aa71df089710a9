//! Reductions of the lanes' values to one.

use vgpu_abi::ReduxOp;

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

//! Reductions of small vectors become operations on their elements.
//!
//! ```text
//! short sum = 0;  for (i = 0; i < n; i++) sum += a[i] * b[i];
//! %sum = call i16 @llvm.vector.reduce.add.v2i16(<2 x i16> %sums)      // clang's loop vectoriser, for registers of two
//! %sum = add i16 (extractelement %sums, 0), (extractelement %sums, 1)
//! ```
//!
//! Needs: nothing. Leaves: no reduction of a vector, which the scalarizer would leave.

use llvm_sys::LLVMIntPredicate::{self, LLVMIntSGT, LLVMIntSLT, LLVMIntUGT, LLVMIntULT};
use llvm_sys::LLVMOpcode::{self, LLVMAdd, LLVMAnd, LLVMFAdd, LLVMFMul, LLVMMul, LLVMOr, LLVMXor};

use crate::ir::{Builder, Module, Type, Value};

/// What a reduction does with two elements.
enum Operation {
    Binary(LLVMOpcode),
    /// The element of which this holds, next to the other.
    Chosen(LLVMIntPredicate),
    /// An intrinsic function.
    Call(&'static str),
}

/// The step.
pub fn run(module: &Module, function: Value) {
    for call in function.instructions() {
        let Some((operation, vector, start)) = reduction(call) else {
            continue;
        };
        let builder = Builder::before(module.context, call);
        let number = |index| Value::int(Type::int(module.context, 32), u64::from(index));
        let elements = (0..vector.ty().length()).map(|at| builder.extract(vector, number(at)));
        let whole = start.into_iter().chain(elements).reduce(|left, right| {
            let both = operation.of(&builder, module, left, right);
            both.take_fast_math(call);
            both
        });
        let whole = whole.expect("vectors have elements");
        // SAFETY: this loop's list has each call once.
        unsafe { call.replace_with(whole) };
    }
}

/// The operation of a reduction, its vector, and the value that it starts from.
fn reduction(call: Value) -> Option<(Operation, Value, Option<Value>)> {
    let name = call.called_function()?.name();
    let (operation, _) = name.strip_prefix("llvm.vector.reduce.")?.split_once('.')?;
    let arguments = call.arguments();
    let (vector, start) = match arguments[..] {
        [start, vector] => (vector, Some(start)),
        _ => (arguments[0], None),
    };
    Some((Operation::named(operation)?, vector, start))
}

impl Operation {
    fn named(name: &str) -> Option<Operation> {
        use Operation::{Binary, Call, Chosen};
        Some(match name {
            "add" => Binary(LLVMAdd),
            "mul" => Binary(LLVMMul),
            "and" => Binary(LLVMAnd),
            "or" => Binary(LLVMOr),
            "xor" => Binary(LLVMXor),
            "fadd" => Binary(LLVMFAdd),
            "fmul" => Binary(LLVMFMul),
            "smax" => Chosen(LLVMIntSGT),
            "smin" => Chosen(LLVMIntSLT),
            "umax" => Chosen(LLVMIntUGT),
            "umin" => Chosen(LLVMIntULT),
            "fmax" => Call("llvm.maxnum"),
            "fmin" => Call("llvm.minnum"),
            "fmaximum" => Call("llvm.maximum"),
            "fminimum" => Call("llvm.minimum"),
            _ => return None,
        })
    }

    fn of(&self, builder: &Builder, module: &Module, left: Value, right: Value) -> Value {
        match *self {
            Operation::Binary(opcode) => builder.binary(opcode, left, right),
            Operation::Chosen(predicate) => {
                let chosen = builder.compare(predicate, left, right);
                builder.select(chosen, left, right)
            }
            Operation::Call(name) => {
                builder.call_function(module.intrinsic(name, &[left.ty()]), &[left, right])
            }
        }
    }
}

//! Makes relaxed atomic operations on a block's shared memory plain loads and stores.
//!
//! The threads of a block run on one CPU thread, and switch only where they call the engine. No other thread of the
//! block runs between two such calls. So a relaxed operation whose old value nobody wants need not be an atomic
//! instruction of the CPU, which takes some 20 cycles. An operation whose old value is used stays atomic: a loop may
//! wait on it.
//!
//! Until loops that wait on memory have been found, the operations must still look atomic. So there are two steps. The
//! mark is LLVM's scope of a single thread, which copies of an operation keep.

use anyhow::Result;
use llvm_sys::{LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMOpcode};

use super::unit::Unit;
use super::window;
use crate::ir::{Builder, Context, Value};

/// LLVM's name for operations that only one thread sees.
const ALONE: &str = "singlethread";

/// The mark.
pub fn scope(context: Context) -> u32 {
    context.sync_scope(ALONE)
}

/// Needs: shared memory reached from the context, lowerings inlined. Leaves: such operations marked.
pub fn mark(unit: &mut Unit) -> Result<()> {
    let scope = scope(unit.context());
    for operation in operations(unit) {
        if window::is_shared(operation.operand(0)) {
            operation.set_scope(scope);
        }
    }
    Ok(())
}

/// Needs: loops that wait on memory found, warp forms made. Leaves: marked operations as loads and stores.
pub fn run(unit: &mut Unit) -> Result<()> {
    let scope = scope(unit.context());
    for operation in operations(unit) {
        if operation.scope() == Some(scope) {
            lower(unit, operation);
        }
    }
    Ok(())
}

/// The relaxed operations whose old value nobody wants.
fn operations(unit: &Unit) -> Vec<Value> {
    let functions = unit.module.definitions().into_iter();
    let instructions = functions.flat_map(Value::instructions);
    instructions
        .filter(|it| {
            it.opcode() == Some(LLVMOpcode::LLVMAtomicRMW)
                && it.is_unused()
                && !it.is_volatile()
                && it.is_relaxed()
        })
        .collect()
}

/// Makes an operation a load, a computation and a store, if the computation is one instruction.
fn lower(unit: &Unit, operation: Value) {
    use LLVMAtomicRMWBinOp::*;
    let (address, value) = (operation.operand(0), operation.operand(1));
    let builder = Builder::before(unit.context(), operation);
    builder.locate_as(operation);
    let old = builder.load(value.ty(), address);
    let binary = |opcode| builder.binary(opcode, old, value);
    let better = |predicate| {
        let keep = builder.compare(predicate, old, value);
        builder.select(keep, old, value)
    };
    let new = match operation.atomic_operation() {
        LLVMAtomicRMWBinOpXchg => value,
        LLVMAtomicRMWBinOpAdd => binary(LLVMOpcode::LLVMAdd),
        LLVMAtomicRMWBinOpSub => binary(LLVMOpcode::LLVMSub),
        LLVMAtomicRMWBinOpAnd => binary(LLVMOpcode::LLVMAnd),
        LLVMAtomicRMWBinOpOr => binary(LLVMOpcode::LLVMOr),
        LLVMAtomicRMWBinOpXor => binary(LLVMOpcode::LLVMXor),
        LLVMAtomicRMWBinOpFAdd => binary(LLVMOpcode::LLVMFAdd),
        LLVMAtomicRMWBinOpFSub => binary(LLVMOpcode::LLVMFSub),
        LLVMAtomicRMWBinOpMax => better(LLVMIntPredicate::LLVMIntSGT),
        LLVMAtomicRMWBinOpMin => better(LLVMIntPredicate::LLVMIntSLT),
        LLVMAtomicRMWBinOpUMax => better(LLVMIntPredicate::LLVMIntUGT),
        LLVMAtomicRMWBinOpUMin => better(LLVMIntPredicate::LLVMIntULT),
        _ => {
            // SAFETY: it was made above, and nothing uses it.
            unsafe { old.erase() };
            return;
        }
    };
    builder.store(new, address);
    // SAFETY: nobody wants its result, and `run` looks at each operation once.
    unsafe { operation.erase() };
}

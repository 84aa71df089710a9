//! Blocks that only threads of one number enter: those inside an `if (id == c)`.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use crate::analysis::control_flow::ControlFlow;
use crate::ir::{Block, Value};

/// The thread id, or lane id, of the threads that alone reach `block`: it lies inside an `if (id == c)`, the outermost
/// one if there are several.
pub fn alone(flow: &ControlFlow, block: Block, is_id: impl Fn(Value) -> bool) -> Option<u64> {
    let dominators: Vec<_> = flow.dominators(block).collect();
    let enters = |pair: &[Block]| chosen(flow, pair[0], pair[1], &is_id)?.as_int();
    dominators.windows(2).rev().find_map(enters)
}

/// The other side of the comparison, if the only way into `inner` is from `outer`, for an id that equals it.
pub fn chosen(
    flow: &ControlFlow,
    inner: Block,
    outer: Block,
    is_id: &impl Fn(Value) -> bool,
) -> Option<Value> {
    let end = outer.terminator()?;
    let condition = end.condition()?;
    let compares = condition.opcode() == Some(LLVMOpcode::LLVMICmp)
        && condition.int_predicate() == LLVMIntPredicate::LLVMIntEQ;
    if !compares {
        return None;
    }
    let [left, right] = [0, 1].map(|side| condition.operand(side));
    let other = match (is_id(left), is_id(right)) {
        (true, _) => right,
        (_, true) => left,
        _ => return None,
    };
    let targets = end.successors();
    let only_way = targets.first() == Some(&inner)
        && targets.last() != Some(&inner)
        && flow.predecessors(inner).count() == 1;
    only_way.then_some(other)
}

//! How a loop ends whose counter goes up to a bound: what its last branch asks, or a branch in front of it has asked.

use llvm_sys::LLVMIntPredicate::{self, *};
use llvm_sys::LLVMOpcode::{LLVMAdd, LLVMICmp, LLVMSub};

use super::word_sums::is_extension;
use crate::analysis::control_flow::Loop;
use crate::ir::{Block, Value};

/// How a loop ends.
pub struct LoopEnd {
    /// The last branch of an iteration.
    pub branch: Value,
    /// What the branch asks of the next number and the bound, as numbers without a sign.
    pub predicate: LLVMIntPredicate,
    /// The number that later ones are compared with.
    pub bound: Value,
}

impl LoopEnd {
    /// The end of a loop that goes on for numbers up to a bound. `first` is its first number, and the block from which
    /// that comes.
    pub fn of(each: &Loop, counter: Value, first: (Value, Block)) -> Option<LoopEnd> {
        let (branch, to) = last_branch(each)?;
        let condition = branch.condition()?;
        if condition.opcode() != Some(LLVMICmp) {
            return None;
        }
        let next = counter.incoming_from(each.latch)?;
        let is_next = |it: Value| it == next || is_extension(it) && it.operand(0) == next;
        let goes_on = branch.successors()[0] == to;
        let end = |more: LLVMIntPredicate, bound| LoopEnd {
            branch,
            predicate: if goes_on { more } else { inverse(more) },
            bound,
        };
        let (left, right) = (condition.operand(0), condition.operand(1));
        let sides = [
            (left, condition.int_predicate(), right),
            (right, condition.swapped_predicate(), left),
        ];
        sides.into_iter().find_map(|(left, predicate, right)| {
            let opposite = inverse(predicate);
            let more = if goes_on { predicate } else { opposite };
            match more {
                LLVMIntULT | LLVMIntSLT if is_next(left) => Some(end(LLVMIntULT, right)),
                LLVMIntULE | LLVMIntSLE if is_next(left) => Some(end(LLVMIntULE, right)),
                // What is left until the bound is at least a step.
                LLVMIntUGE | LLVMIntUGT if left.opcode() == Some(LLVMSub) => {
                    let bound = left.operand(0);
                    let is_left = left.operand(1) == counter && step(counter, next) == Some(right);
                    let strict = more == LLVMIntUGT;
                    let more = if strict { LLVMIntULT } else { LLVMIntULE };
                    (is_left && is_bounded(first, bound)).then(|| end(more, bound))
                }
                _ => None,
            }
        })
    }
}

/// The branch that ends a loop's iteration, and the block to which it goes if the loop goes on: the header, or a block
/// that only leads there.
fn last_branch(each: &Loop) -> Option<(Value, Block)> {
    let (mut block, mut to) = (each.latch, each.header);
    loop {
        let end = block.terminator()?;
        if end.condition().is_some() {
            return Some((end, to));
        }
        let [before] = block.predecessors()[..] else {
            return None;
        };
        if block == each.header {
            return None;
        }
        (block, to) = (before, block);
    }
}

/// The predicate that holds where this one does not.
fn inverse(predicate: LLVMIntPredicate) -> LLVMIntPredicate {
    match predicate {
        LLVMIntEQ => LLVMIntNE,
        LLVMIntNE => LLVMIntEQ,
        LLVMIntUGT => LLVMIntULE,
        LLVMIntUGE => LLVMIntULT,
        LLVMIntULT => LLVMIntUGE,
        LLVMIntULE => LLVMIntUGT,
        LLVMIntSGT => LLVMIntSLE,
        LLVMIntSGE => LLVMIntSLT,
        LLVMIntSLT => LLVMIntSGE,
        LLVMIntSLE => LLVMIntSGT,
    }
}

/// How many branches in front of a loop are looked at.
const BRANCHES: usize = 8;

/// Whether a number is not above a bound where a block runs, as a branch before it has asked.
fn is_bounded((number, block): (Value, Block), bound: Value) -> bool {
    let above = |block: &Block| match block.predecessors()[..] {
        [only] => Some(only),
        _ => None,
    };
    let path: Vec<_> = std::iter::successors(Some(block), above)
        .take(BRANCHES)
        .collect();
    path.windows(2).any(|edge| {
        let Some(branch) = edge[1].terminator() else {
            return false;
        };
        let Some(condition) = branch.condition() else {
            return false;
        };
        let [yes, no] = branch.successors()[..] else {
            return false;
        };
        yes != no && bounds(condition, edge[0] == yes, (number, bound))
    })
}

/// Whether a condition's being true or false says that a number is not above a bound.
fn bounds(condition: Value, holds: bool, (number, bound): (Value, Value)) -> bool {
    if condition.opcode() != Some(LLVMICmp) {
        return false;
    }
    let predicate = match (condition.operand(0), condition.operand(1)) {
        (left, right) if left == number && right == bound => condition.int_predicate(),
        (left, right) if left == bound && right == number => condition.swapped_predicate(),
        _ => return false,
    };
    let known = if holds { predicate } else { inverse(predicate) };
    matches!(known, LLVMIntULE | LLVMIntULT | LLVMIntEQ)
}

/// What `next` adds to a counter, modulo 2^32 perhaps.
pub fn step(counter: Value, next: Value) -> Option<Value> {
    let sum = match is_extension(next) {
        true => next.operand(0),
        false => next,
    };
    if sum.opcode() != Some(LLVMAdd) {
        return None;
    }
    match (sum.operand(0), sum.operand(1)) {
        (left, right) if left == counter => Some(right),
        (left, right) if right == counter => Some(left),
        _ => None,
    }
}

//! Which blocks of a function are likely to run: by the weights of its branches.

use std::collections::HashSet;

use crate::ir::{Block, Context, Value};

/// An edge is unlikely if the other one is taken so many times as often.
const UNLIKELY: u64 = 1000;

/// The blocks that are reached without an unlikely edge.
pub fn of(context: Context, function: Value) -> HashSet<Block> {
    let entry = function.blocks()[0];
    let (mut found, mut open) = (HashSet::from([entry]), vec![entry]);
    while let Some(block) = open.pop() {
        let unlikely = block
            .terminator()
            .and_then(|branch| unlikely_edge(context, branch));
        for (at, next) in block.successors().into_iter().enumerate() {
            if Some(at) != unlikely && found.insert(next) {
                open.push(next);
            }
        }
    }
    found
}

/// Which edge of a branch is unlikely.
pub fn unlikely_edge(context: Context, branch: Value) -> Option<usize> {
    let &[first, second] = branch.branch_weights(context)?.as_slice() else {
        return None;
    };
    let is_rare = |one: u64, other: u64| one.saturating_mul(UNLIKELY) <= other;
    match () {
        () if is_rare(first, second) => Some(0),
        () if is_rare(second, first) => Some(1),
        () => None,
    }
}

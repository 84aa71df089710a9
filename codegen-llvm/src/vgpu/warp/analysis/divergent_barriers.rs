//! Refuses kernels whose lanes may wait at different barriers when neither of the two follows the other, as in a
//! function with a barrier that both sides of a branch call.
//!
//! A block's threads may meet at barriers in different places: OpenMP requires that they come to the same
//! *constructs*. But a lane that has come to one barrier cannot wait for lanes that the warp form runs only after it.
//!
//! If the other lanes wait at a place behind the barrier, the kernel is not refused. In a conforming program all lanes
//! have come to the barrier when it runs, although the compiler could not prove it, and the engine reports it when
//! they have not.

use std::collections::BTreeSet;

use super::callee::{self, Callee};
use super::divergence::Divergence;
use super::linearise::BlockOrder;
use crate::ir::{Block, Context, Value};
use crate::vgpu::warp::refusal::Refusal;

/// Checks a kernel, given the order of its blocks and its divergence.
pub fn check(context: Context, order: &BlockOrder, divergence: &Divergence) -> Result<(), Refusal> {
    let barriers: Vec<(usize, Value)> = order
        .blocks
        .iter()
        .enumerate()
        .flat_map(|(at, block)| barriers_of(block).map(move |barrier| (at, barrier)))
        .collect();
    for &(at, barrier) in &barriers {
        let after = later(order, &BTreeSet::from([at]));
        let of_others = later(order, &divergence.waiting[at]);
        let apart = barriers.iter().any(|&(other, others)| {
            let beside = of_others.contains(&other) && !after.contains(&other);
            beside && may_be_one(barrier, others) && !is_a_choice(order, at, other)
        });
        if apart {
            let what = "lanes of a warp may come to a barrier here and, \
                        on the other way of a branch, at another place,";
            return Err(Refusal::at(context, barrier, what));
        }
    }
    Ok(())
}

fn barriers_of(block: &Block) -> impl Iterator<Item = Value> + use<> {
    let calls = block.instructions().into_iter().filter(|it| it.is_call());
    calls.filter(|&call| matches!(callee::of(call), Callee::Barrier | Callee::BarrierReduce))
}

/// Whether two calls may mean the same one of the block's barriers. The device runtime chooses among barriers by the
/// size of the team, which the compiler may not know to be uniform.
fn may_be_one(one: Value, other: Value) -> bool {
    let number = |call: Value| call.arguments()[NUMBER];
    number(one) == number(other)
        || number(one).as_int().is_none()
        || number(other).as_int().is_none()
}

/// Whether a branch only chooses between two barriers, and both sides meet again at once. The device runtime's barrier
/// has such a branch on a condition that is the same for the whole team.
fn is_a_choice(order: &BlockOrder, one: usize, other: usize) -> bool {
    let only_waits = |at: usize| {
        let [barrier, _] = order.blocks[at].instructions()[..] else {
            return false;
        };
        barriers_of(&order.blocks[at]).eq([barrier])
    };
    let same =
        |blocks: fn(Block) -> Vec<Block>| blocks(order.blocks[one]) == blocks(order.blocks[other]);
    only_waits(one) && only_waits(other) && same(Block::predecessors) && same(Block::successors)
}

/// The index of the barrier's number among the arguments (`vgpu_abi`): after context and site.
const NUMBER: usize = 2;

/// The blocks `from` and what they lead to in the same iteration of the loops around them.
fn later(order: &BlockOrder, from: &BTreeSet<usize>) -> BTreeSet<usize> {
    let mut found = from.clone();
    let mut open: Vec<usize> = from.iter().copied().collect();
    while let Some(at) = open.pop() {
        for &next in &order.successors[at] {
            if next > at && found.insert(next) {
                open.push(next);
            }
        }
    }
    found
}

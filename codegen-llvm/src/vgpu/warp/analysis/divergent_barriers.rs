//! Needs: the blocks in [`BlockOrder`], and which of them lanes may wait at. Refuses kernels whose lanes may come to different barriers of which
//! neither follows the other: such as a function with a barrier in it that both ways of a branch call. A block's threads
//! may meet at barriers that stand at different places (OpenMP has them come to the same *constructs*), but a lane that has
//! come to one cannot wait for those that the warp form runs after it.
//!
//! Where lanes wait behind the barrier, at a place that comes after it, nothing is refused: in a program that conforms they have all come to it
//! when it runs, although the compiler could not tell, and the engine reports it when they have not.

use std::collections::BTreeSet;

use super::callee::{self, Callee};
use super::divergence::Divergence;
use super::linearise::BlockOrder;
use crate::ir::{Block, Context, Value};
use crate::vgpu::warp::refusal::Refusal;

/// The check.
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
            let what = "lanes of a warp may come to a barrier here and, on the other way of a branch, at another place,";
            return Err(Refusal::at(context, barrier, what));
        }
    }
    Ok(())
}

fn barriers_of(block: &Block) -> impl Iterator<Item = Value> + use<> {
    let calls = block.instructions().into_iter().filter(|it| it.is_call());
    calls.filter(|&call| matches!(callee::of(call), Callee::Barrier | Callee::BarrierReduce))
}

/// Whether two calls may mean the same of the block's barriers: the device runtime takes one or another by the size of the team, which the
/// compiler may not know to be uniform.
fn may_be_one(one: Value, other: Value) -> bool {
    let number = |call: Value| call.arguments()[NUMBER];
    number(one) == number(other)
        || number(one).as_int().is_none()
        || number(other).as_int().is_none()
}

/// Whether a branch does nothing but choose between two barriers, and its ways meet again at once: the device runtime's barrier
/// asks so, of what is the same for the whole team, whether the barrier's place is.
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

/// Which argument is the barrier's number (`vgpu_abi`): after context and site.
const NUMBER: usize = 2;

/// The blocks `from` and what they lead to within a turn of the loops they are in.
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

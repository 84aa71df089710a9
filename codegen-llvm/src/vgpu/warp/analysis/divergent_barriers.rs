//! Refuses kernels whose lanes may wait at different barriers:
//!
//! * when neither of the two follows the other, as in a function with a barrier that both sides of a branch call,
//! * when one is in a loop that each lane leaves by what it has read, as where each goes through a list of its own.
//!
//! A block's threads may meet at barriers in different places: OpenMP requires that they come to the same
//! *constructs*. But a lane that has come to one barrier cannot wait for lanes that the warp form runs only after it.
//!
//! If the other lanes wait at a place behind the barrier, other kernels are not refused. In a conforming program all
//! lanes have come to the barrier when it runs, although the compiler could not prove it, and the engine reports it
//! when they have not. The second kind does not conform, but on a GPU a barrier waits for any barrier with its number,
//! so such programs work there, and on fibers.

use std::collections::{BTreeSet, HashSet};

use indexmap::IndexSet;
use llvm_sys::LLVMOpcode;

use super::callee::{self, Callee};
use super::context_fields;
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
    for &(at, barrier) in &barriers {
        let around = order.loops.iter();
        let mut around = around.filter(|body| body.contains(&order.blocks[at]));
        if around.any(|body| is_left_by_data(body, divergence)) {
            let what =
                "lanes may leave the loop around a barrier one by one, by what each has read,";
            return Err(Refusal::at(context, barrier, what));
        }
    }
    Ok(())
}

/// Whether lanes leave a loop one by one, by what each has read from memory.
fn is_left_by_data(body: &IndexSet<Block>, divergence: &Divergence) -> bool {
    let leaves = |block: &&Block| block.successors().iter().any(|next| !body.contains(next));
    let ends = body
        .iter()
        .filter(leaves)
        .filter_map(|block| block.terminator());
    ends.filter(|&end| divergence.is_divergent(end))
        .filter_map(Value::condition)
        .any(|condition| is_of_data(condition, body, divergence))
}

/// Whether a value is computed from what each lane reads from memory in the loop. What it has read before is a bound,
/// of which its warp may have one in a program that counts on lockstep. What calls and atomic operations give counts as
/// something else: mostly it is a vote, or the lane's share of a loop.
fn is_of_data(value: Value, body: &IndexSet<Block>, divergence: &Divergence) -> bool {
    let mut seen = HashSet::from([value]);
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        if divergence.shape(value).is_uniform() || value.is_call() {
            continue;
        }
        if value.opcode() == Some(LLVMOpcode::LLVMLoad) {
            let is_own = value.operand(0).local().is_some();
            let is_inside = body.contains(&value.block());
            if is_inside && !is_own && context_fields::context_field(value).is_none() {
                return true;
            }
            continue;
        }
        let operands = value.operands().into_iter();
        open.extend(operands.filter(|&it| it.is_instruction() && seen.insert(it)));
    }
    false
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

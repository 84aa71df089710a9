//! Elected lanes: blocks that one lane runs while the others of its subgroup wait.
//!
//! Such blocks lie behind a branch that at most one lane takes, as `threadIdx.x == 0` is, or a lane's number that is
//! the first of a mask. What they compute is the same in all active lanes, as there is one. So it is scalar, and there
//! is no version for all lanes.

use std::collections::HashMap;

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::context_fields;
use super::divergence::Divergence;
use super::linearise::BlockOrder;
use super::shape::Shape;
use crate::ir::{Block, Value};

/// The blocks that an elected lane runs.
#[derive(Default)]
pub struct Elected(HashMap<Block, Lane>);

/// Which lane it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// The same in every subgroup.
    Number(u32),
    /// The only one of the block's mask.
    OfMask,
}

/// A branch that at most one lane takes.
struct Election {
    /// Where it branches.
    from: Block,
    lane: Lane,
}

impl Elected {
    /// Finds them, given what is known without them.
    pub fn find(order: &BlockOrder, known: &Divergence, width: u32) -> Elected {
        let elections: HashMap<Block, Election> = order
            .blocks
            .iter()
            .filter_map(|&block| election(order, known, width, block))
            .collect();
        if elections.is_empty() {
            return Elected::default();
        }
        let loops = order.flow.loops();
        // Lanes that were elected one after another, each in an iteration of its own, meet behind the loop.
        let stays = |from: Block, block: Block| {
            let mut around = loops.iter().filter(|each| each.body.contains(&from));
            around.all(|each| each.body.contains(&block))
        };
        let of_block = |(at, &block): (usize, &Block)| {
            let others_wait = !known.waiting[at].is_empty();
            let mut above = order.flow.dominators(block).filter(|_| others_wait);
            let found = above.find_map(|target| {
                let election = elections.get(&target)?;
                stays(election.from, block).then_some(election.lane)
            });
            Some((block, found?))
        };
        Elected(
            order
                .blocks
                .iter()
                .enumerate()
                .filter_map(of_block)
                .collect(),
        )
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The blocks.
    pub fn blocks(&self) -> impl Iterator<Item = Block> {
        self.0.keys().copied()
    }

    /// The lane that runs a block, if it is one alone.
    pub fn lane(&self, block: Block) -> Option<Lane> {
        self.0.get(&block).copied()
    }

    /// Whether an instruction is a scalar one because one lane executes it. Calls are not among them: what they are
    /// called for may be the whole subgroup's.
    pub fn is_scalar(&self, instruction: Value) -> bool {
        use LLVMOpcode::*;
        let alone = |block: Block| self.0.contains_key(&block);
        if self.is_empty() || !alone(instruction.block()) {
            return false;
        }
        match instruction.opcode() {
            Some(LLVMPHI) => instruction.incoming().iter().all(|&(_, from)| alone(from)),
            Some(LLVMLoad) => context_fields::context_field(instruction).is_none(),
            Some(LLVMStore | LLVMAtomicRMW | LLVMAtomicCmpXchg) => true,
            Some(LLVMAlloca | LLVMCall | LLVMFence) | None => false,
            Some(_) => instruction.block().terminator() != Some(instruction),
        }
    }
}

/// The election at the end of a block, by the block that the elected lane goes to.
fn election(
    order: &BlockOrder,
    known: &Divergence,
    width: u32,
    block: Block,
) -> Option<(Block, Election)> {
    let end = block.terminator()?;
    let condition = end.condition().filter(|_| known.is_divergent(end))?;
    let [yes, no] = end.successors()[..] else {
        return None;
    };
    let way = |target: Block, outcome: bool| {
        let only_way = yes != no && order.flow.predecessors(target).eq([block]);
        let lane = only_way.then(|| lane_of(known, condition, outcome, width))??;
        Some((target, Election { from: block, lane }))
    };
    way(yes, true).or_else(|| way(no, false))
}

/// The lane for which a condition is `outcome`, if it is so for at most one.
fn lane_of(known: &Divergence, condition: Value, outcome: bool, width: u32) -> Option<Lane> {
    use LLVMOpcode::{LLVMAnd, LLVMICmp, LLVMOr, LLVMSelect};
    let either = |parts: [u32; 2]| {
        let part = |at| lane_of(known, condition.operand(at), outcome, width);
        part(parts[0]).or_else(|| part(parts[1]))
    };
    match (condition.opcode()?, outcome) {
        (LLVMICmp, _) => Some(Equality::of(known, condition, outcome, width)?.lane),
        (LLVMAnd, true) | (LLVMOr, false) => either([0, 1]),
        // `a ? b : false`, and `a ? true : b`.
        (LLVMSelect, true) if condition.operand(2).as_int() == Some(0) => either([0, 1]),
        (LLVMSelect, false) if condition.operand(1).as_int() == Some(1) => either([0, 2]),
        _ => None,
    }
}

/// That a number that differs from lane to lane equals one that does not.
pub struct Equality {
    /// The number that differs.
    pub counting: Value,
    /// By how much, from lane to lane.
    pub stride: i64,
    /// The other number.
    pub other: Value,
    /// The only lane for which it may hold.
    pub lane: Lane,
}

impl Equality {
    /// What it means that a comparison's result is `outcome`, if it is that.
    pub fn of(known: &Divergence, compare: Value, outcome: bool, width: u32) -> Option<Equality> {
        use LLVMIntPredicate::{LLVMIntEQ, LLVMIntNE};
        let wanted = if outcome { LLVMIntEQ } else { LLVMIntNE };
        let is_comparison = compare.opcode() == Some(LLVMOpcode::LLVMICmp)
            && compare.int_predicate() == wanted
            && compare.operand(0).ty().is_int();
        if !is_comparison {
            return None;
        }
        let (left, right) = (compare.operand(0), compare.operand(1));
        let (counting, other) = match known.shape(left) {
            Shape::Uniform => (right, left),
            _ => (left, right),
        };
        let shapes = (known.shape(counting), known.shape(other));
        let (
            Shape::Strided {
                stride, aligned, ..
            },
            Shape::Uniform,
        ) = shapes
        else {
            return None;
        };
        // No two lanes' numbers are the same if all steps together do not wrap.
        let bits = counting.ty().int_width();
        if stride == 0 || stride.trailing_zeros() + width.ilog2() > bits {
            return None;
        }
        let number = other.as_signed_int().filter(|_| aligned && stride == 1);
        let lane = match number {
            Some(number) => Lane::Number(number.rem_euclid(i64::from(width)) as u32),
            None => Lane::OfMask,
        };
        Some(Equality {
            counting,
            stride,
            other,
            lane,
        })
    }
}

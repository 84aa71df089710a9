//! Needs: a normalised kernel. Leaves: the certainty that no lane of a warp waits on memory for another of the same warp.
//!
//! The lanes of a warp form stay together: one that polls a variable keeps the one that would write it from going on. So
//! loops that wait on memory (`spin`) have no warp form. Three kinds of them do not wait for lanes:
//!
//! * Every turn passes a barrier or an operation of the warp with a member mask: all lanes take part in it.
//! * A compare-and-swap that is repeated with the value it found. It only fails because another one succeeded, so in every
//!   turn some lane gets through.
//! * A single thread of the block waits, and what it polls is written, as far as this kernel writes it, only where the same
//!   thread is alone: it waits for another block. So do reductions over teams.

use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::super::control_flow::{ControlFlow, Loop};
use super::super::spin;
use super::calls::{self, Callee};
use super::fields;
use super::refusal::Refusal;
use super::words;
use crate::ir::{Block, Context, Value};

/// The check.
pub fn run(context: Context, kernel: Value) -> Result<(), Refusal> {
    let flow = ControlFlow::new(kernel);
    for each in spin::waiting_loops(&flow, is_constant) {
        let harmless =
            passes_all_lanes(&flow, &each) || is_retry(&each) || waits_for_blocks(&flow, &each);
        if !harmless {
            let what = "a loop waits on memory that other threads write";
            let place = communication(&each).or(each.latch.terminator());
            return Err(match place {
                Some(place) => Refusal::at(context, place, what),
                None => Refusal::new(what),
            });
        }
    }
    Ok(())
}

/// What no thread changes while the kernel runs.
fn is_constant(instruction: Value) -> bool {
    match instruction.opcode() {
        Some(LLVMOpcode::LLVMLoad) => fields::context_field(instruction).is_some(),
        _ => fields::is_context(instruction),
    }
}

fn instructions(each: &Loop) -> impl Iterator<Item = Value> + '_ {
    each.body.iter().flat_map(|block| block.instructions())
}

/// An atomic or volatile access of the loop.
fn communication(each: &Loop) -> Option<Value> {
    instructions(each).find(|&it| spin::communicates_itself(it))
}

fn passes_all_lanes(flow: &ControlFlow, each: &Loop) -> bool {
    flow.dominators(each.latch)
        .filter(|block| each.body.contains(block))
        .flat_map(|block| block.instructions())
        .filter(|it| it.is_call())
        .map(calls::of)
        .any(|callee| {
            // Those without a member mask are for the lanes that are there.
            let some_lanes = matches!(callee, Callee::ActiveMask | Callee::Wave);
            matches!(callee, Callee::Barrier | Callee::BarrierReduce)
                || calls::is_warp_operation(callee) && !some_lanes
        })
}

/// Whether the loop consists of one compare-and-swap, which expects what it found the time before.
fn is_retry(each: &Loop) -> bool {
    let mut shared = instructions(each).filter(|&it| spin::communicates_itself(it));
    let (Some(swap), None) = (shared.next(), shared.next()) else {
        return false;
    };
    swap.opcode() == Some(LLVMOpcode::LLVMAtomicCmpXchg) && comes_from(swap.operand(1), swap, each)
}

/// Whether the expected value is a phi of the loop's header that takes the swap's old value, perhaps as another type.
fn comes_from(expected: Value, swap: Value, each: &Loop) -> bool {
    let through_casts = |mut value: Value| {
        while let Some(LLVMOpcode::LLVMBitCast | LLVMOpcode::LLVMFreeze) = value.opcode() {
            value = value.operand(0);
        }
        value
    };
    let expected = through_casts(expected);
    if expected.opcode() != Some(LLVMOpcode::LLVMPHI) || expected.block() != each.header {
        return false;
    }
    expected
        .incoming()
        .into_iter()
        .filter(|(_, from)| each.body.contains(from))
        .all(|(value, _)| {
            let old = through_casts(value);
            old.opcode() == Some(LLVMOpcode::LLVMExtractValue)
                && old.operand(0) == swap
                && old.field_indices() == [0]
        })
}

/// Whether one thread alone waits for something that only it, of its block, may write, too.
fn waits_for_blocks(flow: &ControlFlow, each: &Loop) -> bool {
    let polls = |it: Value| it.opcode() == Some(LLVMOpcode::LLVMLoad);
    let shared: Vec<_> = instructions(each)
        .filter(|&it| spin::communicates_itself(it) && it.opcode() != Some(LLVMOpcode::LLVMFence))
        .collect();
    let Some(start) = alone(flow, each.header).filter(|_| shared.iter().all(|&it| polls(it)))
    else {
        return false;
    };
    let spaces: Vec<_> = shared.iter().map(|it| space(it.operand(0))).collect();
    let may_be_polled = |address: Value| {
        let space = space(address);
        spaces
            .iter()
            .any(|&polled| polled == space || polled == 0 || space == 0)
    };
    let all = flow.blocks().iter().flat_map(|block| block.instructions());
    all.filter(|&it| spin::communicates_itself(it))
        .filter(|&it| written(it).is_some_and(may_be_polled))
        .all(|it| flow.dominators(it.block()).any(|block| block == start))
}

fn space(pointer: Value) -> u32 {
    pointer.ty().address_space()
}

/// Where an instruction writes.
fn written(instruction: Value) -> Option<Value> {
    match instruction.opcode()? {
        LLVMOpcode::LLVMStore => Some(instruction.operand(1)),
        LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg => Some(instruction.operand(0)),
        _ => None,
    }
}

/// The outermost block that dominates `block` and that only one thread of its block enters: `if (tid == c)`.
fn alone(flow: &ControlFlow, block: Block) -> Option<Block> {
    let dominators: Vec<_> = flow.dominators(block).collect();
    let enters = |pair: &[Block]| {
        let (inner, outer) = (pair[0], pair[1]);
        let end = outer.terminator()?;
        let condition = end.condition()?;
        let chosen = condition.opcode() == Some(LLVMOpcode::LLVMICmp)
            && condition.int_predicate() == LLVMIntPredicate::LLVMIntEQ
            && words::is_thread_index(condition.operand(0))
            && condition.operand(1).as_int().is_some();
        let targets = end.successors();
        // The edge is the only way in: the block has no phi and no other predecessor.
        let only_way = targets.first() == Some(&inner)
            && targets.last() != Some(&inner)
            && flow.predecessors(inner).count() == 1;
        (chosen && only_way).then_some(inner)
    };
    dominators.windows(2).rev().find_map(enters)
}

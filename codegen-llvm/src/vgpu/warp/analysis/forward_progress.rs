//! Whether a loop waits on memory for another thread, and for which.
//!
//! The lanes of a warp form advance together. A lane that polls a variable keeps the lane that would write it from
//! going on, so a loop in which lanes may wait for lanes has no warp form. These loops poll memory (`polling_loops`),
//! but no lane in them waits for another lane of its warp:
//!
//! * Every iteration passes a barrier, or an operation of the warp with a member mask. All lanes take part in it. If
//!   they poll a volatile variable, the warp may wait for another one.
//! * A counter ends the loop.
//! * The loop ends on a number that the same iteration takes from a counter in memory, as for the chunks of
//!   `schedule(dynamic)`. A lane that goes on has got its share and waits for nobody.
//! * A compare-and-swap is repeated with the value it found. It fails only because another one succeeded, so some lane
//!   gets through in every iteration.
//! * An iteration reads a word and sets or clears some of its bits accordingly. It repeats if another thread was
//!   faster (the device runtime's queues). Again, some lane gets through.
//! * One thread of the block waits. What it polls is written, as far as this kernel writes it, only where the same
//!   thread is alone: it waits for another block, as in reductions over teams, or for a lock that the thread takes for
//!   its block.
//! * Lanes wait for a lock one after the other, as `critical` has them do ([`lane_locks`]).
//! * One lane of each warp waits at the device runtime's barrier for teams with a part of a warp
//!   (`devicertl/src/sync/barrier.rs`, `software_barrier`). Only that lane of each warp writes its word: it waits for
//!   other warps.

use std::collections::HashSet;

use llvm_sys::{LLVMAtomicRMWBinOp, LLVMOpcode};

use super::callee::{self, Callee};
use super::chosen_threads::alone;
use super::context_fields::{self, LaneAxis};
use super::lane_locks;
use crate::analysis::control_flow::{ControlFlow, Loop};
use crate::ir::{Block, Value};
use crate::vgpu::polling_loops;
use crate::vgpu::runtime_variables::RuntimeVariables;

/// What a loop waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// For no other thread: it makes progress by itself.
    None,
    /// For other warps or blocks, which it must let run.
    OtherWarps,
    /// Perhaps for another lane of the same warp.
    Lanes,
}

/// What a loop of a normalised kernel waits for.
pub fn wait(flow: &ControlFlow, each: &Loop, axis: LaneAxis, variables: RuntimeVariables) -> Wait {
    let fences = each
        .instructions()
        .any(|it| it.opcode() == Some(LLVMOpcode::LLVMFence));
    let is_settled =
        |it| is_constant(it, variables, fences) || counts(it, each) || takes_number(it);
    // Branches on what an atomic operation took are left out: programs take locks so, and give them back in the same
    // iteration, which suits lanes in lockstep.
    let is_settled_or_taken = |it: Value| is_settled(it) || takes(it);
    let waits = polling_loops::waits_itself(each, &is_settled)
        || polling_loops::may_wait(each, &HashSet::new(), &is_settled_or_taken);
    if !waits
        || passes(each, is_barrier)
        || passes(each, gathers_lanes) && !polls_volatile(each)
        || is_retry(each)
        || takes_bits(flow, each)
    {
        Wait::None
    } else if passes(each, gathers_lanes)
        || waits_for_blocks(flow, each, axis)
        || waits_for_warps(flow, each, axis, variables.barrier)
        || lane_locks::is_wait(flow, each, axis, &|around| passes(around, gathers_lanes))
    {
        Wait::OtherWarps
    } else {
        Wait::Lanes
    }
}

/// Whether an instruction changes memory at the moment it reads it.
fn takes(instruction: Value) -> bool {
    matches!(
        instruction.opcode(),
        Some(LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg)
    )
}

/// How the names of the device runtime's sticky flags begin (`devicertl/src/sticky_flag.rs`): whether the program ever
/// did something.
const STICKY_FLAG: &str = "omptarget.sticky.";

/// Whether no loop waits for what an instruction reads: the context; the shape of the team, which is written only
/// while no thread is in a region; where the team's state is; a sticky flag; and what a plain load reads, unless the
/// loop has a fence, after which others may have changed it.
fn is_constant(instruction: Value, variables: RuntimeVariables, fences: bool) -> bool {
    match instruction.opcode() {
        Some(LLVMOpcode::LLVMLoad) => {
            let address = instruction.operand(0);
            let offset = || context_fields::shared_offset(address).map(|at| at as u64);
            context_fields::context_field(instruction).is_some()
                || address.is_global_variable() && address.name().starts_with(STICKY_FLAG)
                || !fences && !polling_loops::communicates_itself(instruction)
                || variables.team_shape.is_some() && offset() == variables.team_shape
                || variables.state.is_some() && offset() == variables.state
        }
        _ => context_fields::is_context(instruction),
    }
}

/// Whether a comparison is one of the loop's counter: the loop ends whatever the counter is compared with.
fn counts(comparison: Value, each: &Loop) -> bool {
    let is_counter = |value: Value| {
        value.is_phi()
            && value.block() == each.header
            && value.incoming().into_iter().all(|(next, from)| {
                !each.body.contains(&from)
                    || next.opcode() == Some(LLVMOpcode::LLVMAdd)
                        && next.operand(0) == value
                        && next.operand(1).as_int().is_some_and(|step| step != 0)
            })
    };
    let counter = |value: Value| {
        is_counter(value)
            || value.opcode() == Some(LLVMOpcode::LLVMAdd)
                && is_counter(value.operand(0))
                && value.operand(1).as_int().is_some()
    };
    comparison.opcode() == Some(LLVMOpcode::LLVMICmp)
        && (counter(comparison.operand(0)) || counter(comparison.operand(1)))
}

/// Whether an instruction takes a number from a counter in memory and moves the counter on. The counter reaches any
/// limit, however many lanes take numbers, and even if nobody else does.
fn takes_number(instruction: Value) -> bool {
    instruction.opcode() == Some(LLVMOpcode::LLVMAtomicRMW)
        && instruction.atomic_operation() == LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpAdd
        && instruction
            .operand(1)
            .as_int()
            .is_some_and(|step| step != 0)
}

/// Whether a call is a barrier.
fn is_barrier(callee: Callee) -> bool {
    matches!(callee, Callee::Barrier | Callee::BarrierReduce)
}

/// Whether a call is a barrier, or an operation of the warp in which all lanes take part.
fn gathers_lanes(callee: Callee) -> bool {
    // Operations without a member mask are for the lanes that happen to be there.
    let some_lanes = matches!(callee, Callee::ActiveMask | Callee::Wave);
    is_barrier(callee) || callee::is_warp_operation(callee) && !some_lanes
}

/// Whether a loop reads a volatile variable. Programs that wait for later blocks poll so (HeCBench's `gc`). Those that
/// wait for earlier ones, as CUB's scans do, read atomically, and need not let others run.
fn polls_volatile(each: &Loop) -> bool {
    each.instructions()
        .any(|it| it.opcode() == Some(LLVMOpcode::LLVMLoad) && it.is_volatile())
}

/// Whether every path from the loop's header back to it passes such a call. Paths may pass different ones: the device
/// runtime's barrier is a named barrier for teams of whole warps and another one otherwise.
fn passes(each: &Loop, wanted: fn(Callee) -> bool) -> bool {
    let gathers = |block: &Block| {
        let calls = block.instructions().into_iter().filter(|it| it.is_call());
        calls.map(callee::of).any(wanted)
    };
    let mut pending = vec![each.header];
    let mut seen = HashSet::new();
    while let Some(block) = pending.pop() {
        if gathers(&block) || !seen.insert(block) {
            continue;
        }
        if block == each.latch {
            return false;
        }
        let next = block.successors().into_iter();
        pending.extend(next.filter(|next| each.body.contains(next)));
    }
    true
}

/// Whether the loop consists of one compare-and-swap, which expects the value that it found the last time.
fn is_retry(each: &Loop) -> bool {
    let mut shared = each
        .instructions()
        .filter(|&it| polling_loops::communicates_itself(it));
    let (Some(swap), None) = (shared.next(), shared.next()) else {
        return false;
    };
    swap.opcode() == Some(LLVMOpcode::LLVMAtomicCmpXchg) && comes_from(swap.operand(1), swap, each)
}

/// Whether the expected value is a phi of the loop's header that takes the swap's old value, perhaps with another type.
fn comes_from(expected: Value, swap: Value, each: &Loop) -> bool {
    let through_casts = |mut value: Value| {
        while let Some(LLVMOpcode::LLVMBitCast | LLVMOpcode::LLVMFreeze) = value.opcode() {
            value = value.operand(0);
        }
        value
    };
    let expected = through_casts(expected);
    if !expected.is_phi() || expected.block() != each.header {
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

/// Whether every iteration that does not leave the loop changes bits of the one word that it reads, depending on what
/// it read.
fn takes_bits(flow: &ControlFlow, each: &Loop) -> bool {
    let shared: Vec<_> = each
        .instructions()
        .filter(|&it| polling_loops::communicates_itself(it))
        .collect();
    let [read, change] = shared[..] else {
        return false;
    };
    let sets_or_clears = || {
        use llvm_sys::LLVMAtomicRMWBinOp::{LLVMAtomicRMWBinOpAnd, LLVMAtomicRMWBinOpOr};
        matches!(
            change.atomic_operation(),
            LLVMAtomicRMWBinOpAnd | LLVMAtomicRMWBinOpOr
        )
    };
    read.opcode() == Some(LLVMOpcode::LLVMLoad)
        && change.opcode() == Some(LLVMOpcode::LLVMAtomicRMW)
        && sets_or_clears()
        && read.operand(0) == change.operand(0)
        && depends(change.operand(1), read, each)
        && flow
            .dominators(each.latch)
            .any(|block| block == change.block())
}

/// Whether a value is computed from another in the same iteration of the loop.
fn depends(value: Value, on: Value, each: &Loop) -> bool {
    let mut pending = vec![value];
    let mut steps = 0;
    while let Some(value) = pending.pop() {
        steps += 1;
        if value == on {
            return true;
        }
        let in_iteration =
            value.is_instruction() && each.body.contains(&value.block()) && !value.is_phi();
        if in_iteration && steps < 32 {
            pending.extend(value.operands());
        }
    }
    false
}

/// Whether one thread alone waits for something that no other thread of its block writes.
fn waits_for_blocks(flow: &ControlFlow, each: &Loop, axis: LaneAxis) -> bool {
    let shared: Vec<_> = each
        .instructions()
        .filter(|&it| {
            polling_loops::communicates_itself(it) && it.opcode() != Some(LLVMOpcode::LLVMFence)
        })
        .collect();
    let is_thread = |value| context_fields::is_thread_id(value, axis);
    let Some(thread) = alone(flow, each.header, is_thread) else {
        return false;
    };
    // A lock is polled by what takes it.
    let Some(polled) = shared
        .iter()
        .map(|&it| polled(it))
        .collect::<Option<Vec<_>>>()
    else {
        return false;
    };
    let spaces: Vec<_> = polled.into_iter().map(space).collect();
    let may_be_polled = |address: Value| {
        let space = space(address);
        spaces
            .iter()
            .any(|&polled| polled == space || polled == 0 || space == 0)
    };
    let all = flow.blocks().iter().flat_map(|block| block.instructions());
    all.filter(|&it| polling_loops::communicates_itself(it))
        .filter(|&it| written(it).is_some_and(may_be_polled))
        .all(|it| alone(flow, it.block(), is_thread) == Some(thread))
}

fn space(pointer: Value) -> u32 {
    pointer.ty().address_space()
}

/// The address that an instruction reads.
fn polled(instruction: Value) -> Option<Value> {
    use LLVMOpcode::{LLVMAtomicCmpXchg, LLVMAtomicRMW, LLVMLoad};
    matches!(
        instruction.opcode()?,
        LLVMLoad | LLVMAtomicRMW | LLVMAtomicCmpXchg
    )
    .then(|| instruction.operand(0))
}

/// The address that an instruction writes to.
fn written(instruction: Value) -> Option<Value> {
    match instruction.opcode()? {
        LLVMOpcode::LLVMStore => Some(instruction.operand(1)),
        LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg => Some(instruction.operand(0)),
        _ => None,
    }
}

/// Whether one lane of each warp waits at the device runtime's barrier, whose word is at `barrier_word` in shared
/// memory.
fn waits_for_warps(
    flow: &ControlFlow,
    each: &Loop,
    axis: LaneAxis,
    barrier_word: Option<u64>,
) -> bool {
    let polls = |it: Value| {
        it.opcode() == Some(LLVMOpcode::LLVMLoad)
            && barrier_word.is_some()
            && context_fields::shared_offset(it.operand(0)) == barrier_word.map(|word| word as i64)
    };
    let mut shared = each
        .instructions()
        .filter(|&it| polling_loops::communicates_itself(it));
    let is_lane = |value| context_fields::is_lane(value, axis);
    shared.all(polls) && alone(flow, each.header, is_lane).is_some()
}

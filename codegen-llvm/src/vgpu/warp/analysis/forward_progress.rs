//! Needs: a normalised kernel. Leaves: the certainty that no lane of a warp waits on memory for another of the same warp; in loops that
//! wait for other warps or blocks, a call of `vgpu_spin`, as `spin` puts into those of the scalar form: without it they could not be
//! ended when the launch is given up, or after `OMPTARGET_VGPU_TIMEOUT`.
//!
//! The lanes of a warp form stay together: one that polls a variable keeps the one that would write it from going on. So
//! loops that wait on memory (`spin`) have no warp form. Seven kinds of them do not wait for lanes:
//!
//! * Every turn passes a barrier or an operation of the warp with a member mask: all lanes take part in it.
//! * A counter ends the loop.
//! * What ends the loop is a number that the same turn takes from a counter in memory (chunks of `schedule(dynamic)`). A lane that goes on has got its
//!   share; it waits for nobody.
//! * A compare-and-swap that is repeated with the value it found. It only fails because another one succeeded, so in every
//!   turn some lane gets through.
//! * A word is read, some of its bits are set or cleared according to that, and again if another one was faster (the device runtime's
//!   queues). Again some lane gets through.
//! * A single thread of the block waits, and what it polls is written, as far as this kernel writes it, only where the same
//!   thread is alone: it waits for another block. So do reductions over teams.
//! * One lane of each warp waits at the device runtime's barrier for teams with a part of a warp (`devicertl/src/sync/barrier.rs`,
//!   `software_barrier`), whose word only that lane of each warp writes: it waits for other warps.

use std::collections::HashSet;

use llvm_sys::{LLVMAtomicRMWBinOp, LLVMIntPredicate, LLVMOpcode};

use super::callee::{self, Callee};
use super::context_fields::{self, LaneAxis};
use crate::analysis::control_flow::{ControlFlow, Loop};
use crate::analysis::source_locations::SourceLocations;
use crate::ir::{Block, Builder, Module, Type, Value};
use crate::vgpu::lower::engine::SPIN;
use crate::vgpu::polling_loops;
use crate::vgpu::runtime_variables::RuntimeVariables;
use crate::vgpu::warp::refusal::Refusal;

/// The check.
pub fn run(
    module: &Module,
    locations: &mut SourceLocations,
    kernel: Value,
    axis: LaneAxis,
    variables: RuntimeVariables,
) -> Result<(), Refusal> {
    let flow = ControlFlow::new(kernel);
    for each in flow.loops() {
        let fences = instructions(&each).any(|it| it.opcode() == Some(LLVMOpcode::LLVMFence));
        let is_settled =
            |it| is_constant(it, variables, fences) || counts(it, &each) || takes_number(it);
        if !polling_loops::waits_itself(&each, &is_settled) {
            continue;
        }
        if passes_all_lanes(&each) || is_retry(&each) || takes_bits(&flow, &each) {
            continue;
        }
        let waits_for_others = waits_for_blocks(&flow, &each, axis)
            || waits_for_warps(&flow, &each, axis, variables.barrier);
        if !waits_for_others {
            let what = "a loop waits on memory that other threads write";
            return Err(match polling_loops::place(&each) {
                Some(place) => Refusal::at(module.context, place, what),
                None => Refusal::new(what),
            });
        }
        if !polling_loops::yields(&each) {
            insert_spin(module, locations, &each);
        }
    }
    Ok(())
}

/// Lets other warps, and what may end the launch, have their turn at the end of every turn of the loop.
fn insert_spin(module: &Module, locations: &mut SourceLocations, each: &Loop) {
    let (Some(end), Some(place)) = (each.latch.terminator(), polling_loops::place(each)) else {
        return;
    };
    let context = module.context;
    let (pointer, number) = (Type::pointer(context), Type::int(context, 32));
    let spin = module.declare(
        SPIN,
        Type::function(Type::void(context), &[pointer, number]),
    );
    let marker = module.declare(callee::CONTEXT, Type::function(pointer, &[]));
    let builder = Builder::before(context, end);
    let cx = builder.call_function(marker, &[]);
    let site = Value::int(number, locations.for_call(place).into());
    builder.call_function(spin, &[cx, site]);
}

/// What the names of the device runtime's variables begin with that say whether the program ever did something (`devicertl/src/sticky_flag.rs`).
const EVER: &str = "omptarget.ever.";

/// What no loop waits for: the context; the shape of the team, which is written while nobody is in a region; whether something ever happened;
/// and what is read like any variable, unless the loop fences: others may change it then.
fn is_constant(instruction: Value, variables: RuntimeVariables, fences: bool) -> bool {
    match instruction.opcode() {
        Some(LLVMOpcode::LLVMLoad) => {
            let address = instruction.operand(0);
            let offset = || context_fields::shared_offset(address).map(|at| at as u64);
            context_fields::context_field(instruction).is_some()
                || address.is_global_variable() && address.name().starts_with(EVER)
                || !fences && !polling_loops::communicates_itself(instruction)
                || variables.team_shape.is_some() && offset() == variables.team_shape
        }
        _ => context_fields::is_context(instruction),
    }
}

/// Whether a comparison is one of the loop's counter, which comes to an end whatever it is compared with.
fn counts(comparison: Value, each: &Loop) -> bool {
    let is_counter = |value: Value| {
        value.opcode() == Some(LLVMOpcode::LLVMPHI)
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

/// Whether an instruction takes a number from a counter, and moves it on: however many lanes do, and if nobody else does, the counter gets to any limit.
fn takes_number(instruction: Value) -> bool {
    instruction.opcode() == Some(LLVMOpcode::LLVMAtomicRMW)
        && instruction.atomic_operation() == LLVMAtomicRMWBinOp::LLVMAtomicRMWBinOpAdd
        && instruction
            .operand(1)
            .as_int()
            .is_some_and(|step| step != 0)
}

fn instructions(each: &Loop) -> impl Iterator<Item = Value> + '_ {
    each.body.iter().flat_map(|block| block.instructions())
}

/// Whether every way from the loop's header back to it passes a barrier or an operation of the warp; which one may
/// differ: the device runtime's barrier is a named one for teams of whole warps and another one for others.
fn passes_all_lanes(each: &Loop) -> bool {
    let gathers = |block: &Block| {
        let calls = block.instructions().into_iter().filter(|it| it.is_call());
        calls.map(callee::of).any(|callee| {
            // Those without a member mask are for the lanes that are there.
            let some_lanes = matches!(callee, Callee::ActiveMask | Callee::Wave);
            matches!(callee, Callee::Barrier | Callee::BarrierReduce)
                || callee::is_warp_operation(callee) && !some_lanes
        })
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

/// Whether the loop consists of one compare-and-swap, which expects what it found the time before.
fn is_retry(each: &Loop) -> bool {
    let mut shared = instructions(each).filter(|&it| polling_loops::communicates_itself(it));
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

/// Whether every turn of the loop that does not leave it changes bits of the one word it reads, which ones according to
/// what it read.
fn takes_bits(flow: &ControlFlow, each: &Loop) -> bool {
    let shared: Vec<_> = instructions(each)
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

/// Whether a value is computed from another in the same turn of the loop.
fn depends(value: Value, on: Value, each: &Loop) -> bool {
    let mut pending = vec![value];
    let mut steps = 0;
    while let Some(value) = pending.pop() {
        steps += 1;
        if value == on {
            return true;
        }
        let in_turn = value.is_instruction()
            && each.body.contains(&value.block())
            && value.opcode() != Some(LLVMOpcode::LLVMPHI);
        if in_turn && steps < 32 {
            pending.extend(value.operands());
        }
    }
    false
}

/// Whether one thread alone waits for something that only it, of its block, may write, too.
fn waits_for_blocks(flow: &ControlFlow, each: &Loop, axis: LaneAxis) -> bool {
    let polls = |it: Value| it.opcode() == Some(LLVMOpcode::LLVMLoad);
    let shared: Vec<_> = instructions(each)
        .filter(|&it| {
            polling_loops::communicates_itself(it) && it.opcode() != Some(LLVMOpcode::LLVMFence)
        })
        .collect();
    let is_thread = |value| context_fields::is_thread_id(value, axis);
    let Some(thread) =
        alone(flow, each.header, is_thread).filter(|_| shared.iter().all(|&it| polls(it)))
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
    all.filter(|&it| polling_loops::communicates_itself(it))
        .filter(|&it| written(it).is_some_and(may_be_polled))
        .all(|it| alone(flow, it.block(), is_thread) == Some(thread))
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

/// Whether one lane of each warp waits at the runtime's barrier, whose word is at `barrier_word` in shared memory.
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
    let mut shared = instructions(each).filter(|&it| polling_loops::communicates_itself(it));
    let is_lane = |value| context_fields::is_lane(value, axis);
    shared.all(polls) && alone(flow, each.header, is_lane).is_some()
}

/// The number of the threads that alone come to `block`: it is inside of an `if (tid == c)`, the outermost if there are several.
fn alone(flow: &ControlFlow, block: Block, is_number: impl Fn(Value) -> bool) -> Option<u64> {
    let dominators: Vec<_> = flow.dominators(block).collect();
    let enters = |pair: &[Block]| {
        let (inner, outer) = (pair[0], pair[1]);
        let end = outer.terminator()?;
        let condition = end.condition()?;
        let compares = condition.opcode() == Some(LLVMOpcode::LLVMICmp)
            && condition.int_predicate() == LLVMIntPredicate::LLVMIntEQ
            && is_number(condition.operand(0));
        if !compares {
            return None;
        }
        let number = condition.operand(1).as_int()?;
        let targets = end.successors();
        // The edge is the only way in: the block has no phi and no other predecessor.
        let only_way = targets.first() == Some(&inner)
            && targets.last() != Some(&inner)
            && flow.predecessors(inner).count() == 1;
        only_way.then_some(number)
    };
    dominators.windows(2).rev().find_map(enters)
}

//! Needs: kernels inlined, before they are brought into shape. Leaves: a copy of what follows the question whether a thread has
//! a share of its team's chunk of iterations, for chunks that all threads have a share of.
//!
//! `distribute parallel for` deals chunks to teams, and asks for each chunk whether the thread's number is beyond its end:
//!
//! ```text
//! if (tid > last - first) { i = last + 1; } else { i = first + tid; }     // joined: no longer counts up from lane to lane
//! for (; i <= last; i += threads) …
//! ```
//!
//! Only the last chunk is short, so the question is asked of all threads at once before, and where all have a share, the copy
//! follows, in which `i` counts up:
//!
//! ```text
//! if (last - first >= threads - 1) { i = first + tid; for … } else if …
//! ```
//!
//! The copy reaches to the end of the loop over chunks. It holds for any thread by itself, whatever the others' bounds are.

use std::collections::{HashMap, HashSet};
use std::mem::offset_of;

use anyhow::Result;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use vgpu_abi::ThreadContext;

use super::umin_to_branch;
use crate::analysis::control_flow::ControlFlow;
use crate::ir::{Block, Builder, Module, Type, Value};
use crate::vgpu::unit::Unit;
use crate::vgpu::warp::analysis::callee::{self, CONTEXT, Callee};
use crate::vgpu::warp::analysis::context_fields;

/// Marks the branch while LLVM takes the phis apart: whether all threads take one way, and which.
const MARKER: &str = "vgpu.warp.all_take";

/// Most instructions that are copied.
const LARGEST: usize = 300;

/// Without phis, and with what crosses blocks in memory, blocks can be copied as they are.
const TAKE_APART: &str = "function(reg2mem)";

/// Undoes that.
const PUT_TOGETHER: &str =
    "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg)";

/// The pass, for these kernels.
pub fn run(unit: &Unit, module: &Module, kernels: &[Value]) -> Result<()> {
    let marked: Vec<_> = kernels
        .iter()
        .copied()
        .inspect(|&kernel| umin_to_branch::run(module.context, kernel))
        .filter(|&kernel| mark(module, kernel))
        .collect();
    if marked.is_empty() {
        return Ok(());
    }
    unit.machine.run_passes(module, TAKE_APART)?;
    marked.into_iter().for_each(|kernel| split(module, kernel));
    unit.machine.run_passes(module, PUT_TOGETHER)
}

/// A branch on the thread's number.
struct Question {
    /// What the number is compared with.
    bound: Value,
    /// The comparison of `bound` that holds if all threads take one way.
    holds: LLVMIntPredicate,
    /// Whether it is compared with the number of threads, not with the last thread's number.
    with_count: bool,
    /// Which way that is.
    way: usize,
}

/// Marks the first such branch of a kernel, if it is worth a copy.
fn mark(module: &Module, kernel: Value) -> bool {
    let flow = ControlFlow::new(kernel);
    for &block in flow.blocks() {
        let Some(end) = block.terminator() else {
            continue;
        };
        let Some(question) = question(end) else {
            continue;
        };
        let Some(copied) = region(&flow, block, end.successors()[question.way]) else {
            continue;
        };
        if !is_cheap(&copied) || !joins(&copied) {
            continue;
        }
        let context = module.context;
        let builder = Builder::before(context, end);
        let (int, bit) = (Type::int(context, 32), Type::int(context, 1));
        let marker = Type::function(Type::pointer(context), &[]);
        let cx = builder.call_function(module.declare(CONTEXT, marker), &[]);
        let field = offset_of!(ThreadContext, ntid) as u64;
        let field = builder.byte_offset(cx, Value::int(Type::int(context, 64), field));
        let count = builder.load(int, field);
        let least = match question.with_count {
            true => count,
            false => builder.binary(LLVMOpcode::LLVMSub, count, Value::int(int, 1)),
        };
        let least = builder.cast_unsigned(least, question.bound.ty());
        let all = builder.compare(question.holds, question.bound, least);
        let marker = Type::function(Type::void(context), &[bit, bit]);
        let marker = module.declare(MARKER, marker);
        builder.call_function(marker, &[all, Value::int(bit, question.way as u64)]);
        return true;
    }
    false
}

/// What a terminator asks, if it is about the thread's number.
fn question(end: Value) -> Option<Question> {
    use LLVMIntPredicate::*;
    let condition = end.condition()?;
    let ways = end.successors();
    if condition.opcode() != Some(LLVMOpcode::LLVMICmp) || ways.len() != 2 || ways[0] == ways[1] {
        return None;
    }
    let (left, right) = (condition.operand(0), condition.operand(1));
    let (bound, predicate) = if is_thread_id_x(left) {
        (right, condition.int_predicate())
    } else if is_thread_id_x(right) {
        (left, swapped(condition.int_predicate())?)
    } else {
        return None;
    };
    // `number predicate bound`.
    let (holds, with_count, way) = match predicate {
        LLVMIntUGT => (LLVMIntUGE, false, 1),
        LLVMIntULE => (LLVMIntUGE, false, 0),
        LLVMIntUGE => (LLVMIntUGE, true, 1),
        LLVMIntULT => (LLVMIntUGE, true, 0),
        LLVMIntSGT => (LLVMIntSGE, false, 1),
        LLVMIntSLE => (LLVMIntSGE, false, 0),
        LLVMIntSGE => (LLVMIntSGE, true, 1),
        LLVMIntSLT => (LLVMIntSGE, true, 0),
        _ => return None,
    };
    let wide = bound.ty().is_int() && bound.ty().int_width() >= 32;
    (wide && bound.is_instruction()).then_some(Question {
        bound,
        holds,
        with_count,
        way,
    })
}

/// The predicate with its operands exchanged.
fn swapped(predicate: LLVMIntPredicate) -> Option<LLVMIntPredicate> {
    use LLVMIntPredicate::*;
    Some(match predicate {
        LLVMIntUGT => LLVMIntULT,
        LLVMIntUGE => LLVMIntULE,
        LLVMIntULT => LLVMIntUGT,
        LLVMIntULE => LLVMIntUGE,
        LLVMIntSGT => LLVMIntSLT,
        LLVMIntSGE => LLVMIntSLE,
        LLVMIntSLT => LLVMIntSGT,
        LLVMIntSLE => LLVMIntSGE,
        _ => return None,
    })
}

/// Whether a value is the thread's number in the first dimension of its block.
pub fn is_thread_id_x(value: Value) -> bool {
    match value.opcode() {
        Some(LLVMOpcode::LLVMZExt) => is_thread_id_x(value.operand(0)),
        Some(LLVMOpcode::LLVMLoad) => {
            context_fields::context_field(value) == Some(offset_of!(ThreadContext, tid))
        }
        _ => false,
    }
}

/// The blocks from `start` to the end of the innermost loop around `block`; `None` if there is no loop.
fn region(flow: &ControlFlow, block: Block, start: Block) -> Option<HashSet<Block>> {
    let loops = flow.loops().into_iter();
    let around = loops
        .filter(|each| each.body.contains(&block))
        .min_by_key(|each| each.body.len())?;
    let mut found = HashSet::new();
    let mut pending = vec![start];
    while let Some(next) = pending.pop() {
        if around.body.contains(&next) && next != around.header && found.insert(next) {
            pending.extend(next.successors());
        }
    }
    (!found.is_empty() && !found.contains(&block)).then_some(found)
}

/// Whether blocks are few, and no threads meet in them: two copies of a barrier are two barriers.
fn is_cheap(blocks: &HashSet<Block>) -> bool {
    let instructions: Vec<_> = blocks.iter().flat_map(|it| it.instructions()).collect();
    let alone = |&call: &Value| {
        let callee = callee::of(call);
        callee != Callee::Unknown && !callee::waits(callee) && !callee::is_warp_operation(callee)
    };
    instructions.len() <= LARGEST && instructions.iter().filter(|it| it.is_call()).all(alone)
}

/// Whether what counts up with the thread's number is joined there with what does not.
fn joins(blocks: &HashSet<Block>) -> bool {
    let instructions = blocks.iter().flat_map(|it| it.instructions());
    let mut phis = instructions.filter(|it| it.opcode() == Some(LLVMOpcode::LLVMPHI));
    phis.any(|phi| {
        let incoming = phi.incoming();
        let test_stride = |value: Value| {
            is_thread_id_x(value)
                || matches!(
                    value.opcode(),
                    Some(LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMOr)
                ) && value.operands().into_iter().any(is_thread_id_x)
        };
        incoming.iter().any(|&(value, _)| test_stride(value))
    })
}

/// Copies what follows the marked branch.
fn split(module: &Module, kernel: Value) {
    let Some(marker) = kernel.instructions().into_iter().find(|&it| {
        it.called_function()
            .is_some_and(|function| function.name() == MARKER)
    }) else {
        return;
    };
    let (block, arguments) = (marker.block(), marker.arguments());
    // SAFETY: the marker has no result; its block and arguments have been read.
    unsafe { marker.erase() };
    let (Some(end), Some(way)) = (block.terminator(), arguments[1].as_int()) else {
        return;
    };
    let start = end.successors()[way as usize];
    let flow = ControlFlow::new(kernel);
    let Some(blocks) = region(&flow, block, start) else {
        return;
    };
    let inside = flow.blocks().iter().filter(|it| blocks.contains(it));
    let copies = copy(module, kernel, &inside.copied().collect::<Vec<_>>());
    let context = module.context;
    let asked = Builder::append_block(context, kernel, "");
    Builder::at_end(context, asked).copy_of(end);
    Builder::before(context, end).branch(arguments[0], copies[&start], asked);
    // SAFETY: a terminator has no users, and the copy of it stands in the new block.
    unsafe { end.erase() };
}

/// Copies of blocks that have no phis and no values in common with others but what is known before them. In debug information they
/// are other inlined calls than the originals: a debugger stops at a line once per call (gdb: at its lowest address).
fn copy(module: &Module, kernel: Value, blocks: &[Block]) -> HashMap<Block, Block> {
    let context = module.context;
    let mut copies = HashMap::new();
    for &block in blocks {
        copies.insert(block, Builder::append_block(context, kernel, ""));
    }
    let mut values = HashMap::new();
    let mut made = Vec::new();
    for block in blocks {
        let builder = Builder::at_end(context, copies[block]);
        for instruction in block.instructions() {
            let new = builder.copy_of(instruction);
            new.set_location_apart(context);
            values.insert(instruction, new);
            made.push(new);
        }
    }
    for instruction in made {
        for index in 0..instruction.operand_count() {
            let operand = instruction.operand_or_none(index);
            if let Some(&new) = operand.and_then(|operand| values.get(&operand)) {
                instruction.set_operand(index, new);
            }
        }
    }
    for block in copies.values() {
        let Some(end) = block.terminator() else {
            continue;
        };
        for (index, target) in end.successors().into_iter().enumerate() {
            if let Some(&new) = copies.get(&target) {
                end.set_successor(index as u32, new);
            }
        }
    }
    copies
}

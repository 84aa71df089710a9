//! Makes a second version of loops over chunks of iterations, for chunks in which every thread has an iteration.
//!
//! Needs: kernels inlined, before they are brought into shape.
//!
//! `distribute parallel for` gives chunks to teams, and checks for each chunk whether the thread id lies beyond its
//! end:
//!
//! ```text
//! if (tid > last - first) { i = last + 1; } else { i = first + tid; }     // joined: the stride is lost
//! for (; i <= last; i += threads) …
//! ```
//!
//! Only the last chunk is short. So a check before that one covers all threads at once. Where it holds, the second
//! version follows, in which `i` is strided:
//!
//! ```text
//! if (last - first >= threads - 1) { i = first + tid; for … } else if …
//! ```
//!
//! The second version reaches to the end of the loop over chunks. It is right for each thread by itself, whatever the
//! other threads' bounds are.

use std::collections::{HashMap, HashSet};
use std::mem::offset_of;

use anyhow::Result;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use vgpu_abi::ThreadContext;

use super::context_marker;
use crate::analysis::control_flow::ControlFlow;
use crate::ir::{Block, Builder, Copies, Module, Type, Value};
use crate::vgpu::unit::Unit;
use crate::vgpu::warp::analysis::callee::{self, Callee};
use crate::vgpu::warp::analysis::context_fields;

/// Marks the branch while LLVM splits the phis: whether all threads go to one successor, and to which.
const MARKER: &str = "vgpu.warp.all_take";

/// Most instructions that are copied.
const MAX_COPIED: usize = 300;

/// Removes phis and keeps values that cross blocks in memory: then blocks can be copied as they are.
pub(super) const PHIS_TO_MEMORY: &str = "function(reg2mem)";

/// Undoes that.
pub(super) const MEMORY_TO_PHIS: &str =
    "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg)";

/// The step, for these kernels.
pub fn run(unit: &Unit, module: &Module, kernels: &[Value]) -> Result<()> {
    let marked: Vec<_> = kernels
        .iter()
        .copied()
        .filter(|&kernel| mark(module, kernel))
        .collect();
    if marked.is_empty() {
        return Ok(());
    }
    unit.machine.run_passes(module, PHIS_TO_MEMORY)?;
    marked.into_iter().for_each(|kernel| split(module, kernel));
    unit.machine.run_passes(module, MEMORY_TO_PHIS)
}

/// A branch that compares the thread id with a bound.
struct BoundCheck {
    /// The bound.
    bound: Value,
    /// The comparison of `bound` with the last thread id, or the number of threads, that holds if all threads go to
    /// one successor.
    holds: LLVMIntPredicate,
    /// Whether the bound is compared with the number of threads instead of the last thread id.
    with_count: bool,
    /// Which successor they then go to.
    target: usize,
}

/// Marks the first such branch of a kernel whose copy is worth it.
fn mark(module: &Module, kernel: Value) -> bool {
    let flow = ControlFlow::new(kernel);
    for &block in flow.blocks() {
        let Some(end) = block.terminator() else {
            continue;
        };
        let Some(check) = bound_check(end) else {
            continue;
        };
        let Some(copied) = region(&flow, block, end.successors()[check.target]) else {
            continue;
        };
        if !is_cheap(&copied) || !joins(&copied) {
            continue;
        }
        let context = module.context;
        let builder = Builder::before(context, end);
        let (int, bit) = (Type::int(context, 32), Type::int(context, 1));
        let cx = context_marker::call(module, &builder);
        let field = offset_of!(ThreadContext, ntid) as u64;
        let field = builder.byte_offset(cx, Value::int(Type::int(context, 64), field));
        let count = builder.load(int, field);
        let least = match check.with_count {
            true => count,
            false => builder.binary(LLVMOpcode::LLVMSub, count, Value::int(int, 1)),
        };
        let least = builder.cast_unsigned(least, check.bound.ty());
        let all = builder.compare(check.holds, check.bound, least);
        let marker = Type::function(Type::void(context), &[bit, bit]);
        let marker = module.declare(MARKER, marker);
        builder.call_function(marker, &[all, Value::int(bit, check.target as u64)]);
        return true;
    }
    false
}

/// The check that a terminator makes, if it compares the thread id with a bound.
fn bound_check(end: Value) -> Option<BoundCheck> {
    use LLVMIntPredicate::*;
    let condition = end.condition()?;
    let targets = end.successors();
    if condition.opcode() != Some(LLVMOpcode::LLVMICmp)
        || targets.len() != 2
        || targets[0] == targets[1]
    {
        return None;
    }
    let (left, right) = (condition.operand(0), condition.operand(1));
    let (bound, predicate) = if context_fields::is_zero_extended_thread_id(left) {
        (right, condition.int_predicate())
    } else if context_fields::is_zero_extended_thread_id(right) {
        (left, condition.swapped_predicate())
    } else {
        return None;
    };
    // The condition is `id predicate bound`.
    let (holds, with_count, target) = match predicate {
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
    (wide && bound.is_instruction()).then_some(BoundCheck {
        bound,
        holds,
        with_count,
        target,
    })
}

/// The blocks from `start` to the end of the innermost loop around `block`; `None` without a loop.
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

/// Whether blocks are few and threads do not wait for each other in them: two copies of a barrier are two barriers.
pub(super) fn is_cheap(blocks: &HashSet<Block>) -> bool {
    let instructions: Vec<_> = blocks.iter().flat_map(|it| it.instructions()).collect();
    let alone = |&call: &Value| {
        let callee = callee::of(call);
        callee != Callee::Unknown && !callee::is_wait(callee) && !callee::is_warp_operation(callee)
    };
    instructions.len() <= MAX_COPIED && instructions.iter().filter(|it| it.is_call()).all(alone)
}

/// Whether a phi joins a value that is strided by the thread id with one that is not.
fn joins(blocks: &HashSet<Block>) -> bool {
    let instructions = blocks.iter().flat_map(|it| it.instructions());
    let mut phis = instructions.filter(|it| it.is_phi());
    phis.any(|phi| {
        let incoming = phi.incoming();
        let test_stride = |value: Value| {
            context_fields::is_zero_extended_thread_id(value)
                || matches!(
                    value.opcode(),
                    Some(LLVMOpcode::LLVMAdd | LLVMOpcode::LLVMOr)
                ) && value
                    .operands()
                    .into_iter()
                    .any(context_fields::is_zero_extended_thread_id)
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
    let (Some(end), Some(target)) = (block.terminator(), arguments[1].as_int()) else {
        return;
    };
    let start = end.successors()[target as usize];
    let flow = ControlFlow::new(kernel);
    let Some(blocks) = region(&flow, block, start) else {
        return;
    };
    let inside = flow.blocks().iter().filter(|it| blocks.contains(it));
    let context = module.context;
    let inside: Vec<_> = inside.copied().collect();
    let copies = Copies::of(context, kernel, &inside, HashMap::new());
    let checked = Builder::append_block(context, kernel, "");
    Builder::at_end(context, checked).copy_of(end);
    Builder::before(context, end).branch(arguments[0], copies.blocks[&start], checked);
    // SAFETY: a terminator has no users, and the copy of it stands in the new block.
    unsafe { end.erase() };
}

//! Loops that wait on memory until another thread writes it.
//!
//! A loop waits on memory if it touches memory in a way that another thread may take part in (atomic, volatile, fence,
//! or a call that does such a thing), and if its end depends on something read inside. A loop that counts up to a known
//! bound ends by itself, however many atomics it performs.

use std::collections::HashSet;

use llvm_sys::LLVMOpcode;
use vgpu_abi::ENGINE_SYMBOLS;

use super::lower::engine::SPIN;
use crate::analysis::control_flow::Loop;
use crate::ir::Value;

/// Engine functions that let other warps run.
const YIELDING_TO_WARPS: &[&str] = &["vgpu_barrier", "vgpu_barrier_reduce", "vgpu_yield", SPIN];

/// Those that let other threads of the warp run. In warp form they do not call the engine.
const YIELDING_TO_LANES: &[&str] = &[
    "vgpu_syncwarp",
    "vgpu_shfl",
    "vgpu_vote",
    "vgpu_match_any",
    "vgpu_match_all",
    "vgpu_redux",
];

/// How the names of functions begin that stand for values of the warp until its form is written. They compute these of
/// their arguments alone (`warp/analysis/callee.rs`).
const MARKERS: &str = "vgpu.warp.";

/// Where a loop waits, for messages: at the access that polls, as branches often have no location. If functions that
/// the loop calls poll, at its end.
pub fn place(each: &Loop) -> Option<Value> {
    let polled = each.instructions().find(|&it| communicates_itself(it));
    polled.or(each.latch.terminator())
}

/// Which values depend on memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dependence {
    /// Those computed of what is read.
    Data,
    /// Also those that branches choose which depend on what is read, such as a flag that says whether all is done.
    Branches,
}

/// Whether a loop waits on memory, provided that it calls no function that does. Nobody changes what `is_constant`
/// accepts.
pub fn waits_itself(each: &Loop, is_constant: &dyn Fn(Value) -> bool) -> bool {
    waits(each, &HashSet::new(), is_constant, Dependence::Data)
}

/// Whether an instruction itself touches memory in a way that another thread may take part in.
pub fn communicates_itself(instruction: Value) -> bool {
    communicates(instruction, &HashSet::new())
}

/// Whether an instruction communicates itself, or calls one of these functions, which do.
pub fn communicates(instruction: Value, functions: &HashSet<Value>) -> bool {
    match instruction.opcode() {
        Some(LLVMOpcode::LLVMFence | LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg) => {
            true
        }
        Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMStore) => {
            instruction.is_volatile() || instruction.is_atomic()
        }
        Some(LLVMOpcode::LLVMCall) => {
            let called = instruction.called();
            if called.is_function() {
                functions.contains(&called)
            } else {
                !called.is_inline_assembly() || called.assembly_text().is_empty()
            }
        }
        _ => false,
    }
}

/// Whether a loop may wait on memory, be it that branches decide it. `communicating` are the functions in which threads
/// communicate. Nobody changes what `is_constant` accepts.
pub fn may_wait(
    each: &Loop,
    communicating: &HashSet<Value>,
    is_constant: &dyn Fn(Value) -> bool,
) -> bool {
    waits(each, communicating, is_constant, Dependence::Branches)
}

fn waits(
    each: &Loop,
    communicating: &HashSet<Value>,
    is_constant: &dyn Fn(Value) -> bool,
    dependence: Dependence,
) -> bool {
    if !each
        .instructions()
        .any(|it| communicates(it, communicating))
    {
        return false;
    }
    let mut conditions = each
        .body
        .iter()
        .filter_map(|block| block.terminator())
        .filter(|end| leaves(*end, each))
        .peekable();
    // A loop without an exit either waits for other threads to end the kernel or never ends; it must let them run.
    conditions.peek().is_none()
        || conditions.any(|end| {
            end.condition()
                .is_none_or(|it| reads_memory(it, each, is_constant, dependence))
        })
}

fn leaves(end: Value, each: &Loop) -> bool {
    end.successors()
        .into_iter()
        .any(|next| !each.body.contains(&next))
}

/// Whether a value depends on something that the loop reads from memory or gets from a call. Chains of operands may be
/// as long as the loop's body, hence a list and no recursion.
fn reads_memory(
    value: Value,
    each: &Loop,
    is_constant: &dyn Fn(Value) -> bool,
    dependence: Dependence,
) -> bool {
    let mut seen = HashSet::new();
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        if !value.is_instruction() || !each.body.contains(&value.block()) || !seen.insert(value) {
            continue;
        }
        if is_constant(value) {
            continue;
        }
        if is_read(value) {
            return true;
        }
        pending.extend(value.operands());
        // At the loop's beginning the last iteration's value comes in, whatever branches it took.
        if dependence == Dependence::Branches && value.is_phi() && value.block() != each.header {
            let ends = each.body.iter().filter_map(|block| block.terminator());
            pending.extend(ends.filter_map(|end| end.condition()));
        }
    }
    false
}

fn is_read(instruction: Value) -> bool {
    match instruction.opcode() {
        Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg) => {
            true
        }
        Some(LLVMOpcode::LLVMCall) => !instruction.called_function().is_some_and(|function| {
            function.is_intrinsic() || function.name().starts_with(MARKERS)
        }),
        _ => false,
    }
}

/// Whether every iteration of the loop passes a call that lets other threads run. One in the latch is certain to be
/// passed.
pub fn yields(each: &Loop) -> bool {
    yields_to_warps(each) || passes(each, YIELDING_TO_LANES)
}

/// The same of calls that let other warps run.
pub fn yields_to_warps(each: &Loop) -> bool {
    passes(each, YIELDING_TO_WARPS)
}

fn passes(each: &Loop, functions: &[&str]) -> bool {
    debug_assert!(functions.iter().all(|name| ENGINE_SYMBOLS.contains(name)));
    each.latch
        .instructions()
        .into_iter()
        .filter(|it| it.is_call())
        .any(|call| {
            let name = call.called_function().map(Value::name).unwrap_or_default();
            functions.contains(&name.as_str())
        })
}

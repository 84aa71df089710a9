//! Locals that a parallel region captures by reference and writes.
//!
//! It asks code as clang emits it, before any optimisation: a function stores the addresses of what a region captures
//! into a local list, and hands the list and the region's outlined function to `__kmpc_parallel_60` (clang:
//! `CGOpenMPRuntimeGPU::emitParallelCall`).

use std::collections::HashSet;

use llvm_sys::LLVMOpcode;

use crate::ir::{Block, Value};

/// The entry points of `parallel`. Both take the region as argument 5, the function that calls it in generic kernels as
/// argument 6, and the list of captured addresses as argument 7.
const FORKS: [&str; 2] = ["__kmpc_parallel_60", "__kmpc_parallel_51"];
const REGION: u32 = 5;
const WRAPPER: u32 = 6;
const LIST: u32 = 7;

/// Parameters of an outlined function in front of those for what it captures: the thread's numbers.
const OWN_PARAMETERS: usize = 2;

/// What tells one thread of a team that it has the result of the team's reduction. It alone adds it to the variable.
const REDUCTION: &str = "__kmpc_nvptx_parallel_reduce_nowait_v2";

/// A local that a region captures and writes.
#[derive(Clone, Copy)]
pub struct Capture {
    /// Its `alloca`.
    pub local: Value,
    /// The call that begins the region.
    pub fork: Value,
}

/// The captures of all regions that a function begins.
pub fn written(function: Value) -> Vec<Capture> {
    let forks = function
        .instructions()
        .into_iter()
        .filter(|it| is_fork(*it));
    forks.flat_map(written_by).collect()
}

/// Whether an instruction begins a parallel region.
pub fn is_fork(instruction: Value) -> bool {
    instruction
        .called_function()
        .is_some_and(|called| FORKS.contains(&called.name().as_str()))
}

/// The outlined function of the region that a fork begins, if it is known and no other fork's.
pub fn region(fork: Value) -> Option<Value> {
    let region = fork.operand(REGION);
    let is_ours = |user: Value| user == fork || fork.operand(WRAPPER) == user.block().function();
    let known = region.is_function() && !region.is_declaration() && region.is_local();
    (known && region.users().into_iter().all(is_ours)).then_some(region)
}

/// What a fork passes for a parameter of its region.
pub fn passed(fork: Value, parameter: usize) -> Option<Value> {
    let mut passed = entries(fork.operand(LIST).address_base())
        .into_iter()
        .filter(|&(index, _)| OWN_PARAMETERS + index == parameter);
    let (_, value) = passed.next()?;
    passed.next().is_none().then_some(value)
}

/// Whether a function is a parallel region, or is called in regions only.
pub fn runs_in_region(function: Value) -> bool {
    let mut seen = HashSet::from([function]);
    let mut pending = vec![function];
    while let Some(function) = pending.pop() {
        if !function.is_local() || function.is_unused() {
            return false;
        }
        for user in function.users() {
            if is_fork(user)
                && [REGION, WRAPPER]
                    .iter()
                    .any(|&at| user.operand(at) == function)
            {
                continue;
            }
            if user.called_function() != Some(function) {
                return false;
            }
            let caller = user.block().function();
            if seen.insert(caller) {
                pending.push(caller);
            }
        }
    }
    true
}

fn written_by(fork: Value) -> Vec<Capture> {
    entries(fork.operand(LIST).address_base())
        .into_iter()
        .filter_map(|(index, address)| Some((index, address.local()?)))
        .filter(|&(index, _)| writes(fork, index, &mut HashSet::new()))
        .map(|(_, local)| Capture { local, fork })
        .collect()
}

/// Whether a region may write what entry `index` of its list refers to.
fn writes(fork: Value, index: usize, seen: &mut HashSet<Value>) -> bool {
    let region = fork.operand(REGION);
    let known = region.is_function() && !region.is_declaration();
    let parameters = if known {
        region.parameters()
    } else {
        Vec::new()
    };
    match parameters.get(OWN_PARAMETERS + index) {
        Some(&parameter) => is_written(parameter, seen),
        None => true,
    }
}

/// What is stored into a list, with the index in it.
fn entries(list: Value) -> Vec<(usize, Value)> {
    let mut found = Vec::new();
    for pointer in same_address(list) {
        for user in pointer.users() {
            match user.opcode() {
                Some(LLVMOpcode::LLVMStore) if user.operand(1) == pointer => {
                    found.push((0, user.operand(0)));
                }
                Some(LLVMOpcode::LLVMGetElementPtr) => {
                    let Some(index) = user.operand(user.operand_count() - 1).as_int() else {
                        continue;
                    };
                    let stores = user.users().into_iter().filter(|store| {
                        store.opcode() == Some(LLVMOpcode::LLVMStore) && store.operand(1) == user
                    });
                    found.extend(stores.map(|store| (index as usize, store.operand(0))));
                }
                _ => {}
            }
        }
    }
    found
}

/// A local's `alloca`, and the same address in another address space (AMD GPUs have locals in one of their own).
pub fn same_address(local: Value) -> Vec<Value> {
    let casts = local
        .users()
        .into_iter()
        .filter(|user| user.opcode() == Some(LLVMOpcode::LLVMAddrSpaceCast));
    std::iter::once(local).chain(casts).collect()
}

/// Whether memory may be written through a pointer. What is not understood may write.
fn is_written(pointer: Value, seen: &mut HashSet<Value>) -> bool {
    if !seen.insert(pointer) {
        return false;
    }
    let mut users = pointer.users();
    users.retain(|user| !is_reductions_end(user.block()));
    users.into_iter().any(|user| match user.opcode() {
        Some(LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMICmp) => false,
        Some(LLVMOpcode::LLVMStore) => {
            user.operand(0) != pointer || is_written_from(user.operand(1), seen)
        }
        Some(
            LLVMOpcode::LLVMGetElementPtr
            | LLVMOpcode::LLVMAddrSpaceCast
            | LLVMOpcode::LLVMPHI
            | LLVMOpcode::LLVMSelect,
        ) => is_written(user, seen),
        Some(LLVMOpcode::LLVMCall) => is_written_by_call(user, pointer, seen),
        Some(LLVMOpcode::LLVMPtrToInt) => !is_for_distances(user),
        _ => true,
    })
}

/// The same of a pointer that is stored to a slot: a local, or an entry of a region's list.
fn is_written_from(slot: Value, seen: &mut HashSet<Value>) -> bool {
    let Some(holder) = slot.local() else {
        return true;
    };
    same_address(holder).into_iter().any(|address| {
        address.users().into_iter().any(|user| match user.opcode() {
            Some(LLVMOpcode::LLVMStore) => user.operand(1) != address,
            Some(LLVMOpcode::LLVMLoad) => is_written(user, seen),
            Some(LLVMOpcode::LLVMAddrSpaceCast) => false,
            Some(LLVMOpcode::LLVMGetElementPtr) => !is_of_a_list(user),
            Some(LLVMOpcode::LLVMCall)
                if is_fork(user) && user.operand(LIST).address_base() == holder =>
            {
                let indices = entries(holder).into_iter();
                indices
                    .map(|(index, _)| index)
                    .any(|index| writes(user, index, seen))
            }
            Some(LLVMOpcode::LLVMCall) => !only_marks(user),
            _ => true,
        })
    })
}

/// Whether an address as a number only tells how far it is from others, as where sections of arrays are reduced.
fn is_for_distances(number: Value) -> bool {
    let is_address = |value: Value| value.opcode() == Some(LLVMOpcode::LLVMPtrToInt);
    number.users().into_iter().all(|user| {
        user.opcode() == Some(LLVMOpcode::LLVMSub) && user.operands().into_iter().all(is_address)
    })
}

/// Whether the address of an entry of a list is only stored to.
fn is_of_a_list(entry: Value) -> bool {
    let store =
        |user: &Value| user.opcode() == Some(LLVMOpcode::LLVMStore) && user.operand(1) == entry;
    entry.users().iter().all(store)
}

fn is_written_by_call(call: Value, pointer: Value, seen: &mut HashSet<Value>) -> bool {
    if only_marks(call) {
        return false;
    }
    let Some(function) = call.called_function() else {
        return true;
    };
    let arguments = call.arguments();
    let passed = |&index: &usize| arguments[index] == pointer;
    let mut passed = (0..arguments.len()).filter(passed);
    let name = function.name();
    if name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.") {
        return passed.any(|index| index == 0);
    }
    let parameters = if function.is_declaration() {
        Vec::new()
    } else {
        function.parameters()
    };
    passed.any(|index| {
        parameters
            .get(index)
            .is_none_or(|&parameter| is_written(parameter, seen))
    })
}

/// Whether a call tells the optimiser something and does nothing.
pub fn only_marks(call: Value) -> bool {
    const MARKS: [&str; 3] = ["llvm.lifetime.", "llvm.assume", "llvm.dbg."];
    call.called_function().is_some_and(|function| {
        let name = function.name();
        MARKS.iter().any(|mark| name.starts_with(mark))
    })
}

/// Whether only the thread that has the result of a reduction of the team gets to a block. That thread's copy of the
/// variable is the one that is read afterwards, so the others' need not be the same.
fn is_reductions_end(block: Block) -> bool {
    let (mut seen, mut next) = (HashSet::from([block]), vec![block]);
    while let Some(block) = next.pop() {
        let before = block.predecessors();
        if before.is_empty() {
            return false;
        }
        let unguarded = before
            .into_iter()
            .filter(|&from| !asks_for_result(from, block));
        next.extend(unguarded.filter(|&from| seen.insert(from)));
    }
    true
}

/// Whether a block goes to another only in the thread that has a reduction's result.
fn asks_for_result(from: Block, to: Block) -> bool {
    let question = from.terminator().and_then(Value::condition);
    question.is_some_and(|question| {
        question.opcode() == Some(LLVMOpcode::LLVMICmp)
            && question.is_equality()
            && question.operand(1).as_int() == Some(1)
            && question
                .operand(0)
                .called_function()
                .is_some_and(|called| called.name() == REDUCTION)
            && from.successors().first() == Some(&to)
    })
}

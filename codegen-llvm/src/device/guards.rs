//! Sequential code of kernels that LLVM's openmp-opt has made SPMD (docs/codegen.md, "Guards").
//!
//! openmp-opt has every thread run the sequential code and guards what has effects: thread 0 alone does it, and a barrier
//! follows. What the threads read between the barrier *before* and the guard they may read too late: thread 0 may be in the guard,
//! writing, while another thread still has to read. Where that is a loop's counter or the sum a loop waits for
//! (`while (change > limit) { change = 0; … }`), threads disagree on whether the loop goes on, and wait for each other
//! for ever or end with wrong results. So threads must have read when thread 0 writes: a barrier before the guard, too.

use llvm_sys::LLVMAtomicOrdering::{LLVMAtomicOrderingAcquire, LLVMAtomicOrderingRelease};
use llvm_sys::LLVMOpcode;
use vgpu_abi::summary::ExecutionMode;

use crate::analysis::exec_mode;
use crate::analysis::intrinsics::{
    AMD_BARRIER, HARDWARE_THREAD_ID, THREAD_ID_X, is_block_barrier, is_call_of,
};
use crate::analysis::kernels;
use crate::ir::{Block, Builder, Module, Value};

/// What the names of the runtime's own variables begin with: it orders their accesses itself.
const RUNTIME_VARIABLES: [&str; 2] = ["omptarget.", "omptarget_"];

/// Puts a barrier before each guard that needs one.
pub fn run(module: &Module) {
    let context = module.context;
    for kernel in kernels::find(module) {
        if exec_mode::of(module, &kernel.name) != ExecutionMode::GenericSpmd {
            continue;
        }
        for block in kernel.function.blocks() {
            if let Some((branch, barrier)) = guard(block)
                && reads_since_barrier(block)
            {
                let arguments: Vec<Value> = barrier.arguments().iter().map(same).collect();
                let builder = Builder::before(context, branch);
                let scope =
                    (is_call_of(barrier, &[AMD_BARRIER])).then(|| context.sync_scope("workgroup"));
                scope.inspect(|&scope| builder.fence(LLVMAtomicOrderingRelease, scope));
                builder.call_function(barrier.called(), &arguments);
                scope.inspect(|&scope| builder.fence(LLVMAtomicOrderingAcquire, scope));
            }
        }
    }
}

/// An argument that can stand anywhere: barriers have constants, and the runtime's asks for nothing else.
fn same(argument: &Value) -> Value {
    match argument.is_constant() {
        true => *argument,
        false => Value::zero(argument.ty()),
    }
}

/// The branch that ends a block by letting thread 0 alone into a guard, and where it goes.
pub fn guarded(block: Block) -> Option<(Value, Block)> {
    let (branch, barrier) = guard(block)?;
    let mut ways = branch.successors().into_iter();
    Some((branch, ways.find(|way| *way != barrier.block())?))
}

/// The branch that ends a block by letting thread 0 alone into a guard, and the barrier where all others go.
fn guard(block: Block) -> Option<(Value, Value)> {
    let branch = block.terminator()?;
    if branch.opcode()? != LLVMOpcode::LLVMBr {
        return None;
    }
    let question = branch.condition()?;
    if question.opcode()? != LLVMOpcode::LLVMICmp
        || !is_thread_id(question.operand(0))
        || question.operand(1).as_int() != Some(0)
    {
        return None;
    }
    let others = usize::from(question.is_equality());
    let barrier = first_effect(*branch.successors().get(others)?)?;
    is_block_barrier(barrier).then_some((branch, barrier))
}

fn is_thread_id(value: Value) -> bool {
    is_call_of(value, &THREAD_ID_X) || is_call_of(value, &[HARDWARE_THREAD_ID])
}

/// The first instruction of a block that is neither a phi nor a fence.
fn first_effect(block: Block) -> Option<Value> {
    let passive = |instruction: &Value| {
        matches!(
            instruction.opcode(),
            Some(LLVMOpcode::LLVMPHI | LLVMOpcode::LLVMFence)
        )
    };
    block.instructions().into_iter().find(|it| !passive(it))
}

/// Whether threads may have read memory on the way from the last barrier, or the kernel's start, to a block's end. Where
/// several ways lead there, they may.
fn reads_since_barrier(block: Block) -> bool {
    let mut seen = vec![block];
    loop {
        let here = *seen.last().expect("it begins with one");
        for instruction in here.instructions().into_iter().rev() {
            if is_block_barrier(instruction) {
                return false;
            }
            if may_read(instruction) {
                return true;
            }
        }
        match here.predecessors()[..] {
            [] => return false,
            [before] if !seen.contains(&before) => seen.push(before),
            _ => return true,
        }
    }
}

fn may_read(instruction: Value) -> bool {
    match instruction.opcode() {
        Some(LLVMOpcode::LLVMLoad) => !is_the_runtimes(instruction.operand(0)),
        Some(LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg) => true,
        Some(LLVMOpcode::LLVMCall) => {
            let function = instruction.called_function();
            !function.is_some_and(Value::is_intrinsic)
        }
        _ => false,
    }
}

/// Whether an address lies in one of the runtime's variables.
fn is_the_runtimes(address: Value) -> bool {
    let mut base = address;
    while base.opcode() == Some(LLVMOpcode::LLVMGetElementPtr) {
        base = base.operand(0);
    }
    let name = base.name();
    RUNTIME_VARIABLES
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

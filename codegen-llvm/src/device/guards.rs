//! Puts a barrier before the guards of kernels that LLVM's openmp-opt has made SPMD (docs/codegen.md, "Guards").
//!
//! openmp-opt has every thread run the sequential code and guards what has effects: only thread 0 runs the guarded
//! code, and a barrier follows. Between the barrier *before* a guard and the guard itself, threads may read. A slow
//! thread may read too late: thread 0 is in the guard already and writes. If it reads a loop's counter, or the sum a
//! loop waits for (`while (change > limit) { change = 0; … }`), threads disagree on whether the loop goes on. Then they
//! wait for each other for ever, or compute wrong results. So all threads must have read before thread 0 writes.

use llvm_sys::LLVMAtomicOrdering::{LLVMAtomicOrderingAcquire, LLVMAtomicOrderingRelease};
use llvm_sys::LLVMOpcode;
use vgpu_abi::summary::ExecutionMode;

use crate::analysis::block_shape::{Dimension, read_by};
use crate::analysis::exec_mode;
use crate::analysis::intrinsics::{AMD_BARRIER, HARDWARE_THREAD_ID, is_block_barrier, is_call_of};
use crate::analysis::kernels;
use crate::ir::{Block, Builder, Module, Value};

/// What the names of the runtime's variables begin with. The runtime orders accesses to them itself.
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

/// An argument that is valid at any place. Barriers take constants; the runtime's barrier ignores its arguments.
fn same(argument: &Value) -> Value {
    match argument.is_constant() {
        true => *argument,
        false => Value::zero(argument.ty()),
    }
}

/// The branch that ends a block and lets only thread 0 into a guard, and the block where it goes.
pub fn guarded(block: Block) -> Option<(Value, Block)> {
    let (branch, barrier) = guard(block)?;
    let mut successors = branch.successors().into_iter();
    Some((branch, successors.find(|block| *block != barrier.block())?))
}

/// The branch that ends a block and lets only thread 0 into a guard, and the barrier where all others go.
fn guard(block: Block) -> Option<(Value, Value)> {
    let branch = block.terminator()?;
    if branch.opcode()? != LLVMOpcode::LLVMBr {
        return None;
    }
    let test = branch.condition()?;
    if test.opcode()? != LLVMOpcode::LLVMICmp
        || !is_thread_id(test.operand(0))
        || test.operand(1).as_int() != Some(0)
    {
        return None;
    }
    let others = usize::from(test.is_equality());
    let barrier = first_effect(*branch.successors().get(others)?)?;
    is_block_barrier(barrier).then_some((branch, barrier))
}

fn is_thread_id(value: Value) -> bool {
    read_by(value) == Some(Dimension::ThreadX) || is_call_of(value, &[HARDWARE_THREAD_ID])
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

/// Whether threads may have read memory between the last barrier, or the kernel's start, and a block's end. If several
/// paths lead there, they may.
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
        Some(LLVMOpcode::LLVMLoad) => !is_in_runtime_variable(instruction.operand(0)),
        Some(LLVMOpcode::LLVMAtomicRMW | LLVMOpcode::LLVMAtomicCmpXchg) => true,
        Some(LLVMOpcode::LLVMCall) => {
            let function = instruction.called_function();
            !function.is_some_and(Value::is_intrinsic)
        }
        _ => false,
    }
}

/// Whether an address lies in one of the runtime's variables.
fn is_in_runtime_variable(address: Value) -> bool {
    let mut base = address;
    while base.opcode() == Some(LLVMOpcode::LLVMGetElementPtr) {
        base = base.operand(0);
    }
    let name = base.name();
    RUNTIME_VARIABLES
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

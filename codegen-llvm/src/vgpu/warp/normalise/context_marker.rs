//! Needs: a copy of the module. Leaves: in it, the context as calls of one function that reads nothing, instead of
//! arithmetic on the stack pointer: in a warp form the context is an argument.

use llvm_sys::LLVMIntPredicate;
use llvm_sys::LLVMOpcode::{LLVMAnd, LLVMCall, LLVMGetElementPtr, LLVMIntToPtr, LLVMLoad, LLVMOr};

use crate::ir::{Builder, Module, Type, Value};
use crate::vgpu::lower::engine::STACK_POINTER;
use crate::vgpu::warp::analysis::callee::CONTEXT;
use crate::vgpu::warp::analysis::context_fields::{self, LaneAxis};
use crate::vgpu::warp::refusal::Refusal;

/// Replaces the contexts of all functions.
pub fn run(module: &Module) {
    let context = module.context;
    let marker = module.declare(CONTEXT, Type::function(Type::pointer(context), &[]));
    for name in ["nounwind", "willreturn"] {
        marker.add_attribute(context, name);
    }
    // Reads and writes nothing: equal calls are one.
    marker.reads_no_memory(context);
    let instructions = module
        .definitions()
        .into_iter()
        .flat_map(Value::instructions);
    let reads: Vec<_> = instructions.filter(|&it| reads_stack_pointer(it)).collect();
    for read in reads {
        for pointer in pointers(read) {
            let call = Builder::before(context, pointer).call_function(marker, &[]);
            pointer.replace_all_uses(call);
        }
    }
}

/// Tells the optimiser that the kernel's blocks have at most `bound` threads, all along `axis`: larger ones do not run in warp form. What
/// the device runtime does for teams smaller than the block goes away where teams are of that size.
pub fn assume_bound(module: &Module, kernel: Value, axis: LaneAxis, bound: u32) {
    let context = module.context;
    let Some(&first) = kernel.instructions().first() else {
        return;
    };
    let builder = Builder::before(context, first);
    let marker = module.declare(CONTEXT, Type::function(Type::pointer(context), &[]));
    let cx = builder.call_function(marker, &[]);
    let int = |bits, value| Value::int(Type::int(context, bits), value);
    let field = builder.byte_offset(cx, int(64, axis.threads() as u64));
    let threads = builder.load(Type::int(context, 32), field);
    let holds = builder.compare(LLVMIntPredicate::LLVMIntULE, threads, int(32, bound.into()));
    builder.call_function(module.intrinsic("llvm.assume", &[]), &[holds]);
}

/// Refuses a kernel that does anything with the context but to read it or to hand it to the engine: whether an
/// address is on a thread's own stack is asked by comparing it with the context, which here lies elsewhere.
pub fn check(kernel: Value) -> Result<(), Refusal> {
    let context = kernel.instructions();
    for marker in context
        .into_iter()
        .filter(|&it| context_fields::is_context(it))
    {
        for user in marker.users() {
            let reads = |it: Value| it.opcode() == Some(LLVMLoad);
            let good = match user.opcode() {
                Some(LLVMGetElementPtr) => user.users().into_iter().all(reads),
                Some(LLVMCall) => user.operand(0) == marker,
                _ => reads(user),
            };
            if !good {
                return Err(Refusal::new(
                    "it is asked whether an address is a thread's own",
                ));
            }
        }
    }
    Ok(())
}

fn reads_stack_pointer(instruction: Value) -> bool {
    instruction.is_call()
        && instruction.called().is_inline_assembly()
        && instruction.called().assembly_text() == STACK_POINTER
}

/// What `vgpu.context` makes of the stack pointer: `inttoptr (or (and sp, …), …)`.
fn pointers(read: Value) -> Vec<Value> {
    let users = |values: Vec<Value>, opcode| -> Vec<Value> {
        let all = values.into_iter().flat_map(Value::users);
        all.filter(|user| user.opcode() == Some(opcode)).collect()
    };
    users(users(users(vec![read], LLVMAnd), LLVMOr), LLVMIntToPtr)
}

//! Replaces the arithmetic on the stack pointer that finds the context by calls of one function without effects, the
//! marker.
//!
//! Needs: a copy of the module. In a warp form the context is an argument.

use llvm_sys::LLVMIntPredicate;
use llvm_sys::LLVMOpcode::{LLVMAnd, LLVMIntToPtr, LLVMOr};

use crate::ir::{Builder, Module, Type, Value};
use crate::vgpu::host;
use crate::vgpu::warp::analysis::callee::CONTEXT;
use crate::vgpu::warp::analysis::context_fields::LaneAxis;

/// A call of the marker: the thread's context, as a value at the builder's place.
pub fn call(module: &Module, builder: &Builder) -> Value {
    builder.call_function(declare(module), &[])
}

/// The thread id along `axis`, 32 bits, loaded at the builder's place.
pub fn thread_id(module: &Module, builder: &Builder, axis: LaneAxis) -> Value {
    load_field(module, builder, axis.thread_id())
}

/// A 32-bit field of the context, by its offset.
fn load_field(module: &Module, builder: &Builder, field: usize) -> Value {
    let context = module.context;
    let offset = Value::int(Type::int(context, 64), field as u64);
    let field = builder.byte_offset(call(module, builder), offset);
    builder.load(Type::int(context, 32), field)
}

fn declare(module: &Module) -> Value {
    let pointer = Type::pointer(module.context);
    module.declare(CONTEXT, Type::function(pointer, &[]))
}

/// Replaces the contexts of all functions.
pub fn run(module: &Module) {
    let context = module.context;
    let marker = declare(module);
    for name in ["nounwind", "willreturn"] {
        marker.add_attribute(context, name);
    }
    // Reads and writes no memory: equal calls are one.
    marker.set_no_memory(context);
    let instructions = module
        .definitions()
        .into_iter()
        .flat_map(Value::instructions);
    let reads: Vec<_> = instructions.filter(|&it| reads_stack_pointer(it)).collect();
    for read in reads {
        for pointer in pointers(read).0 {
            let call = Builder::before(context, pointer).call_function(marker, &[]);
            pointer.replace_all_uses(call);
        }
    }
}

/// Tells the optimiser that the kernel's blocks have at most `bound` threads, all along `axis`: larger blocks do not
/// run in warp form. The device runtime's code for teams smaller than the block goes away where teams have that size.
pub fn assume_bound(module: &Module, kernel: Value, axis: LaneAxis, bound: u32) {
    let context = module.context;
    let Some(&first) = kernel.instructions().first() else {
        return;
    };
    let builder = Builder::before(context, first);
    let threads = load_field(module, &builder, axis.threads());
    let id = thread_id(module, &builder, axis);
    let most = Value::int(threads.ty(), bound.into());
    let fits = builder.compare(LLVMIntPredicate::LLVMIntULE, threads, most);
    let is_below = builder.compare(LLVMIntPredicate::LLVMIntULT, id, most);
    for holds in [fits, is_below] {
        builder.call_function(module.intrinsic("llvm.assume", &[]), &[holds]);
    }
}

/// The pointers in a function that are its context; `None` if it uses its stack pointer otherwise, too.
pub fn contexts(function: Value) -> Option<Vec<Value>> {
    let instructions = function.instructions().into_iter();
    let reads = instructions.filter(|it| reads_stack_pointer(*it));
    let (found, only): (Vec<_>, Vec<_>) = reads.map(pointers).unzip();
    (!only.contains(&false)).then(|| found.concat())
}

fn reads_stack_pointer(instruction: Value) -> bool {
    instruction.is_call() && host::reads_stack_pointer(instruction.called())
}

/// The pointers that `vgpu.context` computes from the stack pointer: `inttoptr (or (and sp, …), …)`. And whether it
/// serves nothing else.
fn pointers(read: Value) -> (Vec<Value>, bool) {
    let (mut values, mut only) = (vec![read], true);
    for opcode in [LLVMAnd, LLVMOr, LLVMIntToPtr] {
        let users = values.into_iter().flat_map(Value::users);
        let (steps, others): (_, Vec<_>) = users.partition(|user| user.opcode() == Some(opcode));
        values = steps;
        only &= others.is_empty();
    }
    (values, only)
}

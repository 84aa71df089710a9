//! Replaces calls through pointers by calls of dispatchers.
//!
//! Needs: a kernel with all that it calls inlined, but for calls through pointers.
//!
//! An image is whole: a pointer can only lead to functions whose address is taken and that accept the call's
//! arguments. A dispatcher compares the pointer with each of them and calls the right one directly, so that all of
//! them can be inlined. A pointer that differs among the lanes becomes an ordinary divergent branch. openmp-opt's
//! state machine does the same for parallel regions (`llvm/lib/Transforms/IPO/OpenMPOpt.cpp`); its fallback for
//! regions that it does not know is such a call through a pointer.

use std::collections::HashSet;

use llvm_sys::{LLVMIntPredicate, LLVMLinkage, LLVMOpcode};

use super::context_marker;
use crate::analysis::indirect_calls;
use crate::analysis::source_locations::SourceLocations;
use crate::analysis::target::SHARED;
use crate::ir::{Builder, Module, Type, Value};

/// Most functions that a pointer may lead to: each is inlined wherever it may be called.
const MAX_CALLEES: usize = 64;

/// The functions that pointers may lead to. They are found before anything is inlined, because the master stores the
/// addresses of regions, and the master's code goes away.
pub struct Targets {
    pointed_at: Vec<Value>,
    /// For each kernel, the functions that its pointers may lead to.
    of_kernels: Vec<HashSet<Value>>,
}

impl Targets {
    /// Finds them for all kernels. The functions stay in the module until [`Targets::release`], even without users.
    pub fn find(module: &Module, kernels: &[Value]) -> Targets {
        let mut pointed_at = module.definitions();
        pointed_at.retain(|it| !kernels.contains(it) && indirect_calls::has_address_taken(*it));
        let everywhere = || pointed_at.iter().copied().filter(|&it| leaves_block(it));
        let of_kernels = kernels.iter().map(|&kernel| {
            let mut reached = referred_to(everywhere().chain([kernel]));
            reached.retain(|function| pointed_at.contains(function));
            reached
        });
        let of_kernels = of_kernels.collect();
        for function in &pointed_at {
            function.set_linkage(LLVMLinkage::LLVMExternalLinkage);
            function.hide();
        }
        Targets {
            pointed_at,
            of_kernels,
        }
    }

    /// Lets functions without users go.
    pub fn release(&self) {
        for function in &self.pointed_at {
            function.set_linkage(LLVMLinkage::LLVMInternalLinkage);
            function.show();
        }
    }
}

/// Whether a function's address may come to another kernel. It may unless the address is only called, compared, or
/// stored in shared memory, where regions of `parallel` are handed to the workers.
fn leaves_block(function: Value) -> bool {
    let stays = |user: Value| {
        user.is_instruction()
            && match user.opcode() {
                Some(LLVMOpcode::LLVMStore) => {
                    user.operand(0) == function && user.operand(1).ty().address_space() == SHARED
                }
                Some(LLVMOpcode::LLVMCall) => {
                    user.called() == function && !user.arguments().contains(&function)
                }
                Some(LLVMOpcode::LLVMICmp) => true,
                _ => false,
            }
    };
    !function.users().into_iter().all(stays)
}

/// Some functions, and all that they refer to, directly or through others.
fn referred_to(functions: impl Iterator<Item = Value>) -> HashSet<Value> {
    let mut pending: Vec<_> = functions.collect();
    let mut found = HashSet::new();
    while let Some(function) = pending.pop() {
        if found.insert(function) {
            let operands = function.instructions().into_iter();
            let operands = operands.flat_map(Value::operands);
            pending.extend(operands.filter(|it| it.is_function()));
        }
    }
    found
}

/// Replaces the calls through pointers in a kernel, given with its index.
pub fn run(
    module: &Module,
    locations: &mut SourceLocations,
    (index, function): (usize, Value),
    targets: &Targets,
) {
    let calls = function
        .instructions()
        .into_iter()
        .filter(|it| it.is_call());
    let calls: Vec<_> = calls
        .filter(|call| {
            let called = call.called();
            !called.is_function() && !called.is_inline_assembly()
        })
        .collect();
    if calls.is_empty() {
        return;
    }
    let of_kernel = &targets.of_kernels[index];
    for call in calls {
        let may_be = |function: &Value| of_kernel.contains(function) && accepts(*function, call);
        let callees = targets.pointed_at.iter().copied().filter(may_be);
        let callees: Vec<_> = callees.collect();
        if callees.len() <= MAX_CALLEES {
            dispatch(module, locations, call, &callees);
        }
    }
}

/// Whether a call may be a call of `function`.
fn accepts(function: Value, call: Value) -> bool {
    let (taken, given) = (function.value_type(), call.called_type());
    let result = given.result();
    !taken.is_variadic()
        && (result == taken.result() || result.is_void())
        && indirect_calls::may_be_given(function, &given.parameters())
}

/// Puts a call of a dispatcher in place of a call through a pointer.
fn dispatch(module: &Module, locations: &mut SourceLocations, call: Value, callees: &[Value]) {
    let context = module.context;
    let mut types = vec![call.called().ty()];
    types.extend(call.called_type().parameters());
    let ty = Type::function(call.called_type().result(), &types);
    let dispatcher = module.declare(&format!("warp.dispatch.{}", locations.for_call(call)), ty);
    dispatcher.set_linkage(llvm_sys::LLVMLinkage::LLVMInternalLinkage);
    for attribute in ["alwaysinline", "nounwind"] {
        dispatcher.add_attribute(context, attribute);
    }
    let parameters = dispatcher.parameters();
    let (pointer, arguments) = (parameters[0], &parameters[1..]);
    let builder = Builder::at_end(context, Builder::append_block(context, dispatcher, ""));
    for &callee in callees {
        let (found, next) = (
            Builder::append_block(context, dispatcher, ""),
            Builder::append_block(context, dispatcher, ""),
        );
        let expected = builder.to_space(callee, pointer.ty());
        let is_this = builder.compare(LLVMIntPredicate::LLVMIntEQ, pointer, expected);
        builder.branch(is_this, found, next);
        builder.move_to_end(found);
        let result = call_as(&builder, callee, arguments);
        match ty.result().is_void() {
            true => builder.return_void(),
            false => builder.return_value(result),
        };
        builder.move_to_end(next);
    }
    // The pointer leads to no function of the image. On fibers, the CPU would find that out.
    let int = |bits, value| Value::int(Type::int(context, bits), value);
    let cx = context_marker::call(module, &builder);
    let site = int(32, u64::from(locations.for_message(call)));
    let address = builder.cast(LLVMOpcode::LLVMPtrToInt, pointer, Type::int(context, 64));
    if let Some(fault) = module.function("vgpu_wild_access") {
        builder.call_function(fault, &[cx, site, address, int(32, 0)]);
    }
    builder.unreachable();

    let mut values = vec![call.called()];
    values.extend(call.arguments());
    let builder = Builder::before(context, call);
    builder.locate_as(call);
    let made = builder.call_function(dispatcher, &values);
    // SAFETY: the caller is done with the call.
    unsafe { call.replace_with(made) };
}

/// Calls a function with as many of the arguments as it has parameters, each converted to the parameter's type.
fn call_as(builder: &Builder, callee: Value, arguments: &[Value]) -> Value {
    let taken = callee.value_type().parameters();
    let given: Vec<_> = taken
        .into_iter()
        .zip(arguments)
        .map(
            |(taken, &given)| match (taken.is_pointer(), given.ty().is_pointer()) {
                (true, false) => builder.cast(LLVMOpcode::LLVMIntToPtr, given, taken),
                (false, true) => builder.cast(LLVMOpcode::LLVMPtrToInt, given, taken),
                (true, true) => builder.to_space(given, taken),
                (false, false) => given,
            },
        )
        .collect();
    let call = builder.call_function(callee, &given);
    call.set_call_convention(callee.calling_convention());
    call
}

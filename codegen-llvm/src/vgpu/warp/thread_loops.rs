//! Gives kernels whose threads never wait a loop over the threads of a block, for blocks that run thread by thread.
//!
//! Called for each thread, a kernel of few instructions spends much of its time before them: it saves registers, finds
//! its context, reads its arguments from memory, and computes what all threads have in common, such as the division in
//! a worksharing loop. In a loop all of that is done once for several blocks. It is the loop of
//! [`super::subgroup_loops`], for subgroups of one thread.
//!
//! ```text
//! vgpu.threads.kernel(context, words, call)    loads the arguments → kernel(…, context, call): the loop
//! vgpu.entry.kernel(context, words)            a call for one thread → vgpu.threads.kernel
//! ```
//!
//! Needs: scalar forms, optimised. Leaves: `Kernel::threads`.

use std::mem::offset_of;

use anyhow::Result;
use llvm_sys::LLVMOpcode::{
    LLVMAdd, LLVMAlloca, LLVMGetElementPtr, LLVMLoad, LLVMMul, LLVMPtrToInt,
};
use vgpu_abi::artifact::WarpForm;
use vgpu_abi::{SubgroupCall, ThreadContext};

use super::normalise::context_marker;
use super::regions::PROMPT;
use super::subgroup_loops::{CLEAN, Given, Loop, constant_place, has_fixed_locals};
use crate::analysis::reach;
use crate::ir::{Builder, Module, Type, Value};
use crate::vgpu::entries;
use crate::vgpu::unit::{Forms, Unit};

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    if unit.options.level < 2 || unit.options.forms == Forms::Threads {
        return Ok(());
    }
    let (module, machine) = (&unit.module, &unit.machine);
    for kernel in &mut unit.kernels {
        let entry = module.function(&entries::symbol(&kernel.name));
        let seldom_runs = matches!(kernel.warp, WarpForm::Present { fiber: true, .. });
        let Some(scalar) = entry.filter(|_| !seldom_runs).and_then(Scalar::of) else {
            continue;
        };
        let symbol = format!("vgpu.threads.{}", kernel.name);
        let function = scalar.build(module, &symbol, unit.manifest.warp_size);
        machine.run_function_passes(module, function, CLEAN)?;
        kernel.threads = Some(symbol);
    }
    Ok(())
}

/// The scalar form of a kernel that may have the loop.
struct Scalar {
    entry: Value,
    /// The entry's call of the kernel.
    call: Value,
    kernel: Value,
    /// Where the kernel has its context from.
    contexts: Vec<Value>,
}

impl Scalar {
    /// That of an entry, unless its threads may wait, or keep more than their registers.
    fn of(entry: Value) -> Option<Scalar> {
        let instructions = entry.instructions();
        let is_simple = |it: &Value| it.opcode() != Some(LLVMAlloca);
        let mut calls = instructions.iter().copied().filter(|it| it.is_call());
        let (call, None) = (calls.next()?, calls.next()) else {
            return None;
        };
        let kernel = call.called_function()?;
        let contexts = context_marker::contexts(kernel)?;
        let fits = instructions.iter().all(is_simple)
            && contexts.iter().all(|it| only_gives_fields(*it))
            && kernel.users() == [call]
            && has_fixed_locals(kernel)
            // Debuggers show each thread's own variables.
            && !kernel.has_function_attribute("optnone")
            && never_waits(entry);
        fits.then_some(Scalar {
            entry,
            call,
            kernel,
            contexts,
        })
    }

    /// Builds the loop, and the function called `symbol` that begins it. Gives the kernel with the loop.
    fn build(&self, module: &Module, symbol: &str, warp_size: u32) -> Value {
        let kernel = self.with_call(module);
        let begins = self.begin(module, symbol, kernel);
        // SAFETY: its code is in the new function, and its only user is gone.
        unsafe { self.kernel.delete_function() };
        call_for_one_thread(module, self.entry, begins);
        let [.., context, lanes] = kernel.parameters()[..] else {
            unreachable!("it was declared with two more");
        };
        let given = Given {
            context,
            words: None,
            lanes,
        };
        Loop::new(module.context, kernel, given, 1, warp_size).build();
        kernel
    }

    /// The function that loads the arguments, as the entry did, and calls the kernel with the loop.
    fn begin(&self, module: &Module, symbol: &str, kernel: Value) -> Value {
        let context = module.context;
        let (pointer, word) = (Type::pointer(context), Type::int(context, 64));
        let ty = Type::function(Type::void(context), &[pointer, pointer, word]);
        let begins = module.declare(symbol, ty);
        begins.take_body(context, self.entry);
        begins.hide();
        let [own, words, lanes] = begins.parameters()[..] else {
            unreachable!("it was declared with three parameters");
        };
        for (old, new) in self.entry.parameters().into_iter().zip([own, words]) {
            old.replace_all_uses(new);
        }
        let mut arguments = self.call.arguments();
        arguments.extend([own, lanes]);
        let new = Builder::before(context, self.call).call_function(kernel, &arguments);
        new.set_call_convention(kernel.calling_convention());
        // SAFETY: it gives no value.
        unsafe { self.call.erase() };
        // They write to the context.
        for function in [begins, self.entry] {
            function.remove_attribute("memory");
        }
        begins
    }

    /// The kernel as a function that has its context and the call from the caller.
    fn with_call(&self, module: &Module) -> Value {
        let (context, old) = (module.context, self.kernel);
        let pointer = Type::pointer(context);
        let name = old.name();
        let mut types: Vec<_> = old.parameters().into_iter().map(Value::ty).collect();
        types.extend([pointer, Type::int(context, 64)]);
        old.set_name(&format!("{name}.of_one_thread"));
        let new = module.declare(&name, Type::function(Type::void(context), &types));
        new.take_body(context, old);
        // It reads the call, and writes to the context.
        new.remove_attribute("memory");
        let own = new.parameters();
        for (at, parameter) in old.parameters().into_iter().enumerate() {
            own[at].set_name(&parameter.name());
            let index = at as u32 + 1;
            new.copy_attributes(index, old, index);
            parameter.replace_all_uses(own[at]);
        }
        for found in &self.contexts {
            found.replace_all_uses(own[types.len() - 2]);
        }
        new
    }
}

/// Whether nothing is done with a context but to read fields at known places, and to pass it on.
fn only_gives_fields(context: Value) -> bool {
    let is_read = |it: &Value| it.opcode() == Some(LLVMLoad) || it.is_call();
    context.users().iter().all(|user| {
        let is_place = user.opcode() == Some(LLVMGetElementPtr) && constant_place(*user).is_some();
        is_read(user) || is_place && user.users().iter().all(is_read)
    })
}

/// Whether what a function can reach never waits, as far as is known.
pub fn never_waits(function: Value) -> bool {
    let waits = |it: &Value| {
        let name = it.name();
        // A thread that exits leaves the loop.
        name.starts_with("vgpu_") && !PROMPT.contains(&name.as_str())
    };
    let calls_a_pointer = |it: Value| {
        let called = it.is_call().then(|| it.called());
        called.is_some_and(|called| !called.is_function() && !called.is_inline_assembly())
    };
    let reached = reach::mentioned(vec![function]);
    let functions = reached.iter().filter(|it| it.is_function());
    functions.clone().all(|it| !waits(it))
        && !functions
            .copied()
            .flat_map(Value::instructions)
            .any(calls_a_pointer)
}

/// Gives an entry, whose code is gone, new code: it calls `begins` for its thread alone.
fn call_for_one_thread(module: &Module, entry: Value, begins: Value) {
    let context = module.context;
    let [byte, half, narrow, word] = [8, 16, 32, 64].map(|bits| Type::int(context, bits));
    let [own, words] = entry.parameters()[..] else {
        unreachable!("an entry has two parameters");
    };
    entry.set_linkage(begins.linkage());
    let builder = Builder::at_end(context, Builder::append_block(context, entry, "entry"));
    let call = builder.stack_slot(byte.array(size_of::<SubgroupCall>() as u64), 8);
    // Nobody reads them.
    let place = builder.stack_slot(half, 2);
    let stop = builder.stack_slot(byte, 1);
    builder.store(Value::int(byte, 0), stop);
    let at = |base, offset: usize| builder.byte_offset(base, Value::int(word, offset as u64));
    let read = |offset| builder.load(narrow, at(own, offset));
    let set = |value, offset| {
        builder.store(value, at(call, offset));
    };
    let (tid, ntid) = (
        offset_of!(ThreadContext, tid),
        offset_of!(ThreadContext, ntid),
    );
    let [x, y, z] = [0, 4, 8].map(|axis| read(tid + axis));
    let rows = builder.binary(LLVMMul, z, read(ntid + 4));
    let row = builder.binary(LLVMAdd, y, rows);
    let rows = builder.binary(LLVMMul, row, read(ntid));
    let first = builder.binary(LLVMAdd, x, rows);
    let one = Value::int(narrow, 1);
    set(place, offset_of!(SubgroupCall, current));
    set(place, offset_of!(SubgroupCall, thread));
    set(stop, offset_of!(SubgroupCall, stop));
    set(first, offset_of!(SubgroupCall, first));
    for (axis, value) in [x, y, z].into_iter().enumerate() {
        set(value, offset_of!(SubgroupCall, tid) + 4 * axis);
    }
    set(
        builder.binary(LLVMAdd, first, one),
        offset_of!(SubgroupCall, end),
    );
    set(
        read(offset_of!(ThreadContext, ctaid)),
        offset_of!(SubgroupCall, block),
    );
    set(one, offset_of!(SubgroupCall, blocks));
    let address = builder.cast(LLVMPtrToInt, call, word);
    builder.call_function(begins, &[own, words, address]);
    builder.return_void();
}

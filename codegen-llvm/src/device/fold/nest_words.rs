//! Follows the nest words of threads through loops.
//!
//! Every change of a thread's nest word is also written to one variable, for the optimiser to follow
//! (docs/device-runtime.md, "What the optimiser knows"). LLVM does not always: it takes barriers for changes of the
//! variable as soon as some accesses have `noalias` scopes, and it asks of a loop what holds before it does. So the
//! regions inside a sequential loop, as openmp-opt leaves them in kernels that it makes SPMD, find their word unknown.
//!
//! But the word is the thread's own, and only functions that access the variable change it. So a function may keep it
//! in a local variable, and know nothing of it only where it begins and behind calls of such functions. Then constant
//! propagation assumes that a loop leaves the word as it was, and finds it confirmed.

use std::collections::HashSet;

use anyhow::Result;
use indexmap::IndexSet;

use crate::analysis::kernels;
use crate::ir::{Builder, Machine, Module, Type, Value};

/// The variable (`devicertl/shared.ll`).
const SEEN: &str = "omptarget.nest_seen";
/// Bytes of a word.
const BYTES: u32 = 2;

/// Makes registers of the local variables, and folds what becomes known.
const PROPAGATE: &str =
    "function(mem2reg,sccp,instcombine<no-verify-fixpoint>,simplifycfg,gvn,simplifycfg)";

/// Follows them in every function.
pub fn run(machine: &Machine, module: &Module) -> Result<()> {
    let Some(seen) = module.global(SEEN) else {
        return Ok(());
    };
    let accesses = seen.users();
    let address = |access: Value| Some(access.operand(access.accessed_operand()?));
    if !seen.is_local() || !accesses.iter().all(|it| address(*it) == Some(seen)) {
        return Ok(());
    }
    // From now on nobody stores to it. Without this, LLVM would take its initial value for what every load gives.
    seen.set_externally_initialised();
    let own: IndexSet<Value> = accesses.iter().map(|it| it.block().function()).collect();
    let accessing = with_callers(module, own.iter().copied().collect());
    let kernels = kernels::find(module);
    for function in own {
        let is_kernel = kernels.iter().any(|kernel| kernel.function == function);
        keep_locally(module, function, is_kernel, seen, &accessing);
    }
    machine.run_passes(module, PROPAGATE)
}

/// The functions, and those that call one, through a pointer or by name.
fn with_callers(module: &Module, mut found: HashSet<Value>) -> HashSet<Value> {
    let mut others = module.definitions();
    loop {
        let (more, rest): (Vec<_>, Vec<_>) = others.into_iter().partition(|function| {
            let mut instructions = function.instructions().into_iter();
            !found.contains(function) && instructions.any(|it| may_call(it, &found))
        });
        if more.is_empty() {
            return found;
        }
        found.extend(more);
        others = rest;
    }
}

/// Whether an instruction calls one of the functions, or may. What the image only declares is the driver's, and calls
/// nothing of the image.
fn may_call(instruction: Value, functions: &HashSet<Value>) -> bool {
    if !instruction.is_call() || instruction.called().is_inline_assembly() {
        return false;
    }
    let called = instruction.called_function();
    called.is_none_or(|function| functions.contains(&function))
}

/// Moves the variable of a function to the stack. What the variable itself holds stands for a word that nobody knows. A
/// kernel begins without a word: `__kmpc_target_init` is the first to write it. `accessing`: the functions that access
/// the variable, or whose callees do.
fn keep_locally(
    module: &Module,
    function: Value,
    is_kernel: bool,
    seen: Value,
    accessing: &HashSet<Value>,
) {
    let context = module.context;
    let word = Type::int(context, 16);
    let instructions = function.instructions();
    let begin = Builder::before(context, instructions[0]);
    let slot = begin.stack_slot(word, BYTES);
    let forget = |here: &Builder| {
        here.store(here.load(word, seen), slot);
    };
    if !is_kernel {
        forget(&begin);
    }
    for instruction in instructions {
        if let Some(address) = instruction.accessed_operand() {
            if instruction.operand(address) == seen {
                instruction.set_operand(address, slot);
            }
        } else if may_call(instruction, accessing)
            && let Some(next) = instruction.next()
        {
            forget(&Builder::before(context, next));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The module after the pass. The kernel enters a region in each iteration of a loop, with `inside` there.
    fn after_the_pass(inside: &str) -> String {
        let text = format!(
            "target triple = \"nvptx64-nvidia-cuda\"
@omptarget.nest_seen = internal addrspace(3) global i16 poison
declare void @llvm.nvvm.barrier.cta.sync.all(i32)
declare i1 @llvm.is.constant.i16(i16)
declare void @known(i1)
declare void @elsewhere()
define internal void @deeper() noinline {{
  store i16 7, ptr addrspace(3) @omptarget.nest_seen
  ret void
}}
define ptx_kernel void @k(i32 %n, ptr %p) {{
  store i16 0, ptr addrspace(3) @omptarget.nest_seen
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %loop ]
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  %outer = load i16, ptr addrspace(3) @omptarget.nest_seen
  %inner = add i16 %outer, 1
  store i16 %inner, ptr addrspace(3) @omptarget.nest_seen
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  {inside}
  %seen = load i16, ptr addrspace(3) @omptarget.nest_seen
  %is = call i1 @llvm.is.constant.i16(i16 %seen)
  call void @known(i1 %is)
  store i16 %outer, ptr addrspace(3) @omptarget.nest_seen
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}}"
        );
        let machine = Machine::nvidia();
        Module::after(&text, |module| run(&machine, module).unwrap())
    }

    #[test]
    fn a_word_is_known_through_a_loop_and_its_barriers() {
        for inside in [
            "",
            "call void @elsewhere()",
            "store i16 3, ptr addrspace(1) null",
        ] {
            let text = after_the_pass(inside);
            assert!(text.contains("call void @known(i1 true)"), "{text}");
        }
    }

    #[test]
    fn who_calls_what_changes_it_does_not_know_it() {
        for inside in ["call void @deeper()", "call void %p()"] {
            let text = after_the_pass(inside);
            assert!(!text.contains("call void @known(i1 true)"), "{text}");
            assert!(text.contains("externally_initialized"), "{text}");
        }
    }
}

//! CUDA's `__managed__` variables, which host and kernels use alike.
//!
//! Needs: a translation unit as clang made it. clang has such variables for HIP alone; for CUDA, `__managed__` of our
//! headers makes them variables of the device in a section of this name. The host has a shadow of each, which stands
//! for it in calls of the runtime library.
//!
//! The variable is the device's own, and the host reaches it there. So the host's code asks the runtime library where a
//! shadow's variable is (`cudart/src/entry/registration.rs`). On an NVIDIA GPU the driver makes it managed memory.

use std::collections::{HashMap, HashSet};

use anyhow::{Result, bail};
use llvm_sys::LLVMLinkage;

use crate::analysis::target::is_nvidias;
use crate::ir::{Builder, Context, Module, Substitution, Type, Value};

/// The section.
const SECTION: &str = "omptarget_managed";

/// The runtime library's function: `ptr(ptr shadow, ptr known)`. It keeps in `known` what it has found.
const ADDRESS: &str = "__omptargetManagedVariable";

/// The section of clang's table of what the host registers.
const ENTRIES: &str = "llvm_offload_entries";

/// Takes the variables out of the section.
fn take(module: &Module) -> Vec<Value> {
    let globals = module.globals().into_iter();
    let managed: Vec<_> = globals
        .filter(|global| global.section() == SECTION)
        .collect();
    managed.iter().for_each(|variable| variable.set_section(""));
    managed
}

/// In code for a device: has the driver of an NVIDIA GPU make the variables managed.
pub fn declare(context: Context, module: &Module) {
    for variable in take(module) {
        if is_nvidias(module) && !variable.is_declaration() {
            let one = Value::int(Type::int(context, 32), 1);
            module.annotate_for_nvptx(variable, "managed", one);
        }
    }
}

/// In code for the host: has it use the variables where they are.
pub fn reach(context: Context, module: &Module) -> Result<()> {
    let shadows: HashSet<Value> = take(module).into_iter().collect();
    if shadows.is_empty() {
        return Ok(());
    }
    for &shadow in &shadows {
        refuse_initializers(module, shadow)?;
    }
    let pointer = Type::pointer(context);
    let function = module.declare(ADDRESS, Type::function(pointer, &[pointer, pointer]));
    // The answer is always the same, so that one call before a loop will do.
    function.set_no_memory(context);
    for attribute in ["nounwind", "willreturn"] {
        function.add_attribute(context, attribute);
    }
    let known = shadows
        .iter()
        .map(|&shadow| (shadow, cache(module, pointer)));
    let known: HashMap<Value, Value> = known.collect();
    let address = |builder: &Builder, shadow: Value| {
        Ok(builder.call_function(function, &[shadow, known[&shadow]]))
    };
    let mut substitution = Substitution::new(context, shadows.clone(), &address);
    for definition in module.definitions() {
        substitution.run(definition)?;
    }
    Ok(())
}

/// A variable of this unit for the address that the runtime library finds.
fn cache(module: &Module, pointer: Type) -> Value {
    let cache = module.add_global_in(pointer, 0);
    cache.set_initializer(Value::zero(pointer));
    cache.set_linkage(LLVMLinkage::LLVMInternalLinkage);
    cache
}

/// The address is known when the program runs, too late for initial values. clang's notes of the variable may have it.
fn refuse_initializers(module: &Module, shadow: Value) -> Result<()> {
    for other in module.globals() {
        let is_note = other.is_bookkeeping()
            || other.section() == ENTRIES
            || other.name().starts_with("__clang_gpu_used_external");
        if !is_note
            && other
                .initializer()
                .is_some_and(|value| value.mentions(shadow))
        {
            bail!(
                "the initial value of `{}` has the address of the managed variable `{}`, which is known when the \
                 program runs; set it in `main`",
                other.name(),
                shadow.name()
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: &str = "target triple = \"x86_64-pc-linux-gnu\"\n\
        @x = global [4 x i32] undef, section \"omptarget_managed\"\n\
        @entry = weak constant { ptr } { ptr @x }, section \"llvm_offload_entries\"\n\
        define i32 @f(i1 %c) {\n  br i1 %c, label %a, label %b\na:\n  br label %b\nb:\n\
        %p = phi ptr [ @x, %a ], [ getelementptr (i32, ptr @x, i64 2), %0 ]\n\
        %v = load i32, ptr %p\n  ret i32 %v\n}\n";

    fn module(text: &str) -> Module {
        Module::parse(Context::new(), text, "test").unwrap()
    }

    #[test]
    fn the_host_asks_for_the_address() {
        let module = module(HOST);
        reach(module.context, &module).unwrap();
        module.verify("after the pass").unwrap();
        let text = module.print();
        let calls = text.matches("call ptr @__omptargetManagedVariable(ptr @x, ptr @");
        assert_eq!(calls.count(), 2, "{text}");
        assert!(text.contains("{ ptr @x }, section"), "{text}");
        assert!(!text.contains(SECTION), "{text}");
    }

    #[test]
    fn an_initial_value_with_the_address_is_refused() {
        let module = module(&format!("{HOST}@p = global ptr @x\n"));
        let refusal = reach(module.context, &module).unwrap_err().to_string();
        assert!(refusal.contains("the initial value of `p`"), "{refusal}");
    }

    #[test]
    fn the_device_declares_it() {
        let module = module(
            "target triple = \"nvptx64-nvidia-cuda\"\n\
             @x = addrspace(1) externally_initialized global i32 5, section \"omptarget_managed\"\n\
             @y = external addrspace(1) global i32, section \"omptarget_managed\"\n",
        );
        declare(module.context, &module);
        let text = module.print();
        let annotations = text.matches("!\"managed\", i32 1}");
        assert_eq!(annotations.count(), 1, "{text}");
        assert!(!text.contains(SECTION), "{text}");
    }
}

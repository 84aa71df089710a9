//! Has calls through pointers find the device's function when the pointer is the host's.
//!
//! A function that is `declare target indirect` may be called in a region through a pointer that the host made (OpenMP
//! 5.2, §7.8.3), and a virtual function of an object that the host made (§7.8). clang 22 enters such functions and the
//! tables of virtual functions in the table of entries, but leaves the calls as they are: they go to host addresses.
//!
//! The pass has three parts, as clang optimises in between. [`mark`] comes first: it finds calls through pointers, and
//! which of them are calls of virtual functions. [`translate`] comes last: where a marked call is still one through a
//! pointer, the pointer, or the object's pointer to its table of virtual functions, goes through
//! `__llvm_omp_indirect_call_lookup` of the runtime. [`drop_idle`] runs in the device link: in a program without such
//! entries the lookups go.

use llvm_sys::LLVMOpcode;

use crate::analysis::source_locations::describe;
use crate::ir::{Builder, Context, Module, Type, Value};

/// The runtime's function: `ptr(ptr)`.
const LOOKUP: &str = "__llvm_omp_indirect_call_lookup";
/// The attribute of marked calls, `function` or `virtual`, and of the lookups that the pass puts in, `lookup`. Programs
/// may call the runtime's function, too.
const MARK: &str = "omptarget-callee";
/// clang's table of entries of the device, and in its nodes: the kind of a variable's entry, and the flags of functions
/// (8) and tables of virtual functions (32) that the host may point at (`OMPTargetGlobalVarEntryKind`).
const ENTRIES: &str = "omp_offload.info";
const VARIABLE: u64 = 1;
const OF_HOST: u64 = 8 | 32;

/// Marks the calls through pointers of a translation unit, before anything is optimised.
pub fn mark(context: Context, module: &Module) {
    if module.flag("openmp-device").is_none() {
        return;
    }
    for function in module.definitions() {
        if function.name().starts_with("__kmpc_") {
            continue;
        }
        for call in indirect_calls(function) {
            let kind = match table_of(call) {
                Some(_) => "virtual",
                None => "function",
            };
            call.set_call_text_attribute(context, MARK, kind);
        }
    }
}

/// Puts lookups in front of the marked calls that are left.
pub fn translate(context: Context, module: &Module) {
    for function in module.definitions() {
        for call in indirect_calls(function) {
            match call.call_text_attribute(MARK).as_deref() {
                Some("virtual") => translate_table(context, module, call.called(), &mut Vec::new()),
                Some(_) => {
                    let target = look_up(context, module, call.called(), call);
                    // The callee is a call's last operand.
                    call.set_operand(call.operand_count() - 1, target);
                }
                None => {}
            }
        }
    }
}

/// Removes the lookups from a linked program that has no function or table which the host may point at, and those of
/// the program's own functions and tables.
pub fn drop_idle(module: &Module) {
    let Some(lookup) = module.function(LOOKUP) else {
        return;
    };
    let needed = has_entries(module);
    for call in lookup.users() {
        if !call.is_instruction() || call.called_function() != Some(lookup) {
            continue;
        }
        let ours = call.call_text_attribute(MARK).is_some();
        let pointer = call.operand(0);
        if ours && (!needed || pointer.is_constant()) {
            // SAFETY: nothing else refers to the call.
            unsafe { call.replace_with(pointer) };
        }
    }
}

/// Warnings of calls of virtual functions in a linked program that has no table of virtual functions: whatever the
/// objects are, the host made them, and the device has not their functions. clang makes tables for the classes of
/// mapped objects and for those that device code makes objects of.
pub fn lost_tables(module: &Module) -> Vec<String> {
    let is_table =
        |variable: &Value| variable.name().starts_with("_ZTV") && !variable.is_declaration();
    if module.globals().iter().any(is_table) {
        return Vec::new();
    }
    let functions = module.definitions().into_iter();
    let calls = functions.flat_map(indirect_calls);
    let calls = calls.filter(|call| call.call_text_attribute(MARK).as_deref() == Some("virtual"));
    let warning = |call| {
        format!(
            "a virtual function is called {}, and the device has no table of virtual functions: map an object of \
             its class in some region",
            describe(module.context, call)
        )
    };
    calls.map(warning).collect()
}

/// Whether the table of entries has a function or a table that the host may point at.
fn has_entries(module: &Module) -> bool {
    let number = |node: &[Option<Value>], index: usize| {
        node.get(index).copied().flatten().and_then(Value::as_int)
    };
    module.named_metadata(ENTRIES).iter().any(|node| {
        number(node, 0) == Some(VARIABLE)
            && number(node, 2).is_some_and(|flags| flags & OF_HOST != 0)
    })
}

/// The calls of a function through pointers.
fn indirect_calls(function: Value) -> Vec<Value> {
    let mut calls = function.instructions();
    calls.retain(|it| {
        it.is_call() && !it.called().is_constant() && !it.called().is_inline_assembly()
    });
    calls
}

/// The object's pointer to its table, if the call is one of a virtual function as clang makes it: the function comes
/// from the table, and the table's address from the very object that the call gets.
fn table_of(call: Value) -> Option<Value> {
    let table = table_read(call.called())?;
    let object = loaded_from(table)?;
    call.arguments().contains(&object).then_some(table)
}

/// The table that a function's address was read from.
fn table_read(callee: Value) -> Option<Value> {
    let slot = loaded_from(callee)?;
    match slot.is_instruction() && slot.opcode() == Some(LLVMOpcode::LLVMGetElementPtr) {
        true => Some(slot.operand(0)),
        false => Some(slot),
    }
}

/// What a value was loaded from.
fn loaded_from(value: Value) -> Option<Value> {
    let is_load = value.is_instruction() && value.opcode() == Some(LLVMOpcode::LLVMLoad);
    is_load.then(|| value.operand(0))
}

/// Has the address of a virtual function be read from the device's table. The optimiser may have made one call of
/// several, whose callee is then one of several.
fn translate_table(context: Context, module: &Module, callee: Value, seen: &mut Vec<Value>) {
    if seen.contains(&callee) || !callee.is_instruction() {
        return;
    }
    seen.push(callee);
    match callee.opcode() {
        Some(LLVMOpcode::LLVMPHI | LLVMOpcode::LLVMSelect) => {
            for one in callee.operands() {
                translate_table(context, module, one, seen);
            }
        }
        _ => {
            let Some(table) = table_read(callee) else {
                return;
            };
            let slot = callee.operand(0);
            let reads_table = if slot == table { callee } else { slot };
            if !is_lookup(table) {
                let found = look_up(context, module, table, reads_table);
                reads_table.set_operand(0, found);
            }
        }
    }
}

fn is_lookup(value: Value) -> bool {
    value.is_instruction()
        && value.is_call()
        && value
            .called_function()
            .is_some_and(|it| it.name() == LOOKUP)
}

/// The device's function or table for a pointer, looked up in front of an instruction.
fn look_up(context: Context, module: &Module, pointer: Value, before: Value) -> Value {
    let ty = Type::pointer(context);
    let lookup = module.function(LOOKUP).unwrap_or_else(|| {
        let lookup = module.declare(LOOKUP, Type::function(ty, &[ty]));
        lookup.add_attribute(context, "nounwind");
        lookup.add_attribute(context, "willreturn");
        // The table does not change while a kernel runs.
        lookup.set_no_memory(context);
        lookup
    });
    let builder = Builder::before(context, before);
    builder.locate_as(before);
    let pointer = builder.to_space(pointer, ty);
    let call = builder.call_function(lookup, &[pointer]);
    call.set_call_text_attribute(context, MARK, "lookup");
    call
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: &str = "define i32 @virtual(ptr %object) {
  %table = load ptr, ptr %object
  %slot = getelementptr inbounds ptr, ptr %table, i64 1
  %function = load ptr, ptr %slot
  %r = call i32 %function(ptr %object)
  ret i32 %r
}
define i32 @plain(ptr %p, ptr %argument) {
  %function = load ptr, ptr %p
  %r = call i32 %function(ptr %argument)
  ret i32 %r
}
define void @__kmpc_of_the_runtime(ptr %function) {
  call void %function()
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 7, !\"openmp-device\", i32 51}
!1 = !{i32 1, !\"f\", i32 FLAGS, i32 0}
!omp_offload.info = !{!1}
";

    /// The unit after compilation, and after a link where the table of entries has an entry with these flags.
    fn translated(unit: &str, flags: u64) -> (String, String) {
        let unit = unit.replace("FLAGS", &flags.to_string());
        let module = Module::parse(Context::new(), &unit, "test").unwrap();
        mark(module.context, &module);
        translate(module.context, &module);
        module.verify("after the unit").unwrap();
        let compiled = module.print();
        drop_idle(&module);
        module.verify("in the link").unwrap();
        (compiled, module.print())
    }

    #[test]
    fn functions_and_tables_are_looked_up() {
        for flags in [8, 32] {
            let (compiled, linked) = translated(UNIT, flags);
            assert_eq!(compiled.matches("call ptr @__llvm_omp_indirect").count(), 2);
            assert_eq!(linked.matches("call ptr @__llvm_omp_indirect").count(), 2);
            for fact in [
                "%1 = call ptr @__llvm_omp_indirect_call_lookup(ptr %table)",
                "%slot = getelementptr inbounds ptr, ptr %1, i64 1",
                "%1 = call ptr @__llvm_omp_indirect_call_lookup(ptr %function)",
                "call i32 %1(ptr %argument)",
            ] {
                assert!(linked.contains(fact), "{fact} in {linked}");
            }
        }
    }

    /// A variable's entry: nothing that a pointer of the host's could lead to.
    #[test]
    fn without_entries_the_lookups_go() {
        let (_, linked) = translated(UNIT, 0);
        assert!(!linked.contains("call ptr @__llvm_omp"), "{linked}");
    }

    #[test]
    fn other_languages_stay_as_they_are() {
        let unit = UNIT.replace("openmp-device", "another-flag");
        let (compiled, _) = translated(&unit, 8);
        assert!(!compiled.contains("lookup"), "{compiled}");
    }

    /// The optimiser makes one call of two, and reads one table once.
    #[test]
    fn callees_of_several_tables() {
        let (compiled, _) = translated(
            "define i32 @f(ptr %a, ptr %b, i1 %c) {
  %ta = load ptr, ptr %a
  %fa = load ptr, ptr %ta
  %tb = load ptr, ptr %b
  %sb = getelementptr inbounds ptr, ptr %tb, i64 2
  %fb = load ptr, ptr %sb
  %callee = select i1 %c, ptr %fa, ptr %fb
  %r = call i32 %callee(ptr %a) \"omptarget-callee\"=\"virtual\"
  ret i32 %r
}
",
            8,
        );
        for table in ["%ta", "%tb"] {
            let lookup = format!("@__llvm_omp_indirect_call_lookup(ptr {table})");
            assert_eq!(compiled.matches(&lookup).count(), 1, "{compiled}");
        }
    }
}

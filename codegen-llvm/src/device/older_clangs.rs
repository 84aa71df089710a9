//! Rewrites calls of the device runtime as clang 16 and 17 emit them into the form that the runtime serves
//! (docs/abi.md, "Releases of clang").
//!
//! A name can have one signature only. clang 18 changed those of a kernel's begin and end, and of reductions, without
//! changing the names. So each call shows its form. An image may hold calls of both forms, where units of
//! several releases were linked. Images that were linked with a device runtime have no such calls: clang 17 cannot read
//! the bitcode of this project's runtime.

use anyhow::{Result, bail};
use llvm_sys::LLVMLinkage::LLVMInternalLinkage;
use llvm_sys::LLVMTypeKind::LLVMIntegerTypeKind;

use crate::analysis::kernels;
use crate::ir::{Builder, Context, Module, Type, Value};

/// Rewrites the older calls of an image without a device runtime. `layout` is the module's data layout.
pub fn run(module: &Module, layout: &str) -> Result<()> {
    let context = module.context;
    begin_kernels(context, layout, module)?;
    for call in calls_of(module, "__kmpc_target_deinit") {
        if !call.arguments().is_empty() {
            replace(context, call, &[]);
        }
    }
    // `(ident, thread, variables, size, list, shuffle function, copy function)`
    for call in calls_of(module, "__kmpc_nvptx_parallel_reduce_nowait_v2") {
        if let [ident, _, _, size, list, shuffle, copy] = call.arguments()[..] {
            replace(context, call, &[ident, size, list, shuffle, copy]);
        }
    }
    // `(ident, thread, buffer, records, list, six functions)`
    for call in calls_of(module, "__kmpc_nvptx_teams_reduce_nowait_v2") {
        let arguments = call.arguments();
        if let [ident, thread, buffer, records, list, functions @ ..] = &arguments[..]
            && is_int(*thread)
        {
            // The runtime leaves the list's size to the functions. None says whose the buffer is
            // (devicertl: `reduction/league.rs`).
            let size = Value::int(Type::int(context, 64), 0);
            let first = [*ident, *buffer, *records, size, *list];
            replace(context, call, &[&first, functions].concat());
        }
    }
    // It marks the end of a reduction, and needs no code.
    for call in calls_of(module, "__kmpc_nvptx_end_reduce_nowait") {
        // SAFETY: the function has no result, and a call uses its callee once, so it comes up once.
        unsafe { call.erase() };
    }
    Ok(())
}

/// Gives an environment to kernels that begin with `(ident, i8 mode, i1 generic state machine)`.
///
/// The environment has a name of its own: by `<kernel>_kernel_environment` the host would know that the kernel takes
/// the environment of its launch. These kernels do not. So the counters of reductions across teams belong to the
/// kernel, as does the buffer that clang 17 makes, and two launches of such a kernel must not overlap.
fn begin_kernels(context: Context, layout: &str, module: &Module) -> Result<()> {
    for kernel in kernels::find(module) {
        for call in calls_of(module, "__kmpc_target_init") {
            let arguments = call.arguments();
            if call.block().function() != kernel.function || arguments.len() != 3 {
                continue;
            }
            // openmp-opt of those releases writes 2 into the call where it makes a generic kernel SPMD, but 3 there.
            let mode = module
                .global(&format!("{}_exec_mode", kernel.name))
                .and_then(Value::initializer)
                .unwrap_or(arguments[1]);
            let (Some(mode), Some(state_machine)) = (mode.as_int(), arguments[2].as_int()) else {
                bail!(
                    "the execution mode of kernel {} is not constant",
                    kernel.name
                );
            };
            let text = environments(mode, state_machine);
            let environments = Module::parse(context, &text, "environments")?;
            environments.set_layout(layout);
            module.link(environments)?;
            let [environment, launch] = ["environment", "launch_environment"].map(|name| {
                let variable = module.global(&format!("omptarget.{name}"));
                let variable = variable.expect("it was linked a moment ago");
                variable.set_name(&format!("omptarget.{}.{name}", kernel.name));
                variable.set_linkage(LLVMInternalLinkage);
                variable
            });
            replace(context, call, &[environment, launch]);
        }
    }
    Ok(())
}

/// The environments of a kernel (docs/abi.md, sections 1 and 4). Nothing rules out that it has nested parallel regions.
fn environments(mode: u64, state_machine: u64) -> String {
    let configuration = "{ i8, i8, i8, i32, i32, i32, i32, i32, i32 }";
    format!(
        "@omptarget.environment = weak_odr constant {{ {configuration}, ptr, ptr }} \
         {{ {configuration} {{ i8 {state_machine}, i8 1, i8 {mode}, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0 }}, \
         ptr null, ptr null }}
@omptarget.launch_environment = weak_odr global {{ i32, i32, ptr }} zeroinitializer
"
    )
}

/// The calls of a function that the module does not define.
fn calls_of(module: &Module, name: &str) -> Vec<Value> {
    let function = module
        .function(name)
        .filter(|function| function.is_declaration());
    let users = function.map(Value::users).unwrap_or_default();
    users
        .into_iter()
        .filter(|user| user.is_call() && user.called_function() == function)
        .collect()
}

/// Replaces a call by one of the same function with other arguments.
fn replace(context: Context, call: Value, arguments: &[Value]) {
    let types: Vec<Type> = arguments.iter().map(|argument| argument.ty()).collect();
    let ty = Type::function(call.ty(), &types);
    let new = Builder::before(context, call).call(call.called(), ty, arguments);
    // SAFETY: the caller is done with the call.
    unsafe { call.replace_with(new) };
}

fn is_int(value: Value) -> bool {
    value.ty().kind() == LLVMIntegerTypeKind
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(body: &str, kernel: bool) -> String {
        let convention = if kernel { "ptx_kernel" } else { "" };
        let constant = !body.contains("i8 %mode");
        let mode = if constant {
            "@k_exec_mode = weak constant i8 3"
        } else {
            ""
        };
        let text = format!(
            "target triple = \"nvptx64-nvidia-cuda\"
declare i32 @__kmpc_target_init(ptr, i8, i1)
declare void @__kmpc_target_deinit(ptr, i8)
declare i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr, i32, i32, i64, ptr, ptr, ptr)
declare i32 @__kmpc_nvptx_teams_reduce_nowait_v2(ptr, i32, ptr, i32, ptr, ptr, ptr, ptr, ptr, ptr, ptr)
declare void @__kmpc_nvptx_end_reduce_nowait(i32)
{mode}
define {convention} void @k(ptr %p, i8 %mode) {{
{body}
  ret void
}}"
        );
        let context = Context::new();
        let module = Module::parse(context, &text, "test").unwrap();
        run(&module, "").map_or_else(
            |error| error.to_string(),
            |()| {
                module.verify("after older clangs").unwrap();
                module.print()
            },
        )
    }

    #[test]
    fn kernels_get_environments() {
        let text = rewritten(
            "%a = call i32 @__kmpc_target_init(ptr %p, i8 2, i1 true)
call void @__kmpc_target_deinit(ptr %p, i8 2)",
            true,
        );
        for part in [
            "call i32 @__kmpc_target_init(ptr @omptarget.k.environment, ptr @omptarget.k.launch_environment)",
            "call void @__kmpc_target_deinit()",
            "@omptarget.k.environment = internal constant",
            "{ i8 1, i8 1, i8 3, i32 0",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }

    #[test]
    fn a_mode_that_is_not_constant() {
        let said = rewritten(
            "%a = call i32 @__kmpc_target_init(ptr %p, i8 %mode, i1 true)",
            true,
        );
        assert!(said.contains("kernel k"), "{said}");
    }

    #[test]
    fn reductions_of_both_forms() {
        let text = rewritten(
            "%a = call i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr %p, i32 1, i32 2, i64 8, ptr %p, ptr @f, ptr @f)
%b = call i32 @__kmpc_nvptx_teams_reduce_nowait_v2(ptr %p, i32 1, ptr %p, i32 1024, ptr %p,
  ptr @f, ptr @f, ptr @f, ptr @f, ptr @f, ptr @f)
%c = call i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr null, i64 9, ptr %p, ptr @f, ptr @f)
%d = call i32 @__kmpc_nvptx_teams_reduce_nowait_v2(ptr null, ptr %p, i32 9, i64 9, ptr %p,
  ptr @f, ptr @f, ptr @f, ptr @f, ptr @f, ptr @f)
call void @__kmpc_nvptx_end_reduce_nowait(i32 1)
ret void
}
define void @f() {",
            false,
        );
        for part in [
            "@__kmpc_nvptx_parallel_reduce_nowait_v2(ptr %p, i64 8, ptr %p, ptr @f, ptr @f)",
            "@__kmpc_nvptx_teams_reduce_nowait_v2(ptr %p, ptr %p, i32 1024, i64 0, ptr %p, ptr @f,",
            "@__kmpc_nvptx_parallel_reduce_nowait_v2(ptr null, i64 9, ptr %p,",
            "@__kmpc_nvptx_teams_reduce_nowait_v2(ptr null, ptr %p, i32 9, i64 9, ptr %p,",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        assert!(
            !text.contains("call void @__kmpc_nvptx_end_reduce_nowait"),
            "{text}"
        );
    }
}

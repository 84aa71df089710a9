//! Has tasks with `in_reduction` use their private copy of a global variable (OpenMP 5.2, §5.5.10).
//!
//! clang 22 asks the runtime where such a task reduces into, and then uses the global variable all the same. Tasks of
//! several threads then change one variable without an order, and what they add is lost.
//!
//! The pass has to come before clang's optimiser, while the task's function is the body of the construct and nothing
//! else. clang runs it on each translation unit (link-plugin).

use crate::ir::{Builder, Context, Module, Value};

/// What tells a task its copy: thread, group, the variable (OpenMP runtime).
const ASK: &str = "__kmpc_task_reduction_get_th_data";
const VARIABLE: usize = 2;

/// Replaces the variables by the copies, in the functions of such tasks.
pub fn run(context: Context, module: &Module) {
    let Some(ask) = module.function(ASK) else {
        return;
    };
    for function in module.definitions() {
        for call in function.instructions() {
            let asks = call.called_function() == Some(ask);
            if !asks || !call.is_unused() {
                continue;
            }
            let variable = call.arguments()[VARIABLE];
            if variable.is_constant() {
                replace(context, function, variable, call);
            }
        }
    }
}

/// Replaces a variable by a copy, behind what gives the copy. clang asks at the beginning of the body.
fn replace(context: Context, function: Value, variable: Value, copy: Value) {
    let instructions = function.instructions().into_iter();
    for user in instructions.skip_while(|it| *it != copy).skip(1) {
        for index in 0..user.operand_count() {
            let Some(used) = user.operand_or_none(index) else {
                continue;
            };
            let place = match user.is_phi() {
                true => user.incoming()[index as usize].1.terminator(),
                false => Some(user),
            };
            let builder = place.map(|place| Builder::before(context, place));
            if let Some(own) = builder.and_then(|builder| in_copy(&builder, used, variable, copy)) {
                user.set_operand(index, own);
            }
        }
    }
}

/// What a constant that was computed from the variable is for the copy; `None` if it was not.
fn in_copy(builder: &Builder, constant: Value, variable: Value, copy: Value) -> Option<Value> {
    use llvm_sys::LLVMOpcode::{LLVMAddrSpaceCast, LLVMGetElementPtr};
    if constant == variable {
        return Some(copy);
    }
    let operands = constant.constant_operands();
    let base = in_copy(builder, *operands.first()?, variable, copy)?;
    match constant.constant_opcode()? {
        LLVMGetElementPtr => {
            let element = constant.source_element_type();
            Some(builder.element_pointer(element, base, &operands[1..]))
        }
        LLVMAddrSpaceCast => Some(builder.to_space(base, constant.ty())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tasks_body_uses_its_copy() {
        let context = Context::new();
        let text = "target triple = \"nvptx64-nvidia-cuda\"
@total = global [4 x i32] zeroinitializer
declare ptr @__kmpc_task_reduction_get_th_data(i32, ptr, ptr)
define void @task(i32 %thread) {
  %before = load i32, ptr @total
  %copy = call ptr @__kmpc_task_reduction_get_th_data(i32 %thread, ptr null, ptr @total)
  %first = load i32, ptr @total
  store i32 %first, ptr getelementptr inbounds ([4 x i32], ptr @total, i64 0, i64 3)
  ret void
}
define void @other(ptr %out) {
  %copy = call ptr @__kmpc_task_reduction_get_th_data(i32 0, ptr null, ptr @total)
  store ptr %copy, ptr %out
  store i32 1, ptr @total
  ret void
}
";
        let module = Module::parse(context, text, "test").unwrap();
        run(context, &module);
        module.verify("after the pass").unwrap();
        let text = module.print();
        assert!(text.contains("%before = load i32, ptr @total"), "{text}");
        assert!(text.contains("%first = load i32, ptr %copy"), "{text}");
        assert!(text.contains("i32], ptr %copy, i64 0, i64 3"), "{text}");
        assert!(
            text.contains("store i32 1, ptr @total"),
            "clang used the copy: {text}"
        );
    }
}

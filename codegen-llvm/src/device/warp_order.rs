//! Answers the device runtime's question whether a warp executes its whole loop before the next warp begins (devicertl:
//! `omptarget_arch_warp_by_warp`).
//!
//! It stands in the image as assembly that reads nothing, so that clang's optimiser leaves it open: the same image runs
//! on a GPU, where warps alternate, and on the virtual GPU, where they do not.

use crate::ir::{Module, Value};

/// What the assembly ends with: a comment.
const QUESTION: &str = "warp by warp";

/// The pass: every question gets the answer.
pub fn run(module: &Module, warp_by_warp: bool) {
    for function in module.definitions() {
        let calls = function.instructions().into_iter();
        for call in calls.filter(|it| it.is_call() && is_question(it.called())) {
            let answer = Value::int(call.ty(), warp_by_warp.into());
            // SAFETY: the call is not used again, and a constant dominates all.
            unsafe { call.replace_with(answer) };
        }
    }
}

fn is_question(called: Value) -> bool {
    called.is_inline_assembly() && called.assembly_text().ends_with(QUESTION)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Context;

    #[test]
    fn questions_are_answered_and_other_assembly_stays() {
        let text = "define i32 @f() {
  %a = call i32 asm \"mov.u32 $0, 0; // warp by warp\", \"=r\"() memory(none)
  %b = call i32 asm \"mov.u32 $0, 1;\", \"=r\"() memory(none)
  %c = add i32 %a, %b
  ret i32 %c
}
";
        for (answer, expected) in [(false, "add i32 0, %b"), (true, "add i32 1, %b")] {
            let module = Module::parse(Context::new(), text, "test").unwrap();
            run(&module, answer);
            module.verify("after the pass").unwrap();
            let after = module.print();
            assert!(after.contains(expected), "{after}");
            assert_eq!(after.matches("asm").count(), 1, "{after}");
        }
    }
}

//! Removes the marks of loops whose iterations any thread may execute ([`crate::analysis::iteration_marks`]).
//!
//! On a GPU, neighbouring threads execute neighbouring iterations at once, as the device runtime deals them.

use crate::analysis::iteration_marks;
use crate::ir::Module;

/// The pass.
pub fn run(module: &Module) {
    for function in module.definitions() {
        iteration_marks::all(function)
            .into_iter()
            .for_each(iteration_marks::remove);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Context;

    #[test]
    fn marks_go_and_other_annotations_stay() {
        let text = "declare i64 @llvm.annotation.i64.p0(i64, ptr, ptr, i32)
define i64 @f(i64 %a) {
  %b = call i64 @llvm.annotation.i64.p0(i64 %a, ptr null, ptr null, i32 1869444096)
  %c = call i64 @llvm.annotation.i64.p0(i64 %b, ptr null, ptr null, i32 1869444102)
  %d = call i64 @llvm.annotation.i64.p0(i64 %c, ptr null, ptr null, i32 1869444103)
  ret i64 %d
}
";
        let module = Module::parse(Context::new(), text, "test").unwrap();
        run(&module);
        module.verify("after the pass").unwrap();
        let after = module.print();
        assert_eq!(after.matches("call i64").count(), 1, "{after}");
        assert!(after.contains("i64 %a, ptr null, ptr null, i32 1869444103"));
    }
}

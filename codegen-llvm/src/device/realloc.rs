//! `realloc` for NVIDIA's GPUs.
//!
//! The heap of a GPU's driver has `malloc` and `free`, and does not tell a block's size (CUDA C++ Programming Guide,
//! "Dynamic Global Memory Allocation"). So in a program that calls `realloc` each block carries its size: all calls of
//! the three functions go to those of `realloc.ll`, which alone call the driver's.

use anyhow::Result;
use llvm_sys::LLVMLinkage::LLVMInternalLinkage;

use crate::ir::Module;

const LIBRARY: &str = include_str!("realloc.ll");

/// Defines `realloc` in a module that calls it and does not define it. `layout` is the module's data layout.
pub fn run(module: &Module, layout: &str) -> Result<()> {
    let calls_it = module
        .function("realloc")
        .is_some_and(|function| function.is_declaration() && !function.is_unused());
    if !calls_it {
        return Ok(());
    }
    const NAMES: [&str; 3] = ["malloc", "free", "realloc"];
    // Renamed first, so that the library's own calls are not redirected.
    let program = NAMES.map(|name| {
        let function = module.function(name);
        if let Some(function) = function {
            function.set_name(&format!("omptarget.program.{name}"));
        }
        function
    });
    let library = Module::parse(module.context, LIBRARY, "realloc")?;
    library.set_layout(layout);
    module.link(library)?;
    for (name, of_program) in NAMES.into_iter().zip(program) {
        let ours = module
            .function(&format!("omptarget.{name}"))
            .expect("the library defines it");
        ours.set_linkage(LLVMInternalLinkage);
        let Some(of_program) = of_program else {
            continue;
        };
        of_program.replace_all_uses(ours);
        if of_program.is_declaration() {
            // SAFETY: its uses are replaced, and its name is looked up once.
            unsafe { of_program.delete_function() };
        } else if let Some(heap) = module.function(name) {
            // The program defines its own heap.
            heap.replace_all_uses(of_program);
            // SAFETY: its uses are replaced, and it was looked up for this.
            unsafe { heap.delete_function() };
            of_program.set_name(name);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Context;

    fn lowered(text: &str) -> String {
        let context = Context::new();
        let module = Module::parse(context, text, "test").unwrap();
        run(&module, "").unwrap();
        module.verify("after realloc").unwrap();
        module.print()
    }

    /// The lines of a function, from its `define` to its closing brace.
    fn body<'a>(module: &'a str, function: &str) -> &'a str {
        let start = module
            .match_indices("define ")
            .map(|(at, _)| at)
            .find(|&at| module[at..].lines().next().unwrap().contains(function))
            .unwrap_or_else(|| panic!("{function} in\n{module}"));
        &module[start..start + module[start..].find("\n}").unwrap()]
    }

    const CALLER: &str = "define ptr @grow(ptr %p, i64 %n) {
  %a = call ptr @malloc(i64 %n)
  call void @free(ptr %a)
  %b = call ptr @realloc(ptr %p, i64 %n)
  ret ptr %b
}
declare ptr @realloc(ptr, i64)
";

    #[test]
    fn all_three_are_redirected() {
        let module = lowered(&format!(
            "target triple = \"nvptx64-nvidia-cuda\"\n{CALLER}declare ptr @malloc(i64)\ndeclare void @free(ptr)\n"
        ));
        let caller = body(&module, "@grow(");
        for name in ["malloc", "free", "realloc"] {
            assert!(caller.contains(&format!("@omptarget.{name}(")), "{caller}");
        }
        assert!(body(&module, "@omptarget.malloc(").contains("call ptr @malloc("));
        assert!(body(&module, "@omptarget.free(").contains("call void @free("));
        assert!(module.contains("declare ptr @malloc(i64)"), "{module}");
        assert!(!module.contains("@realloc("), "{module}");
    }

    #[test]
    fn a_heap_of_the_programs_own_stays_beneath() {
        let module = lowered(&format!(
            "target triple = \"nvptx64-nvidia-cuda\"\n{CALLER}define ptr @malloc(i64 %n) {{\n  ret ptr null\n}}
define void @free(ptr %p) {{\n  ret void\n}}\n"
        ));
        assert!(
            body(&module, "@grow(").contains("@omptarget.malloc("),
            "{module}"
        );
        assert!(body(&module, "@omptarget.malloc(").contains("call ptr @malloc("));
        assert!(
            body(&module, "@malloc(").contains("ret ptr null"),
            "{module}"
        );
    }

    #[test]
    fn programs_without_it_stay_as_they_are() {
        let text = "target triple = \"nvptx64-nvidia-cuda\"\ndefine ptr @own(i64 %n) {
  %a = call ptr @malloc(i64 %n)\n  ret ptr %a\n}\ndeclare ptr @malloc(i64)\n";
        let module = lowered(text);
        assert!(!module.contains("omptarget"), "{module}");
    }
}

//! Gives quotients of C's `float _Complex` on AMD GPUs a name of their own.
//!
//! Needs: a translation unit as clang made it.
//!
//! clang and flang call the same function, `__divsc3`. clang's result is of type `[2 x i32]`, flang's of type
//! `[2 x float]`. LLVM has one type for a function, and the device runtime defines flang's. A unit that defines the
//! function itself, as those of C++ do, keeps its own.

use crate::ir::Module;

/// Both compilers' name.
const NAME: &str = "__divsc3";

/// The device runtime's name of clang's (devicertl/libdevice/complex.ll).
const CLANGS: &str = "__omptarget_divsc3";

/// The pass.
pub fn run(module: &Module) {
    let Some(function) = module.function(NAME) else {
        return;
    };
    let result = function.value_type().result();
    if function.is_declaration() && result.print() == "[2 x i32]" {
        function.set_name(CLANGS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Context;

    fn after(function: &str) -> String {
        let text = format!("target triple = \"amdgcn-amd-amdhsa\"\n{function}");
        let module = Module::parse(Context::new(), &text, "test").unwrap();
        run(&module);
        module.print()
    }

    #[test]
    fn clangs_declaration_alone_is_renamed() {
        let text = after("declare [2 x i32] @__divsc3(float, float, float, float)");
        assert!(
            text.contains("declare [2 x i32] @__omptarget_divsc3("),
            "{text}"
        );
        for kept in [
            "declare [2 x float] @__divsc3(float, float, float, float)",
            "declare { float, float } @__divsc3(float, float, float, float)",
            "define weak [2 x i32] @__divsc3(float %0, float %1, float %2, float %3) { unreachable }",
        ] {
            assert!(after(kept).contains(" @__divsc3("), "{kept}");
        }
    }
}

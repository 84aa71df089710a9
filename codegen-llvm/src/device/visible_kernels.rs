//! Keeps kernels visible.
//!
//! Needs: a translation unit as clang made it.
//!
//! CUDA's libraries in headers (CUB, Thrust) give their kernels hidden visibility, for the host's linker. The device's
//! linker would drop them, as nothing in the image calls them. The host finds them by name.

use crate::analysis::kernels;
use crate::ir::Module;

/// The pass.
pub fn run(module: &Module) {
    for kernel in kernels::find(module) {
        kernel.function.show();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Context;

    #[test]
    fn a_hidden_kernel_is_visible() {
        let text = "target triple = \"nvptx64-nvidia-cuda\"\n\
                    define weak_odr hidden ptx_kernel void @k() { ret void }\n\
                    define hidden void @f() { ret void }";
        let module = Module::parse(Context::new(), text, "test").unwrap();
        run(&module);
        let text = module.print();
        assert!(
            text.contains("define weak_odr dso_local ptx_kernel void @k()"),
            "{text}"
        );
        assert!(text.contains("define hidden void @f()"), "{text}");
    }
}

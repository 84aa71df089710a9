//! Gives static variables of CUDA programs the one name that they have.
//!
//! Needs: a translation unit as clang made it, before it is linked with others.
//!
//! A static variable that the host uses gets a name of its own with `-fgpu-rdc`: `table__static__` and a number. clang
//! finds out that the host uses it when it comes to that place. Kernels before have used the plain name by then, which
//! nothing defines (clang 22).

use crate::ir::Module;

/// What clang puts between a variable's name and the number.
const MARK: &str = "__static__";

/// The pass.
pub fn run(module: &Module) {
    let globals = module.globals();
    for &defined in globals.iter().filter(|global| !global.is_declaration()) {
        let name = defined.name();
        let Some((plain, _)) = name.split_once(MARK) else {
            continue;
        };
        let declared = globals
            .iter()
            .find(|global| global.is_declaration() && global.name() == plain);
        if let Some(&declared) = declared
            && declared.ty() == defined.ty()
        {
            declared.replace_all_uses(defined);
            // SAFETY: nothing uses it any more, and its name is looked for once.
            unsafe { declared.delete_global() };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Context;

    #[test]
    fn a_kernel_reads_the_variable_that_the_host_writes() {
        let text = "@table = external addrspace(4) global [2 x i32]\n\
                    @table__static__12 = addrspace(4) externally_initialized constant [2 x i32] zeroinitializer\n\
                    @other = external addrspace(4) global i32\n\
                    define i32 @f() { %x = load i32, ptr addrspace(4) @table\n ret i32 %x }";
        let module = Module::parse(Context::new(), text, "test").unwrap();
        run(&module);
        let text = module.print();
        assert!(
            text.contains("load i32, ptr addrspace(4) @table__static__12"),
            "{text}"
        );
        assert!(
            !text.contains("@table =") && text.contains("@other ="),
            "{text}"
        );
    }
}

//! Whether code can tell which thread executes it.
//!
//! Needs: the names of the device runtime's functions, as before the device link.

use std::collections::HashSet;

use crate::ir::Value;

/// Intrinsics that depend on the thread, or on others that execute them with it.
const TELLING_INTRINSICS: [&str; 3] = ["llvm.nvvm.", "llvm.amdgcn.", "llvm.r600."];
/// Those of them that do not: mathematics.
const SILENT_INTRINSICS: [&str; 14] = [
    "llvm.nvvm.add.",
    "llvm.nvvm.bitcast.",
    "llvm.nvvm.ceil.",
    "llvm.nvvm.d2",
    "llvm.nvvm.div.",
    "llvm.nvvm.ex2.",
    "llvm.nvvm.f2",
    "llvm.nvvm.fabs",
    "llvm.nvvm.fma.",
    "llvm.nvvm.fmax.",
    "llvm.nvvm.fmin.",
    "llvm.nvvm.mul",
    "llvm.nvvm.rcp.",
    "llvm.nvvm.sqrt.",
];
/// Functions that other units define and that tell nobody: names, and prefixes of names. (A reduction says who has its
/// result, when the loop has ended.)
const SILENT: [&str; 19] = [
    "__assert_fail",
    "__kmpc_alloc_shared",
    "__kmpc_dispatch_deinit",
    "__kmpc_for_static_fini",
    "__kmpc_for_static_init_4",
    "__kmpc_for_static_init_4u",
    "__kmpc_for_static_init_8",
    "__kmpc_for_static_init_8u",
    "__kmpc_free_shared",
    "__kmpc_nvptx_parallel_reduce_nowait_v2",
    "__nvvm_reflect",
    "abort",
    "calloc",
    "free",
    "malloc",
    "memcpy",
    "memmove",
    "memset",
    "printf",
];
const SILENT_PREFIXES: [&str; 4] = [
    "__kmpc_dispatch_init_",
    "__kmpc_dispatch_next_",
    "__nv_",
    "__ocml_",
];

/// Whether a function may learn which thread executes it, by itself or by what it calls. Assembly, calls through
/// pointers, and functions of other units that are not known here may.
pub fn may_be_asked_for(function: Value) -> bool {
    let mut pending = vec![function];
    let mut seen = HashSet::from([function]);
    while let Some(function) = pending.pop() {
        for call in function
            .instructions()
            .into_iter()
            .filter(|it| it.is_call())
        {
            match call.called_function() {
                None => return true,
                Some(called) if called.is_intrinsic() => {
                    if is_telling(&called.name()) {
                        return true;
                    }
                }
                Some(called) if called.is_declaration() => {
                    if !is_silent(&called.name()) {
                        return true;
                    }
                }
                Some(called) if seen.insert(called) => pending.push(called),
                Some(_) => {}
            }
        }
    }
    false
}

fn is_telling(intrinsic: &str) -> bool {
    let begins = |prefixes: &[&str]| prefixes.iter().any(|it| intrinsic.starts_with(it));
    begins(&TELLING_INTRINSICS) && !begins(&SILENT_INTRINSICS)
}

fn is_silent(function: &str) -> bool {
    SILENT.contains(&function) || SILENT_PREFIXES.iter().any(|it| function.starts_with(it))
}

//! State spaces as LLVM's address spaces (LLVM, "User Guide for NVPTX Back-end").

use crate::syntax::Space;

/// The number of a variable's address space.
pub fn number(space: Space) -> u32 {
    match space {
        Space::Shared => 3,
        Space::Constant => 4,
        Space::Global => 1,
        // In these a function's own memory lies.
        Space::Local | Space::Parameter | Space::Register => 0,
    }
}

/// The generic address of a variable of the module, as a constant.
pub fn generic(name: &str, space: Space) -> String {
    match number(space) {
        0 => name.to_owned(),
        number => format!("addrspacecast (ptr addrspace({number}) {name} to ptr)"),
    }
}

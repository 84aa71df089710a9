//! What is known by its address exists once, in the unit's module: functions that pointers lead to, and variables that
//! are compared, such as those by which openmp-opt's state machine tells regions apart.

use llvm_sys::LLVMLinkage::{LLVMExternalLinkage, LLVMInternalLinkage};

use crate::analysis::indirect_calls;
use crate::ir::{Module, Value};

/// The unit's local functions and variables whose addresses matter, visible to other modules by their names.
pub struct Shared {
    values: Vec<Value>,
}

/// Makes them visible; before the module is copied.
pub fn share(module: &Module) -> Shared {
    let functions = module.definitions().into_iter();
    let functions = functions.filter(|&function| indirect_calls::has_address_taken(function));
    let variables = module.globals().into_iter();
    let variables =
        variables.filter(|variable| !variable.is_declaration() && !variable.has_any_address());
    let values: Vec<_> = functions
        .chain(variables)
        .filter(|it| it.is_local())
        .collect();
    for (number, value) in values.iter().enumerate() {
        if value.name().is_empty() {
            value.set_name(&format!("vgpu.shared.{number}"));
        }
        value.set_linkage(LLVMExternalLinkage);
        value.hide();
    }
    Shared { values }
}

impl Shared {
    /// Makes the copy's uses of them those of the unit's.
    pub fn refer(&self, copy: &Module) {
        for value in &self.values {
            let name = value.name();
            if let Some(function) = copy.function(&name).filter(|it| !it.is_declaration()) {
                function.set_name(&format!("vgpu.copy.{name}"));
                let original = copy.declare(&name, function.value_type());
                function.replace_all_uses(original);
            } else if let Some(variable) = copy.global(&name) {
                variable.set_linkage(LLVMExternalLinkage);
                variable.drop_initializer();
            }
        }
    }

    /// Makes them local again.
    pub fn end(&self) {
        for value in &self.values {
            value.set_linkage(LLVMInternalLinkage);
            value.show();
        }
    }
}

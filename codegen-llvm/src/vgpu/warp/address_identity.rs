//! Functions that pointers lead to and variables whose addresses are compared must exist once, in the unit's module:
//! openmp-opt's state machine tells regions apart by such addresses. The copy of the module refers to the originals.
//! So it does to cold functions, which both forms call.

use llvm_sys::LLVMLinkage::{LLVMExternalLinkage, LLVMInternalLinkage};

use crate::analysis::indirect_calls;
use crate::ir::{Module, Value};
use crate::vgpu::warp::cold_functions;

/// The unit's local functions and variables whose addresses matter, made visible to other modules by name.
pub struct Shared {
    values: Vec<Value>,
}

/// Makes them visible, before the module is copied.
pub fn share(module: &Module) -> Shared {
    let functions = module.definitions().into_iter();
    let functions = functions.filter(|&function| {
        indirect_calls::has_address_taken(function)
            || cold_functions::is_name_of_one(&function.name())
    });
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
    /// Makes the copy refer to the unit's functions and variables instead of its own.
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

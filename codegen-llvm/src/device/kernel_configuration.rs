//! Changes of what a kernel's environment tells the host (docs/abi.md, "Kernel environment";
//! `ConfigurationEnvironmentTy` of OMPKinds.def).

use crate::ir::{Module, Value};

/// A number of the configuration, by its place there.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Field {
    /// Threads of a block at most.
    MaxThreads = 4,
    /// Blocks of a launch at least.
    MinTeams = 5,
    /// Records of the buffer for reductions across teams.
    ReductionBufferLength = 8,
}

/// Makes a number of a kernel's configuration what `new` makes of it. Whether it did: there may be no environment, or
/// `new` has no other number.
pub fn change(
    module: &Module,
    kernel: &str,
    field: Field,
    new: impl FnOnce(Value) -> Option<Value>,
) -> bool {
    let changed = |variable: Value| {
        let environment = variable.initializer()?;
        let configuration = environment.aggregate_element(0)?;
        let number = new(configuration.aggregate_element(field as u32)?)?;
        let configuration = configuration.with_element(field as u32, number);
        variable.set_initializer(environment.with_element(0, configuration));
        Some(())
    };
    let environment = module.global(&format!("{kernel}_kernel_environment"));
    environment.and_then(changed).is_some()
}

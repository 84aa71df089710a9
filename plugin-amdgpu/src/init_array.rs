//! Constructors and destructors of a module.
//!
//! LLVM's pass `amdgpu-lower-ctor-dtor` leaves kernels that call them in order. The linker has made the arrays.

use plugin_api::{Kernel, Launch, Result};

use crate::module::AmdModule;

/// The kernel of the constructors, which runs when a module is loaded.
pub const CONSTRUCTORS: &str = "amdgcn.device.init";
/// The kernel of the destructors, which runs before the module is unloaded.
pub const DESTRUCTORS: &str = "amdgcn.device.fini";

/// Runs them, if the module has any.
pub fn run(module: &AmdModule, kernel: &str) -> Result<()> {
    let Some(kernel) = module.find_kernel(kernel)? else {
        return Ok(());
    };
    kernel.launch(&Launch {
        grid: [1; 3],
        block: [1; 3],
        dynamic_shared: 0,
        cooperative: false,
        args: &[],
    })
}

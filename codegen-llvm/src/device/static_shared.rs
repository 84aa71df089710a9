//! Refuses kernels with more static shared memory than NVIDIA's GPUs have.
//!
//! NVIDIA's assembler refuses them, too, but names neither the variables nor a remedy.

use anyhow::{Result, bail};

use crate::analysis::kernels;
use crate::analysis::reach;
use crate::analysis::target::SHARED;
use crate::ir::{Module, Value};

/// Bytes of static shared memory that a kernel may have on every GPU ("CUDA C++ Programming Guide", technical
/// specifications). More must be dynamic.
const LIMIT: u64 = 48 << 10;

/// Refuses the first kernel whose code certainly uses more. What it may reach through pointers is left to the
/// assembler.
pub fn refuse(module: &Module) -> Result<()> {
    let layout = module.layout();
    let size = |variable: Value| layout.alloc_size(variable.value_type());
    for kernel in kernels::find(module) {
        let reached = reach::variables_from(vec![kernel.function]);
        let own: Vec<_> = reached
            .into_iter()
            .filter(|variable| variable.ty().address_space() == SHARED)
            .collect();
        let bytes: u64 = own.iter().map(|&variable| size(variable)).sum();
        let largest = own
            .iter()
            .max_by_key(|&&variable| (size(variable), variable.name()));
        if let Some(&largest) = largest.filter(|_| bytes > LIMIT) {
            bail!(
                "kernel {} has {bytes} bytes of static shared memory, more than the {LIMIT} (48 KiB) that a block may \
                 have on NVIDIA's GPUs; `{}` alone takes {}. Make the arrays that its threads share smaller, or take \
                 dynamic shared memory (`llvm_omp_target_dynamic_shared_alloc`, `LIBOMPTARGET_SHARED_MEMORY_SIZE`)",
                kernel.name,
                largest.name(),
                size(largest)
            );
        }
    }
    Ok(())
}

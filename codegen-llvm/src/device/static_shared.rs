//! The limit of static shared memory, which NVIDIA's assembler tells without the variables' names or what to do.

use anyhow::{Result, bail};

use crate::analysis::kernels;
use crate::analysis::reach;
use crate::analysis::target::SHARED;
use crate::ir::{Module, Value};

/// Bytes of static shared memory a kernel may have, on every GPU ("CUDA C++ Programming Guide", technical specifications: more has to be
/// dynamic).
const MOST: u64 = 48 << 10;
/// Refuses the first kernel whose code certainly has more. What it may reach through pointers besides, the assembler judges.
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
        if let Some(&largest) = largest.filter(|_| bytes > MOST) {
            bail!(
                "kernel {} has {bytes} bytes of static shared memory, more than the {MOST} (48 KiB) that a block may have on NVIDIA's \
                 GPUs; `{}` alone takes {}. Make the arrays that its threads share smaller, or take dynamic shared memory \
                 (`llvm_omp_target_dynamic_shared_alloc`, `LIBOMPTARGET_SHARED_MEMORY_SIZE`)",
                kernel.name,
                largest.name(),
                size(largest)
            );
        }
    }
    Ok(())
}

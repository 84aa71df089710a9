//! Refuses reductions of whole Fortran arrays, which flang 22 compiles to wrong code for GPUs.
//!
//! flang hands an array to a reduction by its descriptor (Fortran 2018, section 18.5.3, `CFI_cdesc_t`). In the function
//! that takes another lane's part, OpenMPIRBuilder makes a descriptor for it and fills in the address alone. Bounds and
//! strides stay undefined, so every element is the first one. The address is that of a local of this function, and is
//! used after it has returned. The result was wrong without a word.

use anyhow::{Result, bail};
use llvm_sys::LLVMOpcode::LLVMAlloca;

use crate::analysis::source_locations::describe_use;
use crate::ir::{Module, Value};

/// How the function is called that takes another lane's part (`llvm/Frontend/OpenMP/OMPIRBuilder.cpp`).
const SHUFFLE: &str = "_omp_reduction_shuffle_and_reduce_func";
/// How flang's descriptors of arrays begin: address, size of an element, version, rank, type, attribute, extra. The
/// dimensions follow, which the descriptor of a scalar has not.
const DESCRIPTOR: &str = "{ ptr, i64, i32, i8, i8, i8, i8, [";

/// Refuses a translation unit with such a reduction.
pub fn refuse(module: &Module) -> Result<()> {
    let functions = module.definitions().into_iter();
    let wrong = functions
        .filter(|function| function.name().starts_with(SHUFFLE))
        .find(|function| function.instructions().into_iter().any(is_descriptor));
    let Some(function) = wrong else { return Ok(()) };
    bail!(
        "flang 22 makes wrong code for the reduction of an array on a GPU, {}: reduce scalars, or add to the array's \
         elements in `atomic` constructs",
        describe_use(module.context, function)
    )
}

fn is_descriptor(instruction: Value) -> bool {
    instruction.opcode() == Some(LLVMAlloca)
        && instruction.allocated_type().print().starts_with(DESCRIPTOR)
}

//! Cuts the device runtime's arrays that have an entry for each thread to the length that the kernels need.
//!
//! The runtime does not know how many threads a block will have. So each array has an entry for every thread that a
//! block can have, 1,024, and a kernel pays for all of them: 2 KiB of shared memory for nest words, 8 KiB for lists of
//! thread state. A kernel's bound says how many threads there will be at most, 128 where the program asks for no more
//! (NVIDIA), and no driver launches larger blocks.

use llvm_sys::LLVMLinkage::LLVMInternalLinkage;

use crate::analysis::target::{MAX_THREADS, SHARED};
use crate::analysis::{kernels, reach};
use crate::ir::{Module, Value};

/// The arrays that are indexed by the thread's number (devicertl: `shared.ll`).
const ARRAYS: [&str; 3] = [
    "omptarget.nest",
    "omptarget.thread_states",
    "omptarget.dispersed_lanes",
];

/// Cuts the arrays of an image.
pub fn run(module: &Module) {
    let arrays: Vec<Value> = module
        .globals()
        .into_iter()
        .filter(|it| it.is_local() && ARRAYS.contains(&it.name().as_str()))
        .collect();
    if arrays.is_empty() {
        return;
    }
    let reached: Vec<_> = kernels::find(module)
        .into_iter()
        .map(|kernel| {
            let most = kernel.bound.unwrap_or(MAX_THREADS);
            (most, reach::variables(module, kernel.function))
        })
        .collect();
    for array in arrays {
        let users = reached.iter().filter(|(_, found)| found.contains(&array));
        if let Some(most) = users.map(|(most, _)| *most).max() {
            cut(module, array, most.into());
        }
    }
}

/// Replaces an array by one of as many entries.
fn cut(module: &Module, array: Value, entries: u64) {
    let ty = array.value_type();
    if entries >= ty.array_length() {
        return;
    }
    let ty = ty.element(0).array(entries);
    let shorter = module.add_global_in(ty, SHARED);
    shorter.set_initializer(Value::poison(ty));
    shorter.set_alignment(array.alignment() as u32);
    shorter.set_linkage(LLVMInternalLinkage);
    array.replace_all_uses(shorter);
    let name = array.name();
    // SAFETY: its uses are replaced, and the list of arrays names it once.
    unsafe { array.delete_global() };
    shorter.set_name(&name);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The module after the pass: two kernels of an image, the first with this attribute.
    fn cut_for(bound: &str) -> String {
        let text = format!(
            "target triple = \"nvptx64-nvidia-cuda\"
@omptarget.nest = internal addrspace(3) global [1024 x i16] poison, align 16
@omptarget.thread_states = internal addrspace(3) global [1024 x ptr] poison, align 8
@omptarget.pool = internal addrspace(3) global [256 x i8] poison, align 16
define ptx_kernel void @first(i32 %thread) {bound} {{
  %word = getelementptr i16, ptr addrspace(3) @omptarget.nest, i32 %thread
  store i16 1, ptr addrspace(3) %word
  store i8 1, ptr addrspace(3) @omptarget.pool
  ret void
}}
define ptx_kernel void @second(i32 %thread) \"nvvm.maxntid\"=\"64\" {{
  %word = getelementptr i16, ptr addrspace(3) @omptarget.nest, i32 %thread
  store i16 1, ptr addrspace(3) %word
  %state = getelementptr ptr, ptr addrspace(3) @omptarget.thread_states, i32 %thread
  store ptr null, ptr addrspace(3) %state
  ret void
}}
"
        );
        Module::after(&text, run)
    }

    #[test]
    fn an_array_serves_the_largest_block_of_the_kernels_that_use_it() {
        let cut = cut_for("\"nvvm.maxntid\"=\"160\"");
        assert!(
            cut.contains("@omptarget.nest = internal addrspace(3) global [160 x i16]"),
            "{cut}"
        );
        assert!(cut.contains("@omptarget.thread_states = internal addrspace(3) global [64 x ptr]"));
        assert!(cut.contains("@omptarget.pool = internal addrspace(3) global [256 x i8]"));
    }

    #[test]
    fn a_kernel_without_a_bound_needs_every_entry() {
        let cut = cut_for("");
        assert!(cut.contains("@omptarget.nest = internal addrspace(3) global [1024 x i16]"));
    }
}

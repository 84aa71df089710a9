//! Gives each team its own record in reductions across teams, where records are small.
//!
//! clang's programs have 1,024 records, and a kernel of more teams that reduces lets them come in rounds
//! (docs/reductions.md, "Across teams"). Each round waits for the one before, while the GPU has little else to do. A
//! GPU runs some two thousand teams of 128 threads. Large records stay as they are: the last team reads all that there
//! are, and they take memory.
//!
//! The number stands in each call, and in the kernel's environment for the host (docs/abi.md, "Kernel environment"). So
//! clang runs the pass on each translation unit before it inlines anything.

use crate::analysis::intrinsics::calls_of;
use crate::analysis::kernels;
use crate::device::kernel_configuration::{self, Field};
use crate::ir::{Module, Type, Value};

/// The runtime's function, and the places of the number and of a record's bytes among its arguments.
const REDUCE: &str = "__kmpc_nvptx_teams_reduce_nowait_v2";
const RECORDS: u32 = 2;
const SIZE: u32 = 3;

/// Most bytes of a record that is small.
const SMALL: u64 = 64;
/// Records then: more than teams that a GPU runs at a time.
const MANY: u64 = 4096;

/// Raises the number, if the unit has no large records.
pub fn run(module: &Module) {
    let functions = module.definitions().into_iter();
    let calls: Vec<Value> = functions
        .flat_map(|function| calls_of(function, |name| name == REDUCE))
        .collect();
    let is_small = |call: &Value| {
        let size = call.operand(SIZE).as_int();
        let records = call.operand(RECORDS).as_int();
        matches!(size, Some(1..=SMALL)) && records.is_some_and(|records| records < MANY)
    };
    if calls.is_empty() || !calls.iter().all(is_small) {
        return;
    }
    let many = Value::int(Type::int(module.context, 32), MANY);
    for call in calls {
        call.set_operand(RECORDS, many);
    }
    for kernel in kernels::find(module) {
        // A kernel that does not reduce has none.
        let longer = |length: Value| (length.as_int()? > 0).then_some(many);
        kernel_configuration::change(module, &kernel.name, Field::ReductionBufferLength, longer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The module after the pass: records of so many bytes.
    fn after_the_pass(bytes: u64) -> String {
        let text = format!(
            "target triple = \"nvptx64-nvidia-cuda\"
%configuration = type {{ i8, i8, i8, i32, i32, i32, i32, i32, i32 }}
%environment = type {{ %configuration, ptr, ptr }}
@sums_kernel_environment = weak_odr constant %environment {{ %configuration {{ i8 0, i8 0, i8 2, i32 1, i32 128, i32 0,
  i32 0, i32 {bytes}, i32 1024 }}, ptr null, ptr null }}
@other_kernel_environment = weak_odr constant %environment {{ %configuration {{ i8 0, i8 0, i8 2, i32 1, i32 128, i32 0,
  i32 0, i32 0, i32 0 }}, ptr null, ptr null }}
declare i32 @__kmpc_nvptx_teams_reduce_nowait_v2(ptr, ptr, i32, i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr)
define ptx_kernel void @sums(ptr %buffer, ptr %list) {{
  %last = call i32 @__kmpc_nvptx_teams_reduce_nowait_v2(ptr null, ptr %buffer, i32 1024, i64 {bytes}, ptr %list,
    ptr null, ptr null, ptr null, ptr null, ptr null, ptr null)
  ret void
}}
define ptx_kernel void @other() {{
  ret void
}}"
        );
        Module::after(&text, run)
    }

    #[test]
    fn small_records_are_many() {
        let text = after_the_pass(8);
        assert!(text.contains("i32 4096, i64 8, ptr %list"), "{text}");
        assert!(text.contains("i32 8, i32 4096 }"), "{text}");
        assert!(text.contains("i32 0, i32 0 }"), "{text}");
    }

    #[test]
    fn large_ones_are_as_many_as_they_were() {
        let text = after_the_pass(800);
        assert!(text.contains("i32 1024, i64 800, ptr %list"), "{text}");
        assert!(text.contains("i32 800, i32 1024 }"), "{text}");
    }
}

//! Retargets the module to the host.
//!
//! Needs: kernels known. Leaves: host triple and data layout, the C calling convention everywhere, and no attribute
//! that only GPUs understand.
//!
//! The address spaces of pointers stay. The hosts' back ends treat all spaces below 256 as the flat one, and casts
//! between them as no-ops. Only shared *variables* need rewriting (pass `shared`).

use anyhow::Result;
use vgpu_abi::{CONTEXT_SIZE, STACK_SIZE};

use super::unit::Unit;
use crate::ir::{Context, Value};

/// `llvm::CallingConv::C`.
const C: u32 = 0;

/// String attributes that mean nothing, or the wrong thing, on the host. Without `target-cpu` and `target-features` the
/// host's apply.
const DROPPED: &[&str] = &[
    "target-cpu",
    "target-features",
    "tune-cpu",
    "kernel",
    "uniform-work-group-size",
];
/// Prefixes of such attributes.
const DROPPED_PREFIXES: &[&str] = &["nvvm.", "amdgpu-", "omp_", "stack-protector"];
/// Enum attributes of the stack protector: there is no guard variable in the device window.
const PROTECTORS: &[&str] = &["ssp", "sspreq", "sspstrong"];

/// Largest frame of a function: a thread's stack without its context.
const FRAME_LIMIT: usize = STACK_SIZE - CONTEXT_SIZE;

/// The pass.
pub fn run(unit: &mut Unit) -> Result<()> {
    unit.module.set_triple(unit.options.host.triple());
    unit.module.set_layout(&unit.machine.layout());
    let context = unit.context();
    for function in unit.module.functions() {
        clean_attributes(context, function);
        if function.is_intrinsic() {
            continue;
        }
        function.set_calling_convention(C);
        for instruction in function.instructions() {
            if instruction.is_call() {
                instruction.set_call_convention(C);
            } else if let Some(scope) = instruction.fence_scope()
                && is_within_block(context, scope)
            {
                instruction.set_scope(context.sync_scope("singlethread"));
            }
        }
    }
    Ok(())
}

/// Whether a fence orders memory within the block only. All threads of a block run on one CPU thread, so such a fence
/// only restrains the compiler.
fn is_within_block(context: Context, scope: u32) -> bool {
    let is = |name: &str| scope == context.sync_scope(name);
    let within = ["block", "workgroup", "wavefront", "singlethread"];
    within
        .iter()
        .any(|name| is(name) || is(&format!("{name}-one-as")))
}

fn clean_attributes(context: Context, function: Value) {
    for key in function.text_attribute_keys() {
        if DROPPED.contains(&key.as_str())
            || DROPPED_PREFIXES
                .iter()
                .any(|prefix| key.starts_with(prefix))
        {
            function.remove_text_attribute(&key);
        }
    }
    PROTECTORS
        .iter()
        .for_each(|name| function.remove_attribute(name));
    if !function.is_declaration() {
        function.add_attribute(context, "nounwind");
        // A frame larger than a page touches each page, so that the guard page below the stack is hit.
        function.set_text_attribute(context, "probe-stack", "inline-asm");
        // The back end reports a frame that no thread's stack can hold.
        function.set_text_attribute(context, "warn-stack-size", &FRAME_LIMIT.to_string());
    }
}

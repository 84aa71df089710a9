//! Makes a branch of a minimum of the thread id and a bound, in loops over chunks. `loop_versioning` can then check
//! the bound for all threads at once.
//!
//! Needs: kernels inlined.
//!
//! The device runtime computes round-robin chunks without a branch (`devicertl/src/worksharing/static_schedule.rs`),
//! which is best on a GPU:
//!
//! ```text
//! i = first + min(left, tid)                                       // not strided
//! i = first + (tid > left ? left : tid), by a branch               // strided on one of two paths
//! ```

use llvm_sys::LLVMIntPredicate;

use crate::analysis::control_flow::ControlFlow;
use crate::ir::{Block, Builder, Context, Value};
use crate::vgpu::warp::analysis::context_fields::is_zero_extended_thread_id;

/// The step: makes the branch at a kernel's first such minimum.
pub fn run(context: Context, kernel: Value) {
    let loops = ControlFlow::new(kernel).loops();
    let in_loop = |it: &Value| loops.iter().any(|each| each.body.contains(&it.block()));
    let instructions = kernel.instructions().into_iter();
    let found = instructions
        .filter(in_loop)
        .find_map(|it| Some((it, operands(it)?)));
    if let Some((minimum, operands)) = found {
        branch(context, kernel, minimum, operands);
    }
}

/// A minimum of the thread id and a bound.
struct Minimum {
    id: Value,
    bound: Value,
}

/// The operands of such a minimum, if an instruction is one.
fn operands(call: Value) -> Option<Minimum> {
    let name = call.called_function()?.name();
    if !matches!(name.as_str(), "llvm.umin.i32" | "llvm.umin.i64") {
        return None;
    }
    match call.arguments()[..] {
        [bound, id] | [id, bound]
            if is_zero_extended_thread_id(id)
                && bound.is_instruction()
                && !is_zero_extended_thread_id(bound) =>
        {
            Some(Minimum { id, bound })
        }
        _ => None,
    }
}

/// Puts a branch in place of `minimum`.
fn branch(context: Context, kernel: Value, minimum: Value, Minimum { id, bound }: Minimum) {
    let block = minimum.block();
    let head = Builder::block_before(context, block);
    for before in block.predecessors() {
        if let Some(end) = before.terminator() {
            end.redirect(block, head);
        }
    }
    let builder = Builder::at_end(context, head);
    let earlier = block
        .instructions()
        .into_iter()
        .take_while(|&it| it != minimum);
    earlier.for_each(|it| builder.take(it));
    let beyond = builder.compare(LLVMIntPredicate::LLVMIntUGT, id, bound);
    let side = || -> Block {
        let side = Builder::append_block(context, kernel, "");
        Builder::at_end(context, side).jump(block);
        side
    };
    let (short, whole) = (side(), side());
    builder.branch(beyond, short, whole);
    let chosen = Builder::before(context, minimum).phi(minimum.ty());
    chosen.add_incoming(bound, short);
    chosen.add_incoming(id, whole);
    // SAFETY: the caller is done with the call.
    unsafe { minimum.replace_with(chosen) };
}

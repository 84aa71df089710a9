//! Needs: kernels inlined. Leaves: a branch where a thread's number was cut down to how many iterations there are, in loops over chunks:
//! `chunks` can then ask it of all threads at once.
//!
//! The device runtime's chunks that are dealt round have no branch (`devicertl/src/worksharing/static_schedule.rs`), which is best on a GPU:
//!
//! ```text
//! i = first + min(left, tid)                                       // does not count up from lane to lane
//! i = first + (tid > left ? left : tid), by a branch               // counts up on one of two ways
//! ```

use llvm_sys::LLVMIntPredicate;

use super::loop_versioning::is_thread_id_x;
use crate::analysis::control_flow::ControlFlow;
use crate::ir::{Block, Builder, Context, Value};

/// Makes the branch in a kernel's first such place.
pub fn run(context: Context, kernel: Value) {
    let loops = ControlFlow::new(kernel).loops();
    let in_loop = |it: &Value| loops.iter().any(|each| each.body.contains(&it.block()));
    let instructions = kernel.instructions().into_iter();
    let found = instructions
        .filter(in_loop)
        .find_map(|it| Some((it, clamp(it)?)));
    if let Some((smaller, clamp)) = found {
        branch(context, kernel, smaller, clamp);
    }
}

/// A thread's number, and what it is cut down to.
struct Clamp {
    number: Value,
    bound: Value,
}

/// What an instruction cuts down, if it does.
fn clamp(call: Value) -> Option<Clamp> {
    let name = call.called_function()?.name();
    if !matches!(name.as_str(), "llvm.umin.i32" | "llvm.umin.i64") {
        return None;
    }
    match call.arguments()[..] {
        [bound, number] | [number, bound]
            if is_thread_id_x(number) && bound.is_instruction() && !is_thread_id_x(bound) =>
        {
            Some(Clamp { number, bound })
        }
        _ => None,
    }
}

/// Puts a branch in place of `smaller`, the smaller of the two.
fn branch(context: Context, kernel: Value, smaller: Value, Clamp { number, bound }: Clamp) {
    let block = smaller.block();
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
        .take_while(|&it| it != smaller);
    earlier.for_each(|it| builder.take(it));
    let beyond = builder.compare(LLVMIntPredicate::LLVMIntUGT, number, bound);
    let way = || -> Block {
        let way = Builder::append_block(context, kernel, "");
        Builder::at_end(context, way).jump(block);
        way
    };
    let (short, whole) = (way(), way());
    builder.branch(beyond, short, whole);
    let chosen = Builder::before(context, smaller).phi(smaller.ty());
    chosen.add_incoming(bound, short);
    chosen.add_incoming(number, whole);
    // SAFETY: the caller is done with the call.
    unsafe { smaller.replace_with(chosen) };
}

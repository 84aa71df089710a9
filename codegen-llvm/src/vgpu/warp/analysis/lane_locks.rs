//! Locks that the lanes of a warp take one after the other, as `critical` has them do (`device/critical_lanes.rs`):
//!
//! ```text
//! for (lane of the active lanes) {
//!     if (my_lane == lane) { while (!take(lock)) pause(); … give_back(lock); }
//!     syncwarp();
//! }
//! ```
//!
//! One lane of the warp at a time waits for the lock or has it. So it waits for another warp, of this block or another.

use std::collections::HashSet;

use llvm_sys::LLVMOpcode;

use super::callee::{self, Callee};
use super::chosen_threads::chosen;
use super::context_fields::{self, LaneAxis};
use crate::analysis::control_flow::{ControlFlow, Loop};
use crate::ir::{Block, Value};
use crate::vgpu::polling_loops;

/// Whether a loop waits for such a lock. `meets` says whether lanes meet in every iteration of a loop.
pub fn is_wait(
    flow: &ControlFlow,
    each: &Loop,
    axis: LaneAxis,
    meets: &dyn Fn(&Loop) -> bool,
) -> bool {
    let mut shared = each
        .instructions()
        .filter(|&it| polling_loops::communicates_itself(it));
    let (Some(take), None) = (shared.next(), shared.next()) else {
        return false;
    };
    if take.opcode() != Some(LLVMOpcode::LLVMAtomicCmpXchg) {
        return false;
    }
    let is_lane = |value| context_fields::is_lane(value, axis);
    let dominators: Vec<Block> = flow.dominators(each.header).collect();
    let loops = flow.loops();
    dominators.windows(2).any(|pair| {
        let (inner, outer) = (pair[0], pair[1]);
        let around: Vec<&Loop> = loops.iter().filter(|it| it.body.contains(&outer)).collect();
        let counts = |block: Block| around.iter().any(|it| it.header == block);
        chosen(flow, inner, outer, &is_lane).is_some_and(|lane| {
            is_of_warp(lane, &counts, &mut HashSet::new())
                && around.iter().any(|it| meets(it))
                && gives_back(flow, inner, take.operand(0))
        })
    })
}

/// Whether a lock is written behind `inner`, on ways that pass it.
fn gives_back(flow: &ControlFlow, inner: Block, lock: Value) -> bool {
    let behind = flow
        .blocks()
        .iter()
        .filter(|&&block| flow.dominators(block).any(|above| above == inner));
    behind
        .flat_map(|block| block.instructions())
        .any(|it| it.opcode() == Some(LLVMOpcode::LLVMStore) && it.operand(1) == lock)
}

/// Whether all lanes of a warp have a number that is computed of constants and of which lanes are there. Loops in whose
/// headers it may be a phi are those that `counts` accepts.
fn is_of_warp(value: Value, counts: &dyn Fn(Block) -> bool, seen: &mut HashSet<Value>) -> bool {
    use LLVMOpcode::{
        LLVMAdd, LLVMAnd, LLVMCall, LLVMLShr, LLVMPHI, LLVMShl, LLVMSub, LLVMTrunc, LLVMXor,
        LLVMZExt,
    };
    if value.as_int().is_some() || !seen.insert(value) {
        return true;
    }
    match value.opcode() {
        Some(LLVMPHI) => {
            let mut incoming = value.incoming().into_iter();
            counts(value.block()) && incoming.all(|(it, _)| is_of_warp(it, counts, seen))
        }
        Some(LLVMAdd | LLVMSub | LLVMAnd | LLVMXor | LLVMShl | LLVMLShr | LLVMTrunc | LLVMZExt) => {
            value
                .operands()
                .into_iter()
                .all(|operand| is_of_warp(operand, counts, seen))
        }
        Some(LLVMCall) => match callee::of(value) {
            Callee::ActiveMask => true,
            Callee::VectorIntrinsic => value
                .arguments()
                .into_iter()
                .all(|argument| is_of_warp(argument, counts, seen)),
            _ => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use vgpu_abi::ThreadContext;

    use super::*;
    use crate::ir::{Context, Module};

    /// Whether the inner loop of `critical` waits for a lock that lanes take one by one, if the counter begins with
    /// `first`, and `given_back` is what is written after the lock was taken.
    fn waits(first: &str, given_back: &str) -> bool {
        let thread = offset_of!(ThreadContext, tid);
        let text = format!(
            "@lock = global i32 0
declare ptr @vgpu.warp.context()
declare i64 @vgpu_activemask(ptr, i32)
declare i64 @vgpu_syncwarp(ptr, i64, i32)
define void @kernel(ptr %other) {{
  %cx = call ptr @vgpu.warp.context()
  %at = getelementptr i8, ptr %cx, i64 {thread}
  %thread = load i32, ptr %at
  %lane = and i32 %thread, 31
  %wide = call i64 @vgpu_activemask(ptr %cx, i32 0)
  %mask = trunc i64 %wide to i32
  br label %loop
loop:
  %counter = phi i32 [ {first}, %0 ], [ %next, %meet ]
  %mine = icmp eq i32 %lane, %counter
  br i1 %mine, label %enter, label %meet
enter:
  br label %take
take:
  %swap = cmpxchg ptr @lock, i32 0, i32 1 monotonic monotonic
  %got = extractvalue {{ i32, i1 }} %swap, 1
  br i1 %got, label %body, label %take
body:
  store atomic i32 0, ptr {given_back} monotonic, align 4
  br label %meet
meet:
  %met = call i64 @vgpu_syncwarp(ptr %cx, i64 %wide, i32 1)
  %next = add i32 %counter, 1
  %goes = icmp ult i32 %next, 32
  br i1 %goes, label %loop, label %end
end:
  ret void
}}
"
        );
        let module = Module::parse(Context::new(), &text, "test").unwrap();
        let flow = ControlFlow::new(module.definitions()[0]);
        let loops = flow.loops();
        let wait = loops.iter().find(|it| it.header.name() == "take").unwrap();
        let meets = |around: &Loop| around.header.name() == "loop";
        is_wait(&flow, wait, LaneAxis::X, &meets)
    }

    #[test]
    fn lanes_come_one_by_one() {
        assert!(waits("0", "@lock"));
        assert!(waits("%mask", "@lock"));
    }

    #[test]
    fn several_lanes_may_be_there_if_each_counts_for_itself() {
        assert!(!waits("%thread", "@lock"));
    }

    #[test]
    fn a_lock_that_is_kept_is_waited_for_by_the_next_lane() {
        assert!(!waits("0", "%other"));
    }
}

//! The loop around `critical` has an iteration for each lane that enters, instead of one for each thread of the block.
//!
//! clang runs the threads of a team through `critical` one after the other: a loop counts the block's threads, the
//! thread whose number it is enters, and the lanes of the warp wait for each other (`emitCriticalRegion`). The lock
//! keeps warps apart. So the numbers of threads in other warps are of no use, and neither are those of lanes that are
//! not there: a team of 256 threads that all enter goes through 256 iterations per warp for 32 lanes, and a single
//! thread that enters through as many. Here the loop goes from a lane of the mask to the next.
//!
//! The pass has to come before clang's optimiser, while the calls have names.

use llvm_sys::LLVMOpcode::{LLVMAnd, LLVMICmp, LLVMShl};

use crate::analysis::intrinsics::{HARDWARE_THREAD_ID, calls_of, is_call_of};
use crate::analysis::locals::{added, loaded_from, stores};
use crate::analysis::target::Target;
use crate::ir::{Builder, Context, Module, Type, Value};

/// What makes the lanes of a mask wait for each other, at the end of each iteration.
const MEET: &str = "__kmpc_syncwarp";
/// Which lanes come to the construct.
const ACTIVE: &str = "__kmpc_warp_active_thread_mask";
/// The loop's bound.
const HARDWARE_THREADS: &str = "__kmpc_get_hardware_num_threads_in_block";

/// Changes the loops of a translation unit.
pub fn run(context: Context, module: &Module) {
    let Ok(target) = Target::of(module) else {
        return;
    };
    let lanes = (target.warp_size)(module);
    for function in module.definitions() {
        let found: Vec<_> = calls_of(function, |name| name == MEET)
            .filter_map(LaneLoop::ending_with)
            .collect();
        for found in found {
            found.go_by_mask(context, module, lanes);
        }
    }
}

/// clang's loop around a `critical` construct.
struct LaneLoop {
    /// The lanes that are there, of 64 bits.
    mask: Value,
    /// The thread's number.
    thread: Value,
    /// The counter's first value, as a store.
    first: Value,
    /// The comparison that ends the loop.
    test: Value,
    /// The comparison of the thread's number with the counter.
    enters: Value,
    /// The counter's next value, as a store.
    next: Value,
}

impl LaneLoop {
    /// The loop that ends with the meeting of lanes, if it is as clang makes it.
    fn ending_with(meet: Value) -> Option<LaneLoop> {
        let mask = meet.operand(0);
        if !is_call_of(mask, &[ACTIVE]) {
            return None;
        }
        let before = mask.block().instructions();
        let call = |name: &str| before.iter().copied().find(|it| is_call_of(*it, &[name]));
        let (thread, threads) = (call(HARDWARE_THREAD_ID)?, call(HARDWARE_THREADS)?);
        let ([test], [enters]) = (&threads.users()[..], &thread.users()[..]) else {
            return None;
        };
        let counter = loaded_from(compared_with(*test, threads)?)?;
        let entered = loaded_from(compared_with(*enters, thread)?)?;
        let stored: Vec<Value> = stores(counter).collect();
        let in_block = |block| stored.iter().copied().find(|it| it.block() == block);
        let (first, next) = (in_block(mask.block())?, in_block(meet.block())?);
        let is_loop = entered == counter
            && test.operand(1) == threads
            && stored.len() == 2
            && first.operand(0).as_int() == Some(0)
            && added(next, counter).is_some_and(|by| by.as_int() == Some(1));
        is_loop.then_some(LaneLoop {
            mask,
            thread,
            first,
            test: *test,
            enters: *enters,
            next,
        })
    }

    /// Has the counter take the numbers of the lanes in the mask.
    fn go_by_mask(&self, context: Context, module: &Module, lanes: u32) {
        let number = self.thread.ty();
        let mask_type = Type::int(context, lanes);
        let zeros = module.intrinsic("llvm.cttz", &[mask_type]);
        // Of no ones there are as many zeros as lanes.
        let defined = Value::zero(Type::int(context, 1));
        let first_of = |builder: &Builder, mask| {
            let lane = builder.call_function(zeros, &[mask, defined]);
            builder.cast_unsigned(lane, number)
        };

        let before = Builder::before(context, self.first);
        let mask = before.cast_unsigned(self.mask, mask_type);
        self.first.set_operand(0, first_of(&before, mask));
        self.test.set_operand(1, Value::int(number, lanes.into()));
        let in_warp = Value::int(number, u64::from(lanes) - 1);
        let lane = before.binary(LLVMAnd, self.thread, in_warp);
        self.enters.replace_operand(self.thread, lane);

        let at_end = Builder::before(context, self.next);
        let counter = at_end.cast_unsigned(self.next.operand(0).operand(0), mask_type);
        let above = at_end.binary(LLVMShl, Value::signed_int(mask_type, -2), counter);
        let rest = at_end.binary(LLVMAnd, mask, above);
        self.next.set_operand(0, first_of(&at_end, rest));
    }
}

/// The other side of a comparison.
fn compared_with(comparison: Value, value: Value) -> Option<Value> {
    let is_one = comparison.opcode() == Some(LLVMICmp);
    let other = comparison.operands().into_iter().find(|it| *it != value);
    other.filter(|_| is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module with clang's loop, whose counter begins with that number.
    fn text(triple: &str, first: u32) -> String {
        let private = if triple.starts_with("amdgcn") { 5 } else { 0 };
        format!(
            "target triple = \"{triple}\"
declare i64 @__kmpc_warp_active_thread_mask()
declare i32 @__kmpc_get_hardware_thread_id_in_block()
declare i32 @__kmpc_get_hardware_num_threads_in_block()
declare void @__kmpc_syncwarp(i64)
declare void @enter()
define void @region() {{
  %counter = alloca i32, addrspace({private})
  %mask = call i64 @__kmpc_warp_active_thread_mask()
  %thread = call i32 @__kmpc_get_hardware_thread_id_in_block()
  %threads = call i32 @__kmpc_get_hardware_num_threads_in_block()
  store i32 {first}, ptr addrspace({private}) %counter
  br label %loop
loop:
  %of = load i32, ptr addrspace({private}) %counter
  %goes = icmp slt i32 %of, %threads
  br i1 %goes, label %test, label %exit
test:
  %same = load i32, ptr addrspace({private}) %counter
  %mine = icmp eq i32 %thread, %same
  br i1 %mine, label %body, label %sync
body:
  call void @enter()
  br label %sync
sync:
  call void @__kmpc_syncwarp(i64 %mask)
  %next = add nsw i32 %same, 1
  store i32 %next, ptr addrspace({private}) %counter
  br label %loop
exit:
  ret void
}}
"
        )
    }

    fn after(triple: &str, first: u32) -> String {
        Module::after(&text(triple, first), |module| run(module.context, module))
    }

    #[test]
    fn the_loop_goes_from_lane_to_lane_of_the_mask() {
        let changed = after("nvptx64-nvidia-cuda", 0);
        assert!(changed.contains("and i32 %thread, 31"), "{changed}");
        assert_eq!(
            changed.matches("call i32 @llvm.cttz.i32").count(),
            2,
            "{changed}"
        );
        assert!(!changed.contains("icmp slt i32 %of, %threads"), "{changed}");
        let wide = after("amdgcn-amd-amdhsa", 0);
        assert!(wide.contains("and i32 %thread, 63"), "{wide}");
        assert!(wide.contains("@llvm.cttz.i64"), "{wide}");
    }

    #[test]
    fn another_loop_stays() {
        let changed = after("nvptx64-nvidia-cuda", 1);
        assert!(changed.contains("icmp slt i32 %of, %threads"), "{changed}");
        assert!(!changed.contains("@llvm.cttz.i32"), "{changed}");
    }
}

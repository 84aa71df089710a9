//! Drops the barriers of kernels in which they order nothing.
//!
//! A barrier orders what threads do to shared memory before it with what other threads do after it. In a kernel that
//! does nothing before its barriers, or nothing behind them, none of them orders anything, and all can go.
//!
//! All go or none: threads may meet at one barrier from different places in the code. A barrier left at one place would
//! wait for a thread whose barrier is gone. So a kernel that calls a function with a barrier, or one that is not known,
//! keeps them.
//!
//! In LLVM's own runtime openmp-opt removes more barriers: it assumes that all threads come to the same place.

use std::collections::HashSet;

use llvm_sys::LLVMOpcode;

use crate::analysis::block_shape::read_by;
use crate::analysis::intrinsics::{HINTS_WITHOUT_ACCESS, is_block_barrier};
use crate::analysis::{kernels, reach};
use crate::ir::{Block, Module, Value};

/// What the device runtime says of its own barriers (`devicertl/arch-nvptx.ll`), for openmp-opt.
const OF_RUNTIME: (&str, &str) = ("llvm.assume", "ompx_aligned_barrier");

/// Drops them.
pub fn run(module: &Module) {
    drop_in(module, |_| true);
}

/// Drops those of kernels whose barriers are all the device runtime's. The program's own stay: who debugs it wants to
/// know of a barrier that not all threads come to.
pub fn run_on_runtimes(module: &Module) {
    let (key, value) = OF_RUNTIME;
    drop_in(module, |it| {
        it.call_text_attribute(key).as_deref() == Some(value)
    });
}

/// Drops those of kernels whose barriers are all as `may_go` says.
fn drop_in(module: &Module, may_go: impl Fn(&Value) -> bool) {
    for kernel in kernels::find(module) {
        let mut barriers = kernel.function.instructions();
        barriers.retain(|it| is_block_barrier(*it));
        let may_go = !barriers.is_empty() && barriers.iter().all(&may_go);
        if !may_go || leads_elsewhere(kernel.function) {
            continue;
        }
        let before = Direction {
            next: Block::predecessors,
            back: true,
        };
        let after = Direction {
            next: Block::successors,
            back: false,
        };
        if before.is_idle(&barriers) || after.is_idle(&barriers) {
            // SAFETY: barriers have no result, and the list, which names each once, ends here.
            barriers
                .into_iter()
                .for_each(|barrier| unsafe { barrier.erase() });
        }
    }
}

/// A direction from barriers in which to look.
struct Direction {
    next: fn(Block) -> Vec<Block>,
    back: bool,
}

impl Direction {
    /// Whether threads do nothing to shared memory in this direction from any of the barriers.
    fn is_idle(&self, barriers: &[Value]) -> bool {
        let mut seen = HashSet::new();
        let mut pending = Vec::new();
        for barrier in barriers {
            let mut beside = self.instructions(barrier.block()).into_iter();
            beside.by_ref().find(|it| it == barrier);
            if beside.any(acts) {
                return false;
            }
            pending.extend((self.next)(barrier.block()));
        }
        while let Some(block) = pending.pop() {
            if seen.insert(block) {
                if self.instructions(block).into_iter().any(acts) {
                    return false;
                }
                pending.extend((self.next)(block));
            }
        }
        true
    }

    /// A block's instructions in this direction.
    fn instructions(&self, block: Block) -> Vec<Value> {
        let mut all = block.instructions();
        if self.back {
            all.reverse();
        }
        all
    }
}

/// Whether a kernel may come to a barrier in another function.
fn leads_elsewhere(kernel: Value) -> bool {
    let reached = reach::mentioned(vec![kernel]).into_iter();
    let code = reached
        .filter(|it| it.is_function())
        .flat_map(Value::instructions);
    let mut calls = code.filter(|it| it.is_call());
    calls.any(|call| match call.called_function() {
        _ if is_block_barrier(call) => call.block().function() != kernel,
        Some(called) if called.is_declaration() => {
            !called.is_intrinsic() && !touches_nothing(called)
        }
        called => called.is_none(),
    })
}

/// Whether an instruction does something that other threads, or the world, may see, or reads what they do. A fence
/// alone does not: it only orders other accesses. Nor does a read of the block's extent, which does not change.
fn acts(instruction: Value) -> bool {
    use LLVMOpcode::*;
    match instruction.opcode() {
        Some(LLVMLoad) => {
            instruction.operand(0).local().is_none() && read_by(instruction).is_none()
        }
        Some(LLVMStore) => instruction.operand(1).local().is_none(),
        Some(LLVMAtomicRMW | LLVMAtomicCmpXchg) => true,
        Some(LLVMCall | LLVMInvoke | LLVMCallBr) => {
            !is_block_barrier(instruction)
                && !instruction.called_function().is_some_and(touches_nothing)
        }
        _ => false,
    }
}

/// Whether calls of a function neither touch memory nor depend on which threads call.
fn touches_nothing(function: Value) -> bool {
    let name = function.name();
    function.has_no_memory() && !function.has_function_attribute("convergent")
        || HINTS_WITHOUT_ACCESS
            .iter()
            .any(|hint| name.starts_with(hint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Context;

    /// How many barriers are left in a kernel of this body.
    fn left(body: &str) -> usize {
        let text = format!(
            "target triple = \"nvptx64-nvidia-cuda\"
declare void @llvm.nvvm.barrier.cta.sync.all(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
define internal void @elsewhere() noinline {{
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  ret void
}}
define internal void @by_way(i32 %n) noinline {{
  call void @by_way(i32 %n)
  call void @elsewhere()
  ret void
}}
define internal void @there(i32 %n) noinline {{
  call void @back(i32 %n)
  call void @elsewhere()
  ret void
}}
define internal void @back(i32 %n) noinline {{
  call void @there(i32 %n)
  ret void
}}
define internal void @harmless(ptr %p) noinline {{
  call void @harmless(ptr %p)
  store i32 1, ptr %p
  ret void
}}
define ptx_kernel void @k(i32 %n, ptr %p) {{
  %own = alloca i32
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %start
start:
  {body}
}}
"
        );
        let module = Module::parse(Context::new(), &text, "test").unwrap();
        module.verify("as written").unwrap();
        run(&module);
        module.verify("after the pass").unwrap();
        let kernel = module.function("k").unwrap();
        let barriers = kernel.instructions();
        barriers
            .into_iter()
            .filter(|it| is_block_barrier(*it))
            .count()
    }

    const BARRIER: &str = "call void @llvm.nvvm.barrier.cta.sync.all(i32 0)";
    const STORE: &str = "store i32 1, ptr %p";

    #[test]
    fn barriers_between_nothing_and_something_go() {
        assert_eq!(left(&format!("{BARRIER}\n{STORE}\nret void")), 0);
        assert_eq!(left(&format!("{STORE}\n{BARRIER}\nret void")), 0);
        let own = "store i32 %thread, ptr %own\n%mine = load i32, ptr %own";
        assert_eq!(
            left(&format!(
                "{own}\n{BARRIER}\nfence acq_rel\n{BARRIER}\n{STORE}\nret void"
            )),
            0
        );
    }

    #[test]
    fn barriers_between_accesses_stay() {
        assert_eq!(left(&format!("{STORE}\n{BARRIER}\n{STORE}\nret void")), 1);
        let both = format!("{STORE}\n{BARRIER}\n{BARRIER}\n%x = load i32, ptr %p\nret void");
        assert_eq!(left(&both), 2);
        let shuffle = "%x = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %n, i32 0, i32 31)";
        assert_eq!(left(&format!("{shuffle}\n{BARRIER}\n{STORE}\nret void")), 1);
        let assembly = "call void asm sideeffect \"nanosleep.u32 20;\", \"\"()";
        assert_eq!(
            left(&format!("{assembly}\n{BARRIER}\n{STORE}\nret void")),
            1
        );
    }

    /// What follows a barrier in a loop precedes it in the next iteration.
    #[test]
    fn loops_lead_back() {
        let in_loop = |inside: &str| {
            left(&format!(
                "br label %loop
loop:
  %i = phi i32 [ 0, %start ], [ %j, %loop ]
  {inside}
  %j = add i32 %i, 1
  %again = icmp slt i32 %j, %n
  br i1 %again, label %loop, label %end
end:
  {STORE}
  ret void"
            ))
        };
        assert_eq!(in_loop(BARRIER), 0);
        assert_eq!(in_loop(&format!("{BARRIER}\n{STORE}")), 1);
    }

    /// Threads at different places meet at one barrier: one place that needs it keeps all.
    #[test]
    fn all_go_or_none() {
        let places = |inside: &str| {
            left(&format!(
                "%odd = trunc i32 %thread to i1
  br i1 %odd, label %one, label %other
one:
  {BARRIER}
  br label %end
other:
  {inside}
  {BARRIER}
  br label %end
end:
  {STORE}
  ret void"
            ))
        };
        assert_eq!(places("%idle = add i32 %n, 1"), 0);
        assert_eq!(places("%x = load volatile i32, ptr %p"), 2);
    }

    #[test]
    fn barriers_of_the_runtime() {
        let text = "target triple = \"nvptx64-nvidia-cuda\"
declare void @llvm.nvvm.barrier.cta.sync.all(i32)
define ptx_kernel void @runtimes() {
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0) #0
  ret void
}
define ptx_kernel void @programs() {
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0) #0
  call void @llvm.nvvm.barrier.cta.sync.all(i32 0)
  ret void
}
attributes #0 = { \"llvm.assume\"=\"ompx_aligned_barrier\" }
";
        let left = |pass: fn(&Module)| Module::after(text, pass).matches("call void").count();
        assert_eq!(left(run_on_runtimes), 2);
        assert_eq!(left(run), 0);
    }

    #[test]
    fn a_place_in_another_function_keeps_all() {
        let call = "call void @elsewhere()";
        assert_eq!(left(&format!("{BARRIER}\n{call}\n{STORE}\nret void")), 1);
        assert_eq!(left(&format!("{BARRIER}\ncall void %p()\nret void")), 1);
        let by_way = "call void @by_way(i32 %n)";
        assert_eq!(left(&format!("{STORE}\n{by_way}\n{BARRIER}\nret void")), 1);
        // Functions that call each other: one has the barrier.
        let both = "call void @there(i32 %n)\ncall void @back(i32 %n)";
        assert_eq!(left(&format!("{STORE}\n{both}\n{BARRIER}\nret void")), 1);
        let back = "call void @back(i32 %n)";
        assert_eq!(left(&format!("{STORE}\n{back}\n{BARRIER}\nret void")), 1);
        let harmless = "call void @harmless(ptr %p)";
        assert_eq!(left(&format!("{harmless}\n{BARRIER}\nret void")), 0);
        assert_eq!(
            left(&format!("{harmless}\n{BARRIER}\n{STORE}\nret void")),
            1
        );
    }
}

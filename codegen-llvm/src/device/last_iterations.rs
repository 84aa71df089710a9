//! Variables that are `lastprivate` in a `distribute parallel for` get the value of the last iteration (OpenMP 5.2,
//! §5.4.5), also where a team executes several chunks.
//!
//! clang has the thread that executes the last iteration of each chunk write the variable's copy of the team. The last
//! chunk's thread has to be the last one to write. In an SPMD kernel the threads of a team do not wait for each other
//! between chunks, as their iterations do not depend on each other. With such a variable they do depend: this pass has
//! threads meet at each chunk's end.
//!
//! Has to come before clang's optimiser, while the calls have names.

use llvm_sys::LLVMOpcode;

use super::static_init::{IS_LAST, OF_TEAMS, calls_of};
use crate::analysis::captures;
use crate::ir::{Builder, Context, Module, Value};

/// The end of a `distribute` loop, where an SPMD kernel's threads meet (devicertl: `static_schedule`).
const END: &str = "__kmpc_distribute_static_fini";

/// The pass. Loops of one chunk per team are to be told so before ([`super::combined_loops`]).
pub fn run(context: Context, module: &Module) {
    let Some(end) = module.function(END) else {
        return;
    };
    for function in module.definitions() {
        let mut dealt = calls_of(function, OF_TEAMS);
        if let Some(first) = dealt.find(|it| is_copied(it.operand(IS_LAST))) {
            let arguments = [first.operand(0), first.operand(1)];
            let instructions = function.instructions().into_iter();
            for fork in instructions.filter(|it| captures::is_fork(*it)) {
                if let Some(next) = fork.next() {
                    Builder::before(context, next).call_function(end, &arguments);
                }
            }
        }
    }
}

/// Whether whoever has the last iteration writes something that others see. A loop with `simd` has it write the loop's
/// variable, of which each thread has its own. `says` is the local that says who has it. What is not understood may
/// write.
pub fn is_copied(says: Value) -> bool {
    let addresses = captures::same_address(says.address_base());
    let mut users = addresses.into_iter().flat_map(Value::users);
    users.any(|user| match user.opcode() {
        Some(LLVMOpcode::LLVMStore | LLVMOpcode::LLVMAddrSpaceCast | LLVMOpcode::LLVMCall) => false,
        Some(LLVMOpcode::LLVMLoad) => user.users().into_iter().any(|test| !guards_locals(test)),
        _ => true,
    })
}

/// Whether a comparison decides about a block that writes locals of the thread, and nothing else.
fn guards_locals(test: Value) -> bool {
    let is_test = test.opcode() == Some(LLVMOpcode::LLVMICmp);
    is_test
        && test.users().into_iter().all(|branch| {
            let [block, after] = branch.successors()[..] else {
                return false;
            };
            block.successors() == [after]
                && block
                    .instructions()
                    .into_iter()
                    .all(|it| match it.opcode() {
                        Some(LLVMOpcode::LLVMStore) => it.operand(1).local().is_some(),
                        Some(LLVMOpcode::LLVMCall) => false,
                        _ => true,
                    })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often threads meet in a `distribute` loop whose last iteration writes that variable.
    fn meetings(written: &str) -> usize {
        let text = format!(
            "@kept = global i32 0
declare void @__kmpc_distribute_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
declare void @__kmpc_distribute_static_fini(ptr, i32)
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
define void @region(ptr %gtid, ptr %btid) {{
  ret void
}}
define void @teams(ptr %bounds) {{
  %last = alloca i32
  %own = alloca i32
  call void @__kmpc_distribute_static_init_4(ptr null, i32 7, i32 91, ptr %last, ptr %bounds, ptr %bounds,
    ptr %bounds, i32 1, i32 128)
  call void @__kmpc_parallel_60(ptr null, i32 7, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr null, i64 0, i32 0)
  call void @__kmpc_distribute_static_fini(ptr null, i32 7)
  %is = load i32, ptr %last
  %yes = icmp ne i32 %is, 0
  br i1 %yes, label %copy, label %end
copy:
  store i32 1, ptr {written}
  br label %end
end:
  ret void
}}
"
        );
        let context = Context::new();
        let module = Module::parse(context, &text, "test").unwrap();
        run(context, &module);
        module.verify("after the pass").unwrap();
        let after = module.print();
        after
            .matches("call void @__kmpc_distribute_static_fini(ptr null, i32 7)")
            .count()
    }

    #[test]
    fn threads_meet_after_chunks_whose_last_iteration_counts() {
        assert_eq!(meetings("@kept"), 2);
        assert_eq!(meetings("%own"), 1);
    }
}

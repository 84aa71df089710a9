//! Removes `num_threads` clauses that restrict nothing: those of at least as many threads as the block can have.
//!
//! For `target teams distribute parallel for num_threads(256)` clang bounds the kernel's block to 256 threads, and
//! hands the clause to `__kmpc_parallel_60` as well. The runtime does not know the bound. So it kept the code for teams
//! smaller than the block, which has barriers and state, in kernels that need neither.
//!
//! Only in SPMD kernels, where nothing but the clause restricts a team. The pass has to come before clang's optimiser,
//! which folds the runtime's state. clang runs it on each translation unit (link-plugin).

use std::collections::{HashMap, HashSet};

use vgpu_abi::summary::ExecutionMode;

use crate::analysis::{captures, exec_mode, kernels};
use crate::ir::{Context, Module, Type, Value};

/// The argument of `parallel` that has the clause; -1 if there is none.
const NUM_THREADS: u32 = 3;
/// The argument that says whether a team of fewer threads is an error. The older entry point has none.
const STRICT: usize = 9;

/// Removes the clauses of a translation unit.
pub fn run(context: Context, module: &Module) {
    let kernels = kernels::find(module).into_iter();
    let bounds: HashMap<Value, u32> = kernels
        .filter(|kernel| exec_mode::of(module, &kernel.name) == ExecutionMode::Spmd)
        .filter_map(|kernel| Some((kernel.function, kernel.bound?)))
        .collect();
    let none = Value::int(Type::int(context, 32), u32::MAX.into());
    for function in module.definitions() {
        let forks = function.instructions().into_iter();
        for fork in forks.filter(|it| captures::is_fork(*it)) {
            let bound = most_threads(function, &bounds, &mut HashSet::new());
            if let (Some(bound), Some(clause)) = (bound, clause(fork))
                && clause >= bound
            {
                fork.set_operand(NUM_THREADS, none);
            }
        }
    }
}

/// The number in the clause, if it is a constant and not `strict`.
fn clause(fork: Value) -> Option<u32> {
    let strict = fork.arguments().get(STRICT).copied();
    if strict.is_some_and(|strict| strict.as_int() != Some(0)) {
        return None;
    }
    let clause = fork.operand(NUM_THREADS).as_int()? as i32;
    u32::try_from(clause).ok().filter(|&clause| clause > 0)
}

/// The most threads that a block has in which the function runs, outside of parallel regions; `None` if it is not
/// known. What clang outlines for `teams` is called by name.
fn most_threads(
    function: Value,
    bounds: &HashMap<Value, u32>,
    seen: &mut HashSet<Value>,
) -> Option<u32> {
    if let Some(&bound) = bounds.get(&function) {
        return Some(bound);
    }
    if !function.is_local() || function.is_unused() || !seen.insert(function) {
        return None;
    }
    let callers = function.users().into_iter().map(|user| {
        let is_call = user.called_function() == Some(function);
        let calls = is_call && !user.arguments().contains(&function);
        most_threads(calls.then(|| user.block().function())?, bounds, seen)
    });
    callers.collect::<Option<Vec<u32>>>()?.into_iter().max()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The clause that is left of `num_threads(clause)` in a kernel with the mode and the bound.
    fn left(mode: u32, bound: u32, clause: i32, strict: u32) -> i32 {
        let context = Context::new();
        let text = format!(
            "target triple = \"nvptx64-nvidia-cuda\"
@k_kernel_environment = constant {{ {{ i8, i8, i8 }} }} {{ {{ i8, i8, i8 }} {{ i8 0, i8 0, i8 {mode} }} }}
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
define ptx_kernel void @k() \"nvvm.maxntid\"=\"{bound}\" {{
  call void @teams()
  ret void
}}
define internal void @teams() {{
  call void @__kmpc_parallel_60(ptr null, i32 0, i32 1, i32 {clause}, i32 -1, ptr @region, ptr null, ptr null,
    i64 0, i32 {strict})
  ret void
}}
define internal void @region() {{
  call void @__kmpc_parallel_60(ptr null, i32 0, i32 1, i32 77777, i32 -1, ptr null, ptr null, ptr null, i64 0, i32 0)
  ret void
}}
"
        );
        let module = Module::parse(context, &text, "test").unwrap();
        run(context, &module);
        module.verify("after the pass").unwrap();
        let text = module.print();
        assert!(text.contains("i32 77777"), "in a region clauses stay");
        let (_, call) = text
            .split_once("@__kmpc_parallel_60(ptr null, i32 0, i32 1, i32 ")
            .unwrap();
        let (clause, _) = call.split_once(',').unwrap();
        clause.parse().unwrap()
    }

    #[test]
    fn a_clause_of_all_threads_goes() {
        assert_eq!(left(2, 256, 256, 0), -1);
        assert_eq!(left(2, 256, 1000, 0), -1);
    }

    #[test]
    fn other_clauses_stay() {
        assert_eq!(left(2, 256, 255, 0), 255);
        assert_eq!(left(2, 256, 256, 1), 256, "strict");
        assert_eq!(left(1, 256, 256, 0), 256, "a generic kernel");
        assert_eq!(left(2, 256, -1, 0), -1);
    }
}

//! Removes `num_threads` clauses that restrict nothing: those of at least as many threads as the block has.
//!
//! For `target teams distribute parallel for num_threads(256)` clang bounds the kernel's block to 256 threads, and
//! hands the clause to `__kmpc_parallel_60` as well. The runtime does not know the bound. So it kept the code for teams
//! smaller than the block, which has barriers and state, in kernels that need neither.
//!
//! For `num_threads(t)` of a combined construct there is no bound. `t` is a parameter of the kernel. The kernel's
//! environment gets its number as `MaxThreads`, negative, and the host launches no larger blocks (docs/abi.md).
//!
//! Only in SPMD kernels, where nothing but the clause restricts a team. The pass has to come before clang's optimiser,
//! which folds the runtime's state. clang runs it on each translation unit (link-plugin).

use std::collections::{HashMap, HashSet};

use vgpu_abi::summary::ExecutionMode;

use crate::analysis::{captures, exec_mode, kernel_value, kernels};
use crate::device::kernel_configuration::{self, Field};
use crate::ir::{Context, Module, Type, Value};

/// The argument of `parallel` that has the clause; -1 if there is none.
const NUM_THREADS: u32 = 3;
/// The argument that says whether a team of fewer threads is an error. The older entry point has none.
const STRICT: usize = 9;

/// Removes the clauses of a translation unit.
pub fn run(context: Context, module: &Module) {
    let mut spmd = kernels::find(module);
    spmd.retain(|kernel| exec_mode::of(module, &kernel.name) == ExecutionMode::Spmd);
    let kernels: Vec<Value> = spmd.iter().map(|kernel| kernel.function).collect();
    let bounds: HashMap<Value, u32> = spmd
        .iter()
        .filter_map(|kernel| Some((kernel.function, kernel.bound?)))
        .collect();
    let none = Value::int(Type::int(context, 32), u32::MAX.into());
    for function in module.definitions() {
        let forks = function.instructions().into_iter();
        for fork in forks.filter(|it| captures::is_fork(*it) && !is_strict(*it)) {
            let threads = fork.operand(NUM_THREADS);
            let restricts_nothing = match clause(threads) {
                Some(clause) => most_threads(function, &bounds, &mut HashSet::new())
                    .is_some_and(|bound| clause >= bound),
                None => kernel_value::origin(threads, &kernels)
                    .is_some_and(|(kernel, parameter)| limit_blocks(module, kernel, parameter)),
            };
            if restricts_nothing {
                fork.set_operand(NUM_THREADS, none);
            }
        }
    }
}

/// Whether too few threads for the clause are an error.
fn is_strict(fork: Value) -> bool {
    let strict = fork.arguments().get(STRICT).copied();
    strict.is_some_and(|strict| strict.as_int() != Some(0))
}

/// Has the host launch a kernel with at most as many threads as the parameter says. `false` if the kernel has another
/// bound.
fn limit_blocks(module: &Module, kernel: Value, parameter: usize) -> bool {
    kernel_configuration::change(module, &kernel.name(), Field::MaxThreads, |present| {
        let number = -i64::try_from(parameter).ok()?;
        let limited = Value::int(present.ty(), number as u64);
        // A constant of 32 bits, so the same number is the same value.
        let is_free = present == limited || present.as_int() == Some(0);
        (number != 0 && is_free).then_some(limited)
    })
}

/// The number in the clause, if it is a constant.
fn clause(threads: Value) -> Option<u32> {
    let clause = threads.as_int()? as i32;
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

    /// A kernel whose clause is parameter 2, through locals as clang makes them; `more` is code between.
    fn of_parameter(bound: i32, more: &str) -> String {
        let context = Context::new();
        let text = format!(
            "target triple = \"nvptx64-nvidia-cuda\"
@k_kernel_environment = constant {{ {{ i8, i8, i8, i32, i32 }}, ptr }}
  {{ {{ i8, i8, i8, i32, i32 }} {{ i8 0, i8 0, i8 2, i32 1, i32 {bound} }}, ptr null }}
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
define ptx_kernel void @k(ptr %launch, ptr %data, i64 %clause) {{
  %spilt = alloca i64
  %again = alloca i64
  store i64 %clause, ptr %spilt
  %number = load i32, ptr %spilt
  store i32 %number, ptr %again
  %captured = load i64, ptr %again
  call void @teams(i64 %captured)
  ret void
}}
define internal void @teams(i64 %clause) {{
  %spilt = alloca i64
  store i64 %clause, ptr %spilt
  {more}
  %threads = load i32, ptr %spilt
  call void @__kmpc_parallel_60(ptr null, i32 0, i32 1, i32 %threads, i32 -1, ptr null, ptr null, ptr null,
    i64 0, i32 0)
  ret void
}}
"
        );
        let module = Module::parse(context, &text, "test").unwrap();
        run(context, &module);
        module.verify("after the pass").unwrap();
        module.print()
    }

    #[test]
    fn a_clause_of_a_parameter_limits_the_launch() {
        let text = of_parameter(0, "");
        assert!(text.contains("i32 1, i32 -2 }"), "{text}");
        assert!(text.contains("i32 0, i32 1, i32 -1, i32 -1, ptr null"));
    }

    #[test]
    fn a_clause_of_another_value_stays() {
        let written = "store i64 5, ptr %spilt";
        let given_away = "call void @__kmpc_parallel_60(ptr %spilt, i32 0, i32 1, i32 -1, i32 -1, ptr null, ptr null, \
            ptr null, i64 0, i32 0)";
        for (bound, more) in [(0, written), (0, given_away), (128, "")] {
            let text = of_parameter(bound, more);
            assert!(text.contains(&format!("i32 1, i32 {bound} }}")), "{text}");
            assert!(text.contains("i32 0, i32 1, i32 %threads"), "{text}");
        }
    }
}

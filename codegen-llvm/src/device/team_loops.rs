//! Has the threads of a team go by strides through a `for` that they share (OpenMP 5.2, §11.5.1).
//!
//! Without a schedule, or with `schedule(static, 1)`, a thread gets every n-th iteration, n the threads of the team.
//! clang emits a loop over a thread's chunks, and in it one over a chunk's iterations, of which there is one. Here they
//! become one loop ([`super::thread_loop`]).
//!
//! Loops of other static schedules become the same: those with chunks of several iterations, and those with a piece
//! for each thread. Neighbouring threads have neighbouring iterations then, whose data GPUs fetch together.
//!
//! On a GPU the iterations go round the threads. The virtual GPU deals them as suits a CPU ([`ANY_OF_TEAM`]). So no
//! code of the region may tell which thread executes it, and there is no other such loop in the region: iterations of
//! the same number of two loops with `schedule(static)` are the same thread's (§11.5.3).
//!
//! The pass has to come before clang's optimiser, and after [`super::combined_loops`].

use super::last_iterations::is_copied;
use super::static_init::{ANY_OF_TEAM, IS_LAST, LOWER, OF_THREADS, calls_of, is_static};
use super::thread_loop::{ThreadLoop, only};
use super::thread_numbers;
use crate::analysis::locals::stores_to;
use crate::analysis::{captures, reach};
use crate::ir::{Context, Module, Value};

/// Changes all such loops of parallel regions.
pub fn run(context: Context, module: &Module) {
    let functions = module.definitions().into_iter();
    let forks = functions.flat_map(Value::instructions);
    let regions = forks
        .filter(|it| captures::is_fork(*it))
        .filter_map(captures::region);
    for region in regions {
        if let Some(threads) = only_loop(region)
            && let Some(found) = ThreadLoop::of(threads)
        {
            found.go_by_strides(context, None, ANY_OF_TEAM);
        }
    }
}

/// The call that deals the iterations of the only loop of a region, if any thread may execute any of them.
fn only_loop(region: Value) -> Option<Value> {
    let loops = |function| calls_of(function, OF_THREADS);
    let threads = only(loops(region))?;
    let is_any = is_static(threads)
        && !is_copied(threads.operand(IS_LAST))
        // From 0 on, a loop that ends with its type would have more iterations than the type counts.
        && stores_to(threads.operand(LOWER)).any(|it| it.as_int() == Some(0));
    if !is_any || thread_numbers::may_be_asked_for(region) {
        return None;
    }
    let reached = reach::mentioned(vec![region]).into_iter();
    let mut others = reached.filter(|it| it.is_function() && *it != region);
    (!others.any(|it| loops(it).next().is_some())).then_some(threads)
}

#[cfg(test)]
mod tests {
    use super::super::static_init::{SCHEDULE, STATIC_CHUNKED};
    use super::*;

    /// The schedule after the pass of a region's loop as clang emits it. `body` is what an iteration does, `behind`
    /// what follows the loop.
    fn schedule(body: &str, behind: &str) -> (u64, String) {
        schedule_of(&clangs(body, behind))
    }

    fn clangs(body: &str, behind: &str) -> String {
        format!(
            "target triple = \"nvptx64-nvidia-cuda\"
declare void @__kmpc_for_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i32 @omp_get_thread_num()
define void @more(ptr %p) {{
  call void @__kmpc_for_static_init_4(ptr null, i32 0, i32 33, ptr %p, ptr %p, ptr %p, ptr %p, i32 1, i32 1)
  ret void
}}
define void @kernel() {{
  call void @__kmpc_parallel_60(ptr null, i32 7, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr null, i64 0, i32 0)
  ret void
}}
define internal void @region(ptr %data) {{
  %i = alloca i32
  %last = alloca i32
  %lower = alloca i32
  %upper = alloca i32
  %stride = alloca i32
  %is = alloca i32
  store i32 999, ptr %last
  store i32 0, ptr %lower
  store i32 999, ptr %upper
  store i32 1, ptr %stride
  call void @__kmpc_for_static_init_4(ptr null, i32 0, i32 33, ptr %is, ptr %lower, ptr %upper, ptr %stride,
    i32 1, i32 1)
  br label %chunk
chunk:
  %u = load i32, ptr %upper
  %l = load i32, ptr %last
  %above = icmp sgt i32 %u, %l
  br i1 %above, label %cut, label %whole
cut:
  %cut_at = load i32, ptr %last
  br label %cond
whole:
  %own = load i32, ptr %upper
  br label %cond
cond:
  %least = phi i32 [ %cut_at, %cut ], [ %own, %whole ]
  store i32 %least, ptr %upper
  %first = load i32, ptr %lower
  store i32 %first, ptr %i
  %at = load i32, ptr %i
  %to = load i32, ptr %upper
  %any = icmp sle i32 %at, %to
  br i1 %any, label %inner, label %exit
inner:
  %now = load i32, ptr %i
  %until = load i32, ptr %upper
  %goes = icmp sle i32 %now, %until
  br i1 %goes, label %body, label %latch
body:
  {body}
  %old = load i32, ptr %i
  %next = add nsw i32 %old, 1
  store i32 %next, ptr %i
  br label %inner, !llvm.loop !0
latch:
  %a = load i32, ptr %lower
  %b = load i32, ptr %stride
  %c = add nsw i32 %a, %b
  store i32 %c, ptr %lower
  %d = load i32, ptr %upper
  %e = load i32, ptr %stride
  %f = add nsw i32 %d, %e
  store i32 %f, ptr %upper
  br label %chunk
exit:
  {behind}
  ret void
}}
!0 = distinct !{{!0, !1, !2}}
!1 = !{{!\"llvm.loop.mustprogress\"}}
!2 = !{{!\"llvm.loop.vectorize.enable\", i1 true}}
"
        )
    }

    /// The schedule of a module's region after the pass, and the module.
    fn schedule_of(text: &str) -> (u64, String) {
        let module = Module::parse(Context::new(), text, "test").unwrap();
        run(module.context, &module);
        module.verify("after the pass").unwrap();
        let region = module.function("region").unwrap();
        let call = calls_of(region, OF_THREADS).next().unwrap();
        (call.operand(SCHEDULE).as_int().unwrap(), module.print())
    }

    #[test]
    fn two_loops_become_one() {
        let (number, text) = schedule("", "");
        assert_eq!(number, ANY_OF_TEAM);
        // To the last iteration less those behind; by the stride; and out.
        assert_eq!(text.matches("= sub i32").count(), 1, "{text}");
        assert!(!text.contains("add nsw i32 %old, 1"), "{text}");
        let latch = &text[text.find("\nlatch:").unwrap()..];
        assert!(latch.contains("br label %exit"), "{text}");
        assert!(!text.contains("llvm.loop.vectorize"), "{text}");
        assert!(text.contains("llvm.loop.mustprogress"), "{text}");
    }

    #[test]
    fn loops_of_known_lengths_become_one() {
        let text = clangs("", "").replace("load i32, ptr %last", "or i32 999, 0");
        let known = text.replace("%cut_at, %cut", "999, %cut");
        assert_eq!(schedule_of(&known).0, ANY_OF_TEAM);
        // What is not understood stays.
        assert_eq!(schedule_of(&text).0, STATIC_CHUNKED);
    }

    #[test]
    fn pieces_and_longer_chunks_go_by_strides() {
        let chunks = clangs("", "").replace("i32 1, i32 1)", "i32 1, i32 16)");
        let (number, after) = schedule_of(&chunks);
        assert_eq!(number, ANY_OF_TEAM);
        assert!(after.contains("ptr %stride, i32 1, i32 1)"), "{after}");
        let pieces = clangs("", "").replace("i32 33, ptr %is", "i32 34, ptr %is");
        let latch = pieces.find("latch:").unwrap();
        let pieces = format!(
            "{}latch:\n  br label %exit\n{}",
            &pieces[..latch],
            &pieces[pieces.find("exit:\n").unwrap()..]
        );
        assert_eq!(schedule_of(&pieces).0, ANY_OF_TEAM);
    }

    #[test]
    fn who_executes_an_iteration_may_matter() {
        let asks = "%who = call i32 @omp_get_thread_num()";
        assert_eq!(schedule(asks, "").0, STATIC_CHUNKED);
        assert_eq!(schedule("", asks).0, STATIC_CHUNKED);
        let again = "call void @more(ptr %is)";
        assert_eq!(schedule("", again).0, STATIC_CHUNKED);
    }
}

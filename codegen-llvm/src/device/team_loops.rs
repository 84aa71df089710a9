//! Makes one loop of the two that clang emits for a `for` in a team (OpenMP 5.2, §11.5.1).
//!
//! Without a schedule, or with `schedule(static, 1)`, a thread gets every n-th iteration, n the threads of the team.
//! clang emits a loop over a thread's chunks, and in it one over a chunk's iterations, of which there is one:
//!
//! ```text
//! init(lower, upper, stride);
//! while (upper = min(upper, last), lower <= upper) {
//!     for (i = lower; i <= upper; i++) ...
//!     lower += stride; upper += stride;
//! }
//! ```
//!
//! Here the inner loop goes on by the stride, and the outer one runs once:
//!
//! ```text
//! init(lower, behind, stride);
//! upper = last - behind;
//! for (i = lower; i <= upper; i += stride) ...
//! ```
//!
//! On a GPU `behind` is 0, and threads get the iterations that they got before. The virtual GPU deals them as suits a
//! CPU ([`ANY_OF_TEAM`]). So no code of the region may tell which thread executes it, and there is no other such loop
//! in the region: iterations of the same number of two loops with `schedule(static)` are the same thread's (§11.5.3).
//!
//! The pass has to come before clang's optimiser, and after [`super::combined_loops`].

use llvm_sys::LLVMOpcode::{LLVMBr, LLVMStore, LLVMSub};

use super::last_iterations::is_copied;
use super::static_init::{
    ANY_OF_TEAM, CHUNK, IS_LAST, LOWER, OF_THREADS, SCHEDULE, STATIC_CHUNKED, STRIDE, UPPER,
    calls_of, forget_vectors, is_scheduled, promise_no_wrap,
};
use super::static_pieces::{clamp_of, next_of, only};
use super::thread_numbers;
use crate::analysis::locals::{added, loaded_from, stores, stores_to};
use crate::analysis::{captures, reach};
use crate::ir::{Block, Builder, Context, Module, Type, Value};

/// Changes all such loops of parallel regions.
pub fn run(context: Context, module: &Module) {
    let functions = module.definitions().into_iter();
    let forks = functions.flat_map(Value::instructions);
    let regions = forks
        .filter(|it| captures::is_fork(*it))
        .filter_map(captures::region);
    for region in regions {
        if let Some(threads) = only_loop(region)
            && let Some(found) = ChunkLoops::of(threads)
        {
            found.make_one(context);
            let number = Value::int(Type::int(context, 32), ANY_OF_TEAM);
            threads.set_operand(SCHEDULE, number);
            promise_no_wrap(threads);
            forget_vectors(context, threads);
        }
    }
}

/// The call that deals the iterations of the only loop of a region, if any thread may execute any of them.
fn only_loop(region: Value) -> Option<Value> {
    let loops = |function| calls_of(function, OF_THREADS);
    let threads = only(loops(region))?;
    let is_one = is_scheduled(threads, STATIC_CHUNKED)
        && threads.operand(CHUNK).as_int() == Some(1)
        && !is_copied(threads.operand(IS_LAST))
        // From 0 on, a loop that ends with its type would have more iterations than the type counts.
        && stores_to(threads.operand(LOWER)).any(|it| it.as_int() == Some(0));
    if !is_one || thread_numbers::may_be_asked_for(region) {
        return None;
    }
    let reached = reach::mentioned(vec![region]).into_iter();
    let mut others = reached.filter(|it| it.is_function() && *it != region);
    (!others.any(|it| loops(it).next().is_some())).then_some(threads)
}

/// clang's two loops.
struct ChunkLoops {
    /// The local with the bound that the call leaves.
    upper: Value,
    stride: Value,
    /// The local with the last iteration of the loop.
    last: Value,
    /// The store that keeps the end of a chunk within the loop.
    clamp: Value,
    /// The addition that gives the next iteration of a chunk.
    next: Value,
    /// The end of the outer loop, and what follows it.
    latch: Block,
    exit: Block,
}

impl ChunkLoops {
    fn of(threads: Value) -> Option<ChunkLoops> {
        let [lower, upper, stride] =
            [LOWER, UPPER, STRIDE].map(|it| threads.operand(it).address_base());
        let clamp = clamp_of(upper)?;
        let last = only(chosen_from(clamp.operand(0)).filter(|it| *it != upper))?;

        let is_stride = |by: Value| loaded_from(by) == Some(stride);
        let goes_on =
            |bound| only(stores(bound).filter(|it| added(*it, bound).is_some_and(is_stride)));
        let latch = goes_on(lower)?.block();
        let same_latch = goes_on(upper)?.block() == latch;
        let end = latch.terminator()?;
        let [_, exit] = clamp.block().successors()[..] else {
            return None;
        };

        let region = threads.block().function().instructions();
        let counter = only(
            region
                .into_iter()
                .filter(|it| {
                    it.opcode() == Some(LLVMStore) && loaded_from(it.operand(0)) == Some(lower)
                })
                .map(|it| it.operand(1).address_base()),
        )?;
        let next = next_of(counter)?;

        let is_plain = exit.instructions().first().is_some_and(|it| !it.is_phi());
        let is_loop =
            same_latch && end.opcode() == Some(LLVMBr) && end.successors().len() == 1 && is_plain;
        is_loop.then_some(ChunkLoops {
            upper,
            stride,
            last,
            clamp,
            next: next.operand(0),
            latch,
            exit,
        })
    }

    fn make_one(&self, context: Context) {
        let builder = Builder::before(context, self.clamp);
        let number = self.next.ty();
        let last = builder.load(number, self.last);
        let behind = builder.load(number, self.upper);
        self.clamp
            .set_operand(0, builder.binary(LLVMSub, last, behind));
        let builder = Builder::before(context, self.next);
        self.next.set_operand(1, builder.load(number, self.stride));
        if let Some(end) = self.latch.terminator() {
            end.set_successor(0, self.exit);
        }
    }
}

/// The locals from which the values of a choice are loaded.
fn chosen_from(choice: Value) -> impl Iterator<Item = Value> {
    let values = match choice.is_phi() {
        true => choice
            .incoming()
            .into_iter()
            .map(|(value, _)| value)
            .collect(),
        false => choice.operands().split_off(1),
    };
    values.into_iter().filter_map(loaded_from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The schedule after the pass of a region's loop as clang emits it. `body` is what an iteration does, `behind`
    /// what follows the loop.
    fn schedule(body: &str, behind: &str) -> (u64, String) {
        let text = format!(
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
        );
        let module = Module::parse(Context::new(), &text, "test").unwrap();
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
    fn who_executes_an_iteration_may_matter() {
        let asks = "%who = call i32 @omp_get_thread_num()";
        assert_eq!(schedule(asks, "").0, STATIC_CHUNKED);
        assert_eq!(schedule("", asks).0, STATIC_CHUNKED);
        let again = "call void @more(ptr %is)";
        assert_eq!(schedule("", again).0, STATIC_CHUNKED);
    }
}

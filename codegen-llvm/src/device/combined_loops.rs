//! Makes one loop of the two that clang emits for `distribute parallel for` (OpenMP 5.2, §11.5.3 and §11.6).
//!
//! Where the program states no `dist_schedule`, clang deals chunks of the team's size to the teams, and the iterations
//! of a chunk to the threads. That is a loop over a team's chunks, and in it one over a thread's iterations of a chunk,
//! of which there is one. The bounds of each chunk are computed on the way, by dozens of instructions for an iteration
//! that may be two loads and a store.
//!
//! Here a team gets all iterations as its only chunk, and of these a thread every n-th, n the threads of all teams
//! (schedules [`WHOLE`] and [`ALL_THREADS`] of the device runtime). Threads get the iterations that they got before,
//! unless no code of the loop can tell which thread executes it. Then the virtual GPU deals them as suits a CPU
//! ([`ANY_THREADS`]). A loop that reduces across teams stays two, because its team has one piece already
//! (docs/decisions/0024-reducing-loops-in-one-piece.md). The virtual GPU deals that piece in its own way, too
//! ([`ANY_OF_TEAM`]).
//!
//! The pass has to come before clang's optimiser, which makes one function of the two. clang runs it on each
//! translation unit (link-plugin).

use llvm_sys::LLVMOpcode;

use super::kernel_configuration::{self, Field};
use super::last_iterations::is_copied;
use super::static_init::{
    ANY_OF_TEAM, CHUNK, IS_LAST, LOWER, OF_TEAMS, OF_THREADS, SCHEDULE, STATIC_CHUNKED, STRIDE,
    UPPER, calls_of, forget_vectors, is_scheduled, promise_no_wrap,
};
use super::static_pieces::{self, only};
use super::thread_numbers;
use crate::analysis::captures;
use crate::analysis::intrinsics::is_call_of;
use crate::analysis::kernel_value::only_call;
use crate::analysis::locals::{
    converted, holds_parameter, holds_parameter_itself, loaded_from, stores_to,
};
use crate::ir::{Builder, Context, Module, Type, Value};

/// `dist_schedule(static, chunk)` (`OMPScheduleType`).
const DISTRIBUTE_CHUNKED: u64 = 91;
/// `schedule(static)`, without a chunk.
const STATIC: u64 = 34;
/// Every team gets the whole loop as one chunk (devicertl: `static_schedule::DISTRIBUTE_WHOLE`).
const WHOLE: u64 = 95;
/// Iterations are dealt to all threads of all teams (LLVM: `kmp_sched_distr_static_chunk_sched_static_chunkone`).
const ALL_THREADS: u64 = 93;
/// The same for a loop of which nobody can tell who executes which iterations. The upper bound that the runtime leaves
/// is how many iterations before the team's the thread's loop ends (devicertl: `static_schedule::DISTRIBUTE_FOR_ANY`).
const ANY_THREADS: u64 = 96;
/// `MinTeams` of a kernel with a loop of [`ANY_THREADS`] (docs/abi.md).
const ROWS: i64 = -2;
/// Parameters of the region: what begins a team's chunk, and what ends it.
const CHUNK_LOWER: usize = 2;
const CHUNK_UPPER: usize = 3;

/// Changes the schedules of all such loops.
pub fn run(context: Context, module: &Module) {
    let schedule = |number| Value::int(Type::int(context, 32), number);
    for function in module.definitions() {
        let Some((teams, threads)) = combined(function) else {
            continue;
        };
        forget_vectors(context, threads);
        if is_scheduled(threads, STATIC) {
            if !deal_singly(context, threads) {
                continue;
            }
            threads.set_operand(SCHEDULE, schedule(STATIC_CHUNKED));
        }
        if reduces(function) {
            // From 0 on, a loop that ends with its type would have more iterations than the type counts.
            // What else is stored there are the beginnings of the team's next chunks.
            if stores_to(teams.operand(LOWER)).any(|it| it.as_int() == Some(0))
                && can_end_early(context, threads)
            {
                threads.set_operand(SCHEDULE, schedule(ANY_OF_TEAM));
            }
            continue;
        }
        teams.set_operand(SCHEDULE, schedule(WHOLE));
        let any = can_end_early(context, threads);
        if any {
            mark_rows(context, module, function);
        }
        threads.set_operand(
            SCHEDULE,
            schedule(if any { ANY_THREADS } else { ALL_THREADS }),
        );
    }
}

/// Has a loop of `schedule(static)` go on as that of `schedule(static, 1)` does, if no code of it can tell which thread
/// executes it. Of a chunk of the team's size each thread has one iteration in either case. Only where a team has fewer
/// threads are they others.
fn deal_singly(context: Context, threads: Value) -> bool {
    let region = threads.block().function();
    let team = region.parameters()[CHUNK_UPPER];
    let [upper, stride] = [UPPER, STRIDE].map(|it| threads.operand(it).address_base());
    !thread_numbers::may_be_asked_for(region)
        && static_pieces::go_by_strides(context, region, upper, stride, team)
}

/// Has the host see that the kernel whose loop this is may deal rows of iterations to a warp ([`ROWS`]).
fn mark_rows(context: Context, module: &Module, function: Value) {
    let kernel = only_call(function).map_or(function, |call| call.block().function());
    kernel_configuration::change(module, &kernel.name(), Field::MinTeams, |present| {
        let is_free = present.as_signed_int()? <= 0;
        is_free.then(|| Value::int(Type::int(context, 32), ROWS as u64))
    });
}

/// Whether the teams of a kernel reduce.
fn reduces(kernel: Value) -> bool {
    calls_of(kernel, "__kmpc_nvptx_teams_reduce_")
        .next()
        .is_some()
}

/// Lets a thread's loop end before the team's, if no code of the region can tell which thread executes it.
fn can_end_early(context: Context, threads: Value) -> bool {
    let region = threads.block().function();
    if thread_numbers::may_be_asked_for(region) {
        return false;
    }
    let team = region.parameters().get(CHUNK_UPPER).copied();
    let is_team_bound = |value: Value| {
        let last = static_pieces::last_of(value);
        last.opcode() == Some(LLVMOpcode::LLVMLoad) && holds_parameter_itself(last.operand(0), team)
    };
    let tests = region
        .instructions()
        .into_iter()
        .filter(|it| it.opcode() == Some(LLVMOpcode::LLVMICmp) && is_team_bound(it.operand(1)));
    let Some(test) = only(tests) else {
        return false;
    };
    let bound = test.operand(1);
    let counter = converted(test.operand(0)).ty();
    let builder = Builder::before(context, test);
    let behind = builder.load(counter, threads.operand(UPPER));
    let behind = builder.cast_unsigned(behind, bound.ty());
    test.set_operand(1, builder.binary(LLVMOpcode::LLVMSub, bound, behind));
    promise_no_wrap(threads);
    true
}

/// The calls that deal the iterations to the teams and to the threads, if a function has one such construct.
fn combined(function: Value) -> Option<(Value, Value)> {
    let teams = only(calls_of(function, OF_TEAMS))?;
    let fork = only(
        function
            .instructions()
            .into_iter()
            .filter(|it| captures::is_fork(*it)),
    )?;
    let region = captures::region(fork)?;
    let threads = only(calls_of(region, OF_THREADS))?;
    let open = is_scheduled(teams, DISTRIBUTE_CHUNKED)
        && is_block_size(teams.operand(CHUNK))
        && !is_copied(teams.operand(IS_LAST));
    let schedules = [STATIC_CHUNKED, STATIC];
    let one_by_one = schedules.iter().any(|it| is_scheduled(threads, *it))
        && threads.operand(CHUNK).as_int() == Some(1);
    let same_loop = [(LOWER, CHUNK_LOWER), (UPPER, CHUNK_UPPER)]
        .into_iter()
        .all(|(bound, parameter)| {
            captures::passed(fork, parameter).and_then(loaded_from)
                == Some(teams.operand(bound).address_base())
                && holds_parameter(
                    threads.operand(bound),
                    region.parameters().get(parameter).copied(),
                )
        });
    (open && one_by_one && same_loop).then_some((teams, threads))
}

/// Whether a chunk is the team's size, as clang asks for it where the program states none.
fn is_block_size(chunk: Value) -> bool {
    is_call_of(
        converted(chunk),
        &["__kmpc_get_hardware_num_threads_in_block"],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The schedules after the pass of a loop as clang emits it: that of the teams, that of the threads. `upper` is
    /// what the fork passes as the end of the team's chunk, `after` what follows the fork, `body` what follows the
    /// dealing to threads.
    fn schedules(
        chunk: &str,
        dealt: &str,
        upper: &str,
        after: &str,
        body: &str,
    ) -> (String, String) {
        let module = passed(chunk, dealt, upper, after, body);
        let of = |name: &str, prefix| {
            let call = only(calls_of(module.function(name).unwrap(), prefix)).unwrap();
            call.operand(SCHEDULE).as_int().unwrap().to_string()
        };
        (of("teams", OF_TEAMS), of("region", OF_THREADS))
    }

    /// The loop of [`schedules`] after the pass.
    fn passed(chunk: &str, dealt: &str, upper: &str, after: &str, body: &str) -> Module {
        let context = Context::new();
        let text = format!(
            "target triple = \"nvptx64-nvidia-cuda\"
@kept = global i32 0
@teams_kernel_environment = constant {{ {{ i8, i8, i8, i32, i32, i32 }}, ptr }}
  {{ {{ i8, i8, i8, i32, i32, i32 }} {{ i8 0, i8 0, i8 2, i32 1, i32 128, i32 -1 }}, ptr null }}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @omp_get_thread_num()
declare double @__nv_sin(double)
declare i32 @__kmpc_get_hardware_num_threads_in_block()
declare void @__kmpc_distribute_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
declare void @__kmpc_for_static_init_4(ptr, i32, i32, ptr, ptr, ptr, ptr, i32, i32)
declare void @__kmpc_parallel_60(ptr, i32, i32, i32, i32, ptr, ptr, ptr, i64, i32)
declare i32 @__kmpc_nvptx_teams_reduce_nowait_v2(ptr)
declare i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr)
define void @teams() {{
  %lb = alloca i32
  %ub = alloca i32
  %other = alloca i32
  %stride = alloca i32
  %last = alloca i32
  %list = alloca [2 x ptr]
  store i32 0, ptr %last
  store i32 0, ptr %lb
  %size = call i32 @__kmpc_get_hardware_num_threads_in_block()
  call void @__kmpc_distribute_static_init_4(ptr null, i32 0, i32 91, ptr %last, ptr %lb, ptr %ub, ptr %stride,
    i32 1, i32 {chunk})
  %l = load i32, ptr %lb
  %lw = zext i32 %l to i64
  %lp = inttoptr i64 %lw to ptr
  store ptr %lp, ptr %list
  %u = load i32, ptr {upper}
  %uw = zext i32 %u to i64
  %up = inttoptr i64 %uw to ptr
  %second = getelementptr [2 x ptr], ptr %list, i64 0, i64 1
  store ptr %up, ptr %second
  call void @__kmpc_parallel_60(ptr null, i32 0, i32 1, i32 -1, i32 -1, ptr @region, ptr null, ptr %list, i64 2, i32 0)
  {after}
  ret void
}}
define internal void @region(ptr %gtid, ptr %btid, i64 %from, i64 %to) {{
  %from.addr = alloca i64
  %to.addr = alloca i64
  %lb = alloca i32
  %ub = alloca i32
  %stride = alloca i32
  %last = alloca i32
  store i64 %from, ptr %from.addr
  store i64 %to, ptr %to.addr
  store i32 0, ptr %lb
  %f = load i64, ptr %from.addr
  %fn = trunc i64 %f to i32
  %t = load i64, ptr %to.addr
  %tn = trunc i64 %t to i32
  store i32 %fn, ptr %lb
  store i32 %tn, ptr %ub
  call void @__kmpc_for_static_init_4(ptr null, i32 0, i32 {dealt}, ptr %last, ptr %lb, ptr %ub, ptr %stride,
    i32 1, i32 1)
  {body}
  ret void
}}
"
        );
        let module = Module::parse(context, &text, "test").unwrap();
        run(context, &module);
        module.verify("after the pass").unwrap();
        module
    }

    fn both(teams: &str, threads: &str) -> (String, String) {
        (teams.to_owned(), threads.to_owned())
    }

    #[test]
    fn clangs_own_chunks_become_one() {
        let one = both("95", "93");
        assert_eq!(schedules("%size", "33", "%ub", "", ""), one);
        assert_eq!(
            schedules("%size", "1073741857", "%ub", "", ""),
            one,
            "nonmonotonic"
        );
    }

    #[test]
    fn what_the_program_says_stays() {
        let as_is = |dealt| both("91", dealt);
        assert_eq!(
            schedules("128", "33", "%ub", "", ""),
            as_is("33"),
            "dist_schedule"
        );
        assert_eq!(
            schedules("%size", "34", "%ub", "", ""),
            as_is("34"),
            "schedule"
        );
        assert_eq!(
            schedules("%size", "33", "%other", "", ""),
            as_is("33"),
            "a loop of its own"
        );
        assert_eq!(
            schedules("%size", "33", "%ub", &last("@kept"), ""),
            as_is("33"),
            "lastprivate"
        );
        let reduces = "%r = call i32 @__kmpc_nvptx_teams_reduce_nowait_v2(ptr null)";
        assert_eq!(
            schedules("%size", "33", "%ub", reduces, ""),
            as_is("33"),
            "a reduction"
        );
    }

    /// What clang has the thread do that executes the last iteration.
    fn last(written: &str) -> String {
        format!(
            "%is = load i32, ptr %last
  %yes = icmp ne i32 %is, 0
  br i1 %yes, label %copy, label %end
copy:
  store i32 1, ptr {written}
  br label %end
end:"
        )
    }

    #[test]
    fn the_loops_own_variable_is_nobodys() {
        let one = both("95", "93");
        let simd = last("%other");
        assert_eq!(schedules("%size", "33", "%ub", &simd, ""), one);
    }

    /// A loop of one instruction.
    fn counting(instruction: &str) -> String {
        format!(
            "%v = alloca i32
  %begin = load i32, ptr %lb
  store i32 %begin, ptr %v
  br label %test
test:
  %at = load i32, ptr %v
  %wide = sext i32 %at to i64
  %team = load i64, ptr %to.addr
  %goes = icmp ule i64 %wide, %team
  br i1 %goes, label %work, label %end
work:
  {instruction}
  %old = load i32, ptr %v
  %step = load i32, ptr %stride
  %new = add nsw i32 %old, %step
  store i32 %new, ptr %v
  br label %test
end:"
        )
    }

    #[test]
    fn loops_that_nobody_is_asked_in_may_be_dealt_in_any_way() {
        let dealt = |instruction| schedules("%size", "33", "%ub", "", &counting(instruction)).1;
        assert_eq!(dealt("store i32 %at, ptr @kept"), "96");
        assert_eq!(dealt("%s = call double @__nv_sin(double 1.0)"), "96");
        assert_eq!(dealt("%n = call i32 @omp_get_thread_num()"), "93");
        assert_eq!(
            dealt("%n = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()"),
            "93"
        );
        assert_eq!(dealt("call void asm \"nop\", \"\"()"), "93");
        assert_eq!(dealt("%g = load ptr, ptr @kept\n  call void %g()"), "93");
    }

    #[test]
    fn the_host_sees_loops_that_may_be_dealt_in_any_way() {
        let told = |upper: &str, body: &str| {
            let text = passed("%size", "33", upper, "", body).print();
            text.contains("i32 1, i32 128, i32 -2")
        };
        assert!(told("%ub", &counting("store i32 %at, ptr @kept")));
        assert!(!told(
            "%ub",
            &counting("%n = call i32 @omp_get_thread_num()")
        ));
        assert!(!told("%other", &counting("store i32 %at, ptr @kept")));
    }

    /// The loop of `schedule(static)`, through the piece of a thread.
    fn piece(instruction: &str) -> String {
        let by_strides = counting(instruction);
        let end = "  %own = load i32, ptr %ub
  %less = icmp sgt i32 %own, 99
  %cut = select i1 %less, i32 99, i32 %own
  store i32 %cut, ptr %ub
  %begin =";
        by_strides
            .replace("  %begin =", end)
            .replace("%wide = sext i32 %at to i64", "%piece = load i32, ptr %ub")
            .replace("  %team = load i64, ptr %to.addr\n", "")
            .replace("icmp ule i64 %wide, %team", "icmp sle i32 %at, %piece")
            .replace("  %step = load i32, ptr %stride\n", "")
            .replace("%old, %step", "%old, 1")
    }

    #[test]
    fn pieces_may_be_dealt_in_any_way_if_nobody_is_asked() {
        let dealt = |instruction| schedules("%size", "34", "%ub", "", &piece(instruction));
        assert_eq!(dealt("store i32 %at, ptr @kept"), both("95", "96"));
        let asks = "%n = call i32 @omp_get_thread_num()";
        assert_eq!(dealt(asks), both("91", "34"));
        let reduces = "%r = call i32 @__kmpc_nvptx_teams_reduce_nowait_v2(ptr null)";
        let of_team = "%s = call i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr null)";
        let reducing = schedules("%size", "34", "%ub", reduces, &piece(of_team));
        assert_eq!(reducing, both("91", "97"));
    }

    #[test]
    fn loops_through_pieces_go_by_strides() {
        let plain = piece("store i32 %at, ptr @kept");
        let after = passed("%size", "34", "%ub", "", &plain).print();
        for line in [
            "trunc i64 %",
            "icmp sle i32 %at, %",
            "load i32, ptr %stride",
        ] {
            assert!(after.contains(line), "{line} is missing in {after}");
        }
        for line in ["store i32 %cut, ptr %ub", "add nsw i32 %old, 1"] {
            assert!(!after.contains(line), "{line} in {after}");
        }
        let other = plain.replace("%old, 1", "%old, 2");
        let dealt = schedules("%size", "34", "%ub", "", &other);
        assert_eq!(dealt, both("91", "34"), "no loop through a piece");
    }

    #[test]
    fn the_piece_of_a_team_that_reduces_is_dealt_in_any_way() {
        let reduces = "%r = call i32 @__kmpc_nvptx_teams_reduce_nowait_v2(ptr null)";
        let dealt = |instruction| {
            let body = counting(instruction);
            schedules("%size", "33", "%ub", reduces, &body)
        };
        let of_team = "%s = call i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr null)";
        assert_eq!(dealt(of_team), both("91", "97"));
        let asks = "%n = call i32 @omp_get_thread_num()";
        assert_eq!(dealt(asks), both("91", "33"));
    }

    #[test]
    fn unsigned_counters_do_not_wrap() {
        let signed = counting("store i32 %at, ptr @kept");
        let unsigned = signed
            .replace("sext", "zext")
            .replace("icmp ule i64 %wide, %team", "icmp ult i64 %wide, %beyond")
            .replace("  %goes", "  %beyond = add i64 %team, 1\n  %goes")
            .replace("add nsw", "add");
        assert_eq!(schedules("%size", "33", "%ub", "", &unsigned).1, "96");
        let after = |body: &str| passed("%size", "33", "%ub", "", body).print();
        assert!(after(&unsigned).contains("%new = add nuw i32"));
        assert!(after(&signed).contains("%new = add nsw i32"));
    }
}

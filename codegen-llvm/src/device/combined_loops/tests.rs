//! Loops as clang emits them, and their schedules after the pass.

use super::*;

const STORES: &str = "store i32 %at, ptr @kept";
const ASKS: &str = "%n = call i32 @omp_get_thread_num()";
const REDUCES: &str = "%r = call i32 @__kmpc_nvptx_teams_reduce_nowait_v2(ptr null)";
const OF_TEAM: &str = "%s = call i32 @__kmpc_nvptx_parallel_reduce_nowait_v2(ptr null)";

/// The call that begins a thread's part: a schedule's number, and behind a colon the chunk.
fn begin(dealt: &str) -> String {
    let (schedule, chunk) = dealt.split_once(':').unwrap_or((dealt, "1"));
    match schedule {
        "33" | "34" | "45" | "1073741857" => format!(
            "call void @__kmpc_for_static_init_4(ptr null, i32 0, i32 {schedule}, ptr %last, ptr %lb, ptr %ub,
               ptr %stride, i32 1, i32 {chunk})"
        ),
        _ => format!(
            "%first = load i32, ptr %lb
             %whole = load i32, ptr %ub
             call void @__kmpc_dispatch_init_4(ptr null, i32 0, i32 {schedule}, i32 %first, i32 %whole, i32 1,
               i32 {chunk})"
        ),
    }
}

/// The schedules after the pass of a loop as clang emits it: that of the teams, that of the threads. `upper` is
/// what the fork passes as the end of the team's chunk, `after` what follows the fork, `body` what follows the
/// dealing to threads.
fn schedules(chunk: &str, dealt: &str, upper: &str, after: &str, body: &str) -> (String, String) {
    let module = passed(chunk, dealt, upper, after, body);
    let of = |name: &str, prefix| match only(calls_of(module.function(name).unwrap(), prefix)) {
        Some(call) => call.operand(SCHEDULE).as_int().unwrap().to_string(),
        None => "asked".into(),
    };
    (of("teams", OF_TEAMS), of("region", OF_THREADS))
}

/// The loop of [`schedules`] after the pass.
fn passed(chunk: &str, dealt: &str, upper: &str, after: &str, body: &str) -> Module {
    let context = Context::new();
    let dealt = begin(dealt);
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
declare void @__kmpc_dispatch_init_4(ptr, i32, i32, i32, i32, i32, i32)
declare i32 @__kmpc_dispatch_next_4(ptr, i32, ptr, ptr, ptr, ptr)
declare void @__kmpc_dispatch_deinit(ptr, i32)
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
  %other = alloca i32
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
  {dealt}
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
    assert_eq!(
        schedules("%size", "33", "%ub", REDUCES, ""),
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
    assert_eq!(dealt(STORES), "96");
    assert_eq!(dealt("%s = call double @__nv_sin(double 1.0)"), "96");
    assert_eq!(dealt(ASKS), "93");
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
    assert!(told("%ub", &counting(STORES)));
    assert!(!told("%ub", &counting(ASKS)));
    assert!(!told("%other", &counting(STORES)));
}

/// The loop of `schedule(static)`, through the piece of a thread.
fn piece(instruction: &str) -> String {
    let by_strides = counting(instruction);
    let end = "  %own = load i32, ptr %ub
  %all = load i32, ptr %other
  %less = icmp sgt i32 %own, %all
  %cut = select i1 %less, i32 %all, i32 %own
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

/// A loop through a chunk within another one, which has `before` and `behind` around it.
fn within(before: &str, instruction: &str, behind: &str) -> String {
    let through = piece(instruction);
    let inner = &through[through.find("test:").unwrap() + "test:".len()..];
    let inner = inner.replace("label %end", "label %latch");
    format!(
        "%v = alloca i32\n  {before}{}",
        inner.replace("end:", behind)
    )
}

/// The loops of `schedule(static, chunk)`: over chunks, and in it through a chunk.
fn chunks(instruction: &str) -> String {
    let outer = "br label %chunk
chunk:
  %own = load i32, ptr %ub
  %all.wide = load i64, ptr %to.addr
  %all = trunc i64 %all.wide to i32
  %less = icmp sgt i32 %own, %all
  %cut = select i1 %less, i32 %all, i32 %own
  store i32 %cut, ptr %ub
  %begin = load i32, ptr %lb
  store i32 %begin, ptr %v
  %any = icmp sle i32 %begin, %cut
  br i1 %any, label %test, label %end
test:";
    let behind = "latch:
  %a = load i32, ptr %lb
  %b = load i32, ptr %stride
  %c = add nsw i32 %a, %b
  store i32 %c, ptr %lb
  %d = load i32, ptr %ub
  %e = load i32, ptr %stride
  %g = add nsw i32 %d, %e
  store i32 %g, ptr %ub
  br label %chunk
end:
  %done = load i32, ptr %lb";
    within(outer, instruction, behind)
}

/// The loop of a schedule of which threads ask for chunks.
fn asking(instruction: &str) -> String {
    let ask = "br label %ask
ask:
  %got = call i32 @__kmpc_dispatch_next_4(ptr null, i32 0, ptr %last, ptr %lb, ptr %ub, ptr %stride)
  %any = icmp ne i32 %got, 0
  br i1 %any, label %begin, label %end
begin:
  %from.now = load i32, ptr %lb
  store i32 %from.now, ptr %v
  br label %test
test:";
    let end = "latch:
  br label %ask
end:
  call void @__kmpc_dispatch_deinit(ptr null, i32 0)";
    within(ask, instruction, end)
}

#[test]
fn whatever_the_schedule_any_thread_may_execute_an_iteration_if_nobody_is_asked() {
    for (dealt, body) in [
        ("34", piece as fn(&str) -> String),
        ("33:16", chunks),
        ("33:%fn", chunks),
        ("45:8", chunks),
        ("35:64", asking),
        ("1073741859", asking),
        ("36", asking),
        ("37", asking),
    ] {
        let after =
            |upper, after: &str, inside| schedules("%size", dealt, upper, after, &body(inside));
        assert_eq!(after("%ub", "", STORES), both("95", "96"), "{dealt}");
        assert_eq!(after("%ub", REDUCES, OF_TEAM), both("91", "97"), "{dealt}");
        let number = if body(STORES).contains("dispatch") {
            "asked"
        } else {
            &dealt[..2]
        };
        let as_is = both("91", number);
        assert_eq!(after("%ub", "", ASKS), as_is, "{dealt}");
        assert_eq!(after("%other", "", STORES), as_is, "{dealt}");
        assert_eq!(after("%ub", &last("@kept"), STORES), as_is, "{dealt}");
    }
}

#[test]
fn ordered_iterations_are_asked_for() {
    let after = schedules("%size", "67", "%ub", "", &asking(STORES));
    assert_eq!(after, both("91", "asked"));
}

#[test]
fn chunks_of_teams_may_be_others_if_nobody_is_asked() {
    let after = |dealt, after: &str, body: &str| schedules("64", dealt, "%ub", after, body);
    let one = both("95", "96");
    assert_eq!(after("33", "", &counting(STORES)), one);
    assert_eq!(after("33:16", "", &chunks(STORES)), one);
    assert_eq!(after("34", "", &piece(STORES)), one);
    let as_is = both("91", "33");
    assert_eq!(after("33", "", &counting(ASKS)), as_is);
    assert_eq!(after("33", REDUCES, &counting(OF_TEAM)), as_is);
    assert_eq!(after("33", ASKS, &counting(STORES)), as_is);
    // Threads that ask share what may be a large chunk.
    assert_eq!(after("35", "", &asking(STORES)), both("91", "asked"));
}

#[test]
fn loops_through_pieces_go_by_strides() {
    for (dealt, body) in [
        ("34", piece as fn(&str) -> String),
        ("33:16", chunks),
        ("35:64", asking),
    ] {
        let plain = body(STORES);
        let after = passed("%size", dealt, "%ub", "", &plain).print();
        let region = &after[after.find("@region(ptr %gtid").unwrap()..];
        for line in [
            "= sub i32 %",
            "icmp sle i32 %at, %",
            "load i32, ptr %stride",
        ] {
            assert!(region.contains(line), "{line} is missing in {region}");
        }
        for line in ["add nsw i32 %old, 1", "br label %chunk\n\nend", "dispatch"] {
            assert!(!region.contains(line), "{line} in {region}");
        }
        let other = plain.replace("%old, 1", "%old, 2");
        let (teams, _) = schedules("%size", dealt, "%ub", "", &other);
        assert_eq!(teams, "91", "no loop through a piece");
    }
}

#[test]
fn the_piece_of_a_team_that_reduces_is_dealt_in_any_way() {
    let dealt = |instruction| {
        let body = counting(instruction);
        schedules("%size", "33", "%ub", REDUCES, &body)
    };
    assert_eq!(dealt(OF_TEAM), both("91", "97"));
    assert_eq!(dealt(ASKS), both("91", "33"));
}

#[test]
fn unsigned_counters_do_not_wrap() {
    let signed = counting(STORES);
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

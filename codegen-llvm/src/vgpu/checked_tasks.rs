//! With `--check race`: which calls have to do with explicit tasks.
//!
//! The device runtime runs a task where it is made, so tasks show in no other way: to the checker they are threads of
//! their own (decision 0122). The device runtime's functions say so, until they are inlined.
//!
//! Needs: the device runtime's functions by their names. Leaves: announcements around their calls.

use anyhow::Result;
use llvm_sys::LLVMLinkage::{LLVMInternalLinkage, LLVMWeakAnyLinkage};
use vgpu_abi::TaskEvent;

use super::unit::Unit;
use crate::ir::{Builder, Context, Type, Value};

/// Announces what a thread does with tasks. Warp forms have no code for it: kernels with tasks run thread by thread.
pub const TASK: &str = "vgpu.check_task";

const LIBRARY: &str = r#"
define void @vgpu.check_task(i32 %event, ptr %task, i64 %number, ptr %list) noinline nounwind {
  %cx = call ptr @vgpu.context()
  call void @vgpu_task(ptr %cx, i32 %event, ptr %task, i64 %number, ptr %list)
  ret void
}
declare void @vgpu_task(ptr, i32, ptr, i64, ptr) nounwind
"#;

/// The functions by which clang's code makes tasks.
const MAKERS: [&str; 5] = [
    "__kmpc_omp_task",
    "__kmpc_omp_task_with_deps",
    "__kmpc_omp_task_begin_if0",
    "__kmpc_taskloop",
    "__kmpc_taskloop_5",
];

/// The function by which a task gets an event that completes it (`detach`). Such tasks, and those that depend on them,
/// run at other places than where they are made.
const DETACHES: &str = "__kmpc_task_allow_completion_event";

/// Where an announcement's argument is: an operand of the call, what it gives, or nowhere.
#[derive(Clone, Copy)]
enum Place {
    Operand(u32),
    Given,
    Nowhere,
}
use Place::{Given, Nowhere, Operand};

/// An announcement: the event, the task, the number and the list.
struct Announcement(TaskEvent, Place, Place, Place);

/// What is announced of a call.
struct Rule {
    function: &'static str,
    before: Option<Announcement>,
    after: Option<Announcement>,
}

const fn before(function: &'static str, announcement: Announcement) -> Rule {
    Rule {
        function,
        before: Some(announcement),
        after: None,
    }
}

const fn after(function: &'static str, announcement: Announcement) -> Rule {
    Rule {
        function,
        before: None,
        after: Some(announcement),
    }
}

const fn around(function: &'static str, one: Announcement, other: Announcement) -> Rule {
    Rule {
        function,
        before: Some(one),
        after: Some(other),
    }
}

const fn plain(event: TaskEvent) -> Announcement {
    Announcement(event, Nowhere, Nowhere, Nowhere)
}

const MADE: Announcement = Announcement(TaskEvent::Made, Given, Operand(2), Nowhere);
const LOOP: Announcement = Announcement(TaskEvent::Loop, Operand(2), Operand(3), Nowhere);
const IN_LOOP: Announcement =
    Announcement(TaskEvent::BeginsInLoop, Operand(0), Operand(1), Nowhere);
const FOR: Announcement = Announcement(TaskEvent::WaitsFor, Nowhere, Operand(2), Operand(3));
const AT_ONCE: Announcement = Announcement(TaskEvent::BeginsAtOnce, Operand(2), Nowhere, Nowhere);
const BEGINS: Announcement = Announcement(TaskEvent::Begins, Operand(2), Nowhere, Nowhere);
const WITH: Announcement = Announcement(TaskEvent::Begins, Operand(2), Operand(3), Operand(4));
const ENDS: Announcement = plain(TaskEvent::Ends);
const REGION: Announcement = plain(TaskEvent::Region);
const REGION_ENDS: Announcement = plain(TaskEvent::RegionEnds);

const RULES: [Rule; 19] = [
    after("__kmpc_omp_task_alloc", MADE),
    after("__kmpc_omp_target_task_alloc", MADE),
    around("__kmpc_omp_task", BEGINS, ENDS),
    around("__kmpc_omp_task_with_deps", WITH, ENDS),
    before("__kmpc_omp_task_begin_if0", AT_ONCE),
    after("__kmpc_omp_task_complete_if0", ENDS),
    after("__kmpc_omp_taskwait", plain(TaskEvent::Waits)),
    after("__kmpc_omp_wait_deps", FOR),
    after("__kmpc_omp_taskwait_deps_51", FOR),
    before("__kmpc_taskloop", LOOP),
    before("__kmpc_taskloop_5", LOOP),
    around("omptarget.task_of_loop", IN_LOOP, ENDS),
    after("__kmpc_taskgroup", plain(TaskEvent::Group)),
    after("__kmpc_end_taskgroup", plain(TaskEvent::GroupEnds)),
    after(
        "__kmpc_task_reduction_get_th_data",
        plain(TaskEvent::Reduces),
    ),
    around("__kmpc_parallel_51", REGION, REGION_ENDS),
    around("__kmpc_parallel_60", REGION, REGION_ENDS),
    after("__kmpc_serialized_parallel", REGION),
    before("__kmpc_end_serialized_parallel", REGION_ENDS),
];

/// Which operand of `__kmpc_omp_taskwait_deps_51` says that nothing waits: it is a task without code.
const NO_WAIT: u32 = 6;

/// Whether the image makes tasks that end where they are made.
fn concerns(unit: &Unit) -> bool {
    let is_used = |name: &&str| {
        let function = unit.module.function(name);
        function.is_some_and(|function| !function.is_unused())
    };
    MAKERS.iter().any(is_used) && !is_used(&DETACHES)
}

/// The calls stay until `access-checks`, if the image makes tasks. Most of the functions do nothing without `detach`,
/// so not inlining them is not enough: what is weak may be another function, of which LLVM knows nothing.
pub fn keep(unit: &Unit) {
    if !concerns(unit) {
        return;
    }
    for rule in RULES {
        if let Some(function) = unit.module.function(rule.function) {
            function.remove_attribute("memory");
            function.remove_attribute("alwaysinline");
            function.set_linkage(LLVMWeakAnyLinkage);
        }
    }
}

/// Announces the calls. They may be inlined then.
pub fn announce(unit: &mut Unit, functions: &[Value]) -> Result<()> {
    if !concerns(unit) {
        return Ok(());
    }
    unit.add_library(LIBRARY)?;
    let task = unit.library_function(TASK)?;
    for instruction in functions.iter().flat_map(|it| it.instructions()) {
        announce_call(unit, task, instruction);
    }
    for rule in RULES {
        if let Some(function) = unit.module.function(rule.function) {
            function.set_linkage(LLVMInternalLinkage);
        }
    }
    Ok(())
}

fn announce_call(unit: &Unit, task: Value, call: Value) {
    let called = call.is_call().then(|| call.called_function()).flatten();
    let Some(name) = called.map(Value::name) else {
        return;
    };
    let Some(rule) = RULES.iter().find(|rule| rule.function == name) else {
        return;
    };
    let empty = name == "__kmpc_omp_taskwait_deps_51" && call.operand(NO_WAIT).as_int() != Some(0);
    let context = unit.context();
    let behind = Builder::before(context, call.next().unwrap_or(call));
    if empty {
        let begin = Announcement(TaskEvent::Begins, Nowhere, Operand(2), Operand(3));
        insert(context, &behind, task, call, &begin);
        return insert(context, &behind, task, call, &ENDS);
    }
    if let Some(announcement) = &rule.before {
        let ahead = Builder::before(context, call);
        insert(context, &ahead, task, call, announcement);
    }
    if let Some(announcement) = &rule.after {
        insert(context, &behind, task, call, announcement);
    }
}

fn insert(
    context: Context,
    builder: &Builder,
    task: Value,
    call: Value,
    announcement: &Announcement,
) {
    let Announcement(event, of, number, list) = announcement;
    let (int, wide, flat) = (
        Type::int(context, 32),
        Type::int(context, 64),
        Type::pointer(context),
    );
    let find = |place: &Place, ty: Type| match *place {
        Operand(index) => call.operand(index),
        Given => call,
        Nowhere => Value::zero(ty),
    };
    let arguments = [
        Value::int(int, *event as u64),
        builder.to_space(find(of, flat), flat),
        builder.cast_unsigned(find(number, wide), wide),
        builder.to_space(find(list, flat), flat),
    ];
    builder.call_function(task, &arguments);
}

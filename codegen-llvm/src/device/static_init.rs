//! The calls that deal the iterations of loops with static schedules: `__kmpc_distribute_static_init_*` to the teams,
//! `__kmpc_for_static_init_*` to the threads of a team.

use llvm_sys::LLVMOpcode;

use crate::analysis::intrinsics;
use crate::analysis::locals::loaded_from;
use crate::ir::{Context, Value};

/// What the names of the calls begin with.
pub const OF_TEAMS: &str = "__kmpc_distribute_static_init_";
pub const OF_THREADS: &str = "__kmpc_for_static_init_";

/// `schedule(static)`, without a chunk (`OMPScheduleType`).
const STATIC: u64 = 34;
/// `schedule(static, chunk)`.
pub const STATIC_CHUNKED: u64 = 33;
/// `schedule(simd : static, chunk)`.
const STATIC_BALANCED_CHUNKED: u64 = 45;
/// A team's iterations are dealt to its threads, and nobody can tell who executes which. The upper bound that the
/// runtime leaves is how many iterations before the team's the thread's loop ends (devicertl:
/// `static_schedule::FOR_ANY`).
pub const ANY_OF_TEAM: u64 = 97;
/// The bits of a schedule that say no more than whether it is monotonic.
const SCHEDULE_MASK: u64 = 0x1fff_ffff;

/// Arguments of both.
pub const SCHEDULE: u32 = 2;
pub const IS_LAST: u32 = 3;
pub const LOWER: u32 = 4;
pub const UPPER: u32 = 5;
pub const STRIDE: u32 = 6;
pub const INCREMENT: u32 = 7;
pub const CHUNK: u32 = 8;

/// The calls that deal iterations, by the beginning of their name.
pub fn calls_of(function: Value, prefix: &'static str) -> impl Iterator<Item = Value> {
    intrinsics::calls_of(function, move |name| name.starts_with(prefix))
}

/// Whether a call deals iterations one step apart by that schedule.
pub fn is_scheduled(call: Value, schedule: u64) -> bool {
    let number = call.operand(SCHEDULE).as_int();
    number.is_some_and(|number| number & SCHEDULE_MASK == schedule)
        && call.operand(INCREMENT).as_int() == Some(1)
}

/// Whether a call deals iterations one step apart by one of the schedules that programs can ask for.
pub fn is_static(call: Value) -> bool {
    [STATIC, STATIC_CHUNKED, STATIC_BALANCED_CHUNKED]
        .into_iter()
        .any(|it| is_scheduled(call, it))
}

/// Lets the optimiser know that an unsigned counter does not wrap when a thread goes on to its next iteration. clang
/// says so of others. (One that wraps begins anew: such a loop never ends as it should, whoever deals its iterations.)
pub fn promise_no_wrap(threads: Value) {
    steps(threads)
        .filter(|it| !it.cannot_overflow())
        .for_each(Value::set_cannot_carry);
}

/// Takes back what clang says of a loop of `simd`: that it should become vectors. With a step that is not known LLVM
/// makes none, and warns of that.
pub fn forget_vectors(context: Context, threads: Value) {
    for back in steps(threads).filter_map(|it| it.block().terminator()) {
        back.forget_vectors(context);
    }
}

/// The additions by which a thread goes on to its next iteration.
fn steps(threads: Value) -> impl Iterator<Item = Value> {
    let stride = threads.operand(STRIDE).address_base();
    let region = threads.block().function().instructions().into_iter();
    region
        .filter(|it| it.opcode() == Some(LLVMOpcode::LLVMAdd))
        .filter(move |it| loaded_from(it.operand(1)) == Some(stride))
}

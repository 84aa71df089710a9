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
//! If no code can tell, what the program asks for by `schedule` and `dist_schedule` makes no difference but in time. Of
//! a chunk of 128 iterations `schedule(static, 16)` gives 8 threads of 128 something to do, `schedule(dynamic, 64)` 2,
//! and `dist_schedule(static, 64)` leaves every other thread without. So those loops become the same
//! (docs/decisions/0160-chunks-that-nobody-can-tell.md).
//!
//! The pass has to come before clang's optimiser, which makes one function of the two. clang runs it on each
//! translation unit (link-plugin).

use llvm_sys::LLVMOpcode;

use crate::analysis::captures;
use crate::analysis::intrinsics::is_call_of;
use crate::analysis::kernel_value::only_call;
use crate::analysis::locals::{
    converted, holds_parameter, holds_parameter_itself, loaded_from, local_of, stores_to,
};
use crate::device::dynamic_loop::DynamicLoop;
use crate::device::kernel_configuration::{self, Field};
use crate::device::last_iterations::is_copied;
use crate::device::static_init::{
    ANY_OF_TEAM, CHUNK, IS_LAST, LOWER, OF_TEAMS, OF_THREADS, SCHEDULE, STATIC_CHUNKED, UPPER,
    calls_of, forget_vectors, is_scheduled, is_static,
};
use crate::device::thread_loop::{ThreadLoop, deal_singly, less_behind, only};
use crate::device::thread_numbers;
use crate::ir::{Builder, Context, Module, Type, Value};

/// `dist_schedule(static, chunk)` (`OMPScheduleType`).
const DISTRIBUTE_CHUNKED: u64 = 91;
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
/// How many threads a team has.
const BLOCK_SIZE: &str = "__kmpc_get_hardware_num_threads_in_block";
/// What a team's function calls for the loop itself.
const OF_THE_LOOP: [&str; 5] = [
    OF_TEAMS,
    "__kmpc_distribute_static_fini",
    BLOCK_SIZE,
    "__kmpc_parallel_",
    "llvm.",
];

/// Changes the schedules of all such loops.
pub fn run(context: Context, module: &Module) {
    for function in module.definitions() {
        if let Some(construct) = Construct::of(function) {
            construct.make_one(context, module);
        }
    }
}

/// A `distribute parallel for`.
struct Construct {
    /// The function of a team.
    function: Value,
    /// The call that deals the iterations to the teams.
    teams: Value,
    /// The function of a thread.
    region: Value,
    dealt: Dealt,
}

/// How a team's iterations are dealt to its threads.
enum Dealt {
    /// By `schedule(static, 1)`, which is clang's own.
    Singly(Value),
    /// By another static schedule.
    InChunks(ThreadLoop),
    /// By one of which threads ask for chunks.
    WhenAsked(DynamicLoop),
}

impl Construct {
    /// That of a function, if it has one.
    fn of(function: Value) -> Option<Construct> {
        let teams = only(calls_of(function, OF_TEAMS))?;
        let forks = function.instructions().into_iter();
        let fork = only(forks.filter(|it| captures::is_fork(*it)))?;
        let region = captures::region(fork)?;
        let dealt = Dealt::of(region)?;
        let open = is_scheduled(teams, DISTRIBUTE_CHUNKED) && !is_copied(teams.operand(IS_LAST));
        let [lower, upper] = dealt.bounds();
        let same_loop = [(LOWER, CHUNK_LOWER, lower), (UPPER, CHUNK_UPPER, upper)]
            .into_iter()
            .all(|(bound, parameter, own)| {
                captures::passed(fork, parameter).and_then(loaded_from)
                    == Some(teams.operand(bound).address_base())
                    && holds_parameter(own, region.parameters().get(parameter).copied())
            });
        (open && same_loop).then_some(Construct {
            function,
            teams,
            region,
            dealt,
        })
    }

    fn make_one(&self, context: Context, module: &Module) {
        let reduces = reduces(self.function);
        let own_chunk = is_block_size(self.teams.operand(CHUNK));
        let number = |schedule| Value::int(Type::int(context, 32), schedule);
        if self.may_be_any_threads(own_chunk, reduces) && self.deal_to_any(context, module, reduces)
        {
            if !reduces {
                self.teams.set_operand(SCHEDULE, number(WHOLE));
                mark_rows(context, module, self.function);
            }
        } else if let Dealt::Singly(threads) = self.dealt
            && own_chunk
        {
            forget_vectors(context, threads);
            if !reduces {
                self.teams.set_operand(SCHEDULE, number(WHOLE));
                threads.set_operand(SCHEDULE, number(ALL_THREADS));
            }
        }
    }

    /// Whether nobody can tell which thread executes an iteration, and no schedule balances the team's work.
    fn may_be_any_threads(&self, own_chunk: bool, reduces: bool) -> bool {
        let is_static = !matches!(self.dealt, Dealt::WhenAsked(_));
        let any_chunk = own_chunk || !reduces && is_static && self.is_about_the_loop();
        // From 0 on, a loop that ends with its type would have more iterations than the type counts.
        // What else is stored there are the beginnings of the team's next chunks.
        let from_zero = || stores_to(self.teams.operand(LOWER)).any(|it| it.as_int() == Some(0));
        any_chunk && (!reduces || from_zero()) && !thread_numbers::may_be_asked_for(self.region)
    }

    /// Has a team's iterations dealt to any threads. Gives whether that could be done.
    fn deal_to_any(&self, context: Context, module: &Module, reduces: bool) -> bool {
        let schedule = if reduces { ANY_OF_TEAM } else { ANY_THREADS };
        match &self.dealt {
            Dealt::Singly(threads) => {
                let can = can_end_early(context, self.region, *threads);
                if can {
                    deal_singly(context, *threads, schedule);
                }
                can
            }
            Dealt::InChunks(chunks) => {
                let team = local_of(self.region.parameters()[CHUNK_UPPER]);
                if team.is_some() {
                    chunks.go_by_strides(context, team, schedule);
                }
                team.is_some()
            }
            Dealt::WhenAsked(dynamic) => {
                dynamic.deal_beforehand(context, module, schedule);
                true
            }
        }
    }

    /// Whether a team's function does nothing but begin the loop, so that nobody can tell which team executes what.
    fn is_about_the_loop(&self) -> bool {
        let instructions = self.function.instructions().into_iter();
        let mut calls = instructions.filter(|it| it.is_call());
        captures::written(self.function).is_empty()
            && calls.all(|call| {
                let name = call.called_function().map(Value::name).unwrap_or_default();
                OF_THE_LOOP.iter().any(|it| name.starts_with(it))
            })
    }
}

impl Dealt {
    fn of(region: Value) -> Option<Dealt> {
        let Some(threads) = only(calls_of(region, OF_THREADS)) else {
            return DynamicLoop::of(region).map(Dealt::WhenAsked);
        };
        let is_one = threads.operand(CHUNK).as_int() == Some(1);
        if is_scheduled(threads, STATIC_CHUNKED) && is_one {
            return Some(Dealt::Singly(threads));
        }
        let chunks = ThreadLoop::of(threads).filter(|_| is_static(threads))?;
        Some(Dealt::InChunks(chunks))
    }

    /// The locals with the bounds of the team's chunk.
    fn bounds(&self) -> [Value; 2] {
        match self {
            Dealt::Singly(threads) => [LOWER, UPPER].map(|it| threads.operand(it)),
            Dealt::InChunks(chunks) => chunks.bounds(),
            Dealt::WhenAsked(dynamic) => dynamic.bounds(),
        }
    }
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

/// Lets the loop of a thread that goes on by the stride end before the team's. Gives whether it is such a loop.
fn can_end_early(context: Context, region: Value, threads: Value) -> bool {
    let team = region.parameters().get(CHUNK_UPPER).copied();
    let is_team_bound = |value: Value| {
        let last = last_of(value);
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
    let end = less_behind(&builder, bound, counter, threads.operand(UPPER));
    test.set_operand(1, end);
    true
}

/// The last iteration of a bound, which unsigned loops stay below and others reach.
fn last_of(bound: Value) -> Value {
    let bound = converted(bound);
    let is_next =
        bound.opcode() == Some(LLVMOpcode::LLVMAdd) && bound.operand(1).as_int() == Some(1);
    converted(if is_next { bound.operand(0) } else { bound })
}

/// Whether a chunk is the team's size, as clang asks for it where the program states none.
fn is_block_size(chunk: Value) -> bool {
    is_call_of(converted(chunk), &[BLOCK_SIZE])
}

#[cfg(test)]
mod tests;

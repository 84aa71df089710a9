//! `parallel`: fork, join, and the regions that run on one thread.

use core::ffi::c_void;

use crate::Ident;
use crate::arch::{self, atomic};
use crate::fork_join::data_sharing;
use crate::fork_join::invoke::{Outlined, invoke};
use crate::fork_join::region_end;
use crate::team::icv::Icvs;
use crate::team::nest::Nest;
use crate::team::roles;
use crate::team::shared;
use crate::team::team_shape::TeamShape;

/// A region and what it captured.
#[derive(Clone, Copy)]
struct Region {
    function: Outlined,
    wrapper: *const c_void,
    arguments: *mut *mut c_void,
    count: usize,
}

impl Region {
    #[inline(always)]
    fn run(&self) {
        let mut thread = arch::thread_id() as i32;
        let mut bound = 0;
        // SAFETY: clang passes the function with the number of arguments it takes.
        unsafe {
            invoke(
                self.function,
                &mut thread,
                &mut bound,
                self.arguments,
                self.count,
            )
        };
    }
}

/// `void (ident_t *, i32 thread, i32 if, i32 num_threads, i32 proc_bind, function, wrapper, captured variables *, i64
/// count, i32 strict)`: `parallel` of clang 22, where `strict` is the modifier of `num_threads` (clang:
/// `CGOpenMPRuntimeGPU::emitParallelCall`; OpenMP 5.2, §10.1, and 6.0 for `strict`).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_parallel_60(
    _location: *const Ident,
    _thread: i32,
    condition: i32,
    num_threads: i32,
    _proc_bind: i32,
    function: Outlined,
    wrapper: *const c_void,
    arguments: *mut *mut c_void,
    count: usize,
    strict: i32,
) {
    stop_argument_propagation(function, __kmpc_parallel_60 as *const c_void);
    fork(
        Region {
            function,
            wrapper,
            arguments,
            count,
        },
        condition != 0,
        num_threads,
        strict != 0,
    );
}

/// `void (ident_t *, i32 thread, i32 if, i32 num_threads, i32 proc_bind, function, wrapper, captured variables *, i64
/// count)`: `parallel` of clang 13 to 21 (clang: `CGOpenMPRuntimeGPU::emitParallelCall`; OpenMP 5.2, §10.1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_parallel_51(
    _location: *const Ident,
    _thread: i32,
    condition: i32,
    num_threads: i32,
    _proc_bind: i32,
    function: Outlined,
    wrapper: *const c_void,
    arguments: *mut *mut c_void,
    count: usize,
) {
    stop_argument_propagation(function, __kmpc_parallel_51 as *const c_void);
    fork(
        Region {
            function,
            wrapper,
            arguments,
            count,
        },
        condition != 0,
        num_threads,
        false,
    );
}

/// What a thread does about a region. It is one value, so that the region is called at one place: `invoke` is large.
#[derive(Clone, Copy)]
struct Part {
    /// Where in the nest the thread runs the region; `None` if it does not.
    inner: Option<Nest>,
    /// Whether all threads of the block meet afterwards.
    meet: bool,
}

#[inline(always)]
fn fork(region: Region, condition: bool, num_threads: i32, strict: bool) {
    let outer = Nest::load_inline();
    let serialized = || Part {
        inner: Some(outer.deeper()),
        meet: false,
    };
    let part = if arch::is_spmd() {
        if outer.is_sequential() {
            let size = if condition {
                team_size(num_threads, 0, strict)
            } else {
                1
            };
            fork_spmd(outer, size)
        } else {
            serialized()
        }
    } else if outer.is_active()
        || !condition
        || fork_generic(region, outer, num_threads, strict).is_none()
    {
        serialized()
    } else {
        return;
    };
    if let Some(inner) = part.inner {
        inner.store();
        region.run();
        region_end::leave_to(outer);
    }
    if part.meet {
        arch::block_barrier_together();
    }
}

/// Keeps openmp-opt from following regions into `entry` before it is inlined. Where regions nest it would call each of
/// them by name in one copy of the entry point, which then calls itself through them: a recursion that nothing inlines.
///
/// It follows arguments only into functions whose address nobody takes. This takes the address; once the entry
/// point is inlined, the comparison is between two functions, and nothing of it is left.
#[inline(always)]
fn stop_argument_propagation(function: Outlined, entry: *const c_void) {
    // SAFETY: clang passes regions, never the entry points themselves.
    unsafe { core::hint::assert_unchecked(function != entry) };
}

/// How many threads a region gets: the clause, else the ICV, at most what there are (OpenMP 5.2, §10.1.1).
#[inline(always)]
pub fn team_size(clause: i32, icv: i32, strict: bool) -> u32 {
    let available = roles::workers();
    let wanted = if clause > 0 { clause } else { icv };
    if wanted <= 0 {
        return available;
    }
    if strict && wanted as u32 > available {
        arch::trap(c"num_threads(strict: n): the team has fewer than n threads");
    }
    available.min(wanted as u32)
}

/// SPMD: all threads of the block are here, each runs the region itself.
#[inline(always)]
fn fork_spmd(outer: Nest, size: u32) -> Part {
    let thread = arch::thread_id();
    if size == arch::block_threads() {
        // In a kernel that is SPMD as written, two things can follow: the next chunk of a `distribute` loop, which does
        // not depend on this one, or the loop's end, which has the region's implicit barrier
        // (`static_schedule::__kmpc_distribute_static_fini`).
        Part {
            inner: Some(if outer.reduces() {
                Nest::BLOCK_TOGETHER
            } else {
                Nest::BLOCK
            }),
            meet: !outer.is_pure(),
        }
    } else if size == 1 {
        Part {
            inner: (thread == 0).then(|| outer.deeper()),
            meet: true,
        }
    } else {
        if thread == 0 {
            publish_team(size, 1);
        }
        arch::block_barrier_together();
        Part {
            inner: (thread < size).then_some(Nest::GROUP),
            meet: true,
        }
    }
}

/// Tells the team about a region that is not the whole block of an SPMD kernel.
pub fn publish_team(size: u32, level: u32) {
    // SAFETY: nobody is in an active region; the barrier that follows publishes.
    unsafe {
        arch::send(shared::team_shape(), TeamShape::new(size, level));
        atomic::begin_u32(shared::arrived(), 0);
        atomic::begin_u32(shared::generation(), 0);
    }
}

/// Generic: the master sends the region to the pool and waits for its end (*fork-join* paper, pseudocode 1). `None`:
/// the region gets one thread only, the master, so that it may fork regions inside. If there is only one worker anyway,
/// the worker runs the region; then a region that does not restrict its threads is compiled once, not twice.
///
/// flang gives a region no function that workers could call, as it counts on openmp-opt, which makes most kernels SPMD.
/// What the region captures is in the master's own memory then, so no worker could run it. The master can.
#[inline(always)]
fn fork_generic(region: Region, outer: Nest, num_threads: i32, strict: bool) -> Option<()> {
    let icvs = Icvs::current();
    let size = team_size(num_threads, icvs.num_threads, strict);
    if (size == 1 && size < roles::workers()) || icvs.max_active_levels < 1 {
        return None;
    }
    // On AMD GPUs the optimiser cannot tell that a function's address is not null. Where it can tell that it is, there
    // is no test left at run time.
    if arch::is_known_to_hold(region.wrapper.is_null()) {
        return None;
    }
    if region.wrapper.is_null() {
        arch::trap(
            c"a generic-mode kernel reached a parallel region that was compiled for SPMD mode only",
        );
    }
    publish_team(size, outer.level() + 1);
    let references = data_sharing::begin(region.count);
    // SAFETY: `references` has room for `count`, `arguments` has as many; the workers wait.
    unsafe { send_region(region.wrapper, region.arguments, region.count, references) };
    data_sharing::end(references, region.count);
    Some(())
}

/// Sends a region and its references to the pool and waits until it is done. (It does not take a `Region`: that would
/// have an address, and the optimiser would lose sight of what it holds.)
///
/// # Safety
/// `list` has room for `count` references, `arguments` has as many.
#[inline]
unsafe fn send_region(
    wrapper: *const c_void,
    arguments: *mut *mut c_void,
    count: usize,
    list: *mut *mut c_void,
) {
    // SAFETY: the caller's promise; the workers wait.
    unsafe {
        arch::send_references(list, arguments, count);
        arch::send(shared::work_function(), wrapper);
    }
    arch::block_barrier();
    arch::block_barrier();
}

/// `i16 (ident_t *, i32 thread)`: the level of parallelism. Older clangs ask it in code that both modes run; openmp-opt
/// folds calls by this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_parallel_level(_location: *const Ident, _thread: u32) -> u16 {
    Nest::load().level() as u16
}

/// `void (ident_t *, i32 thread)`: `if(0)` as the host's code generation has it (clang:
/// `CGOpenMPRuntime::emitParallelCall`; OpenMP 5.2, §3.4 and §10.1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_serialized_parallel(_location: *const Ident, _thread: u32) {
    Nest::load().deeper().store();
}

/// `void (ident_t *, i32 thread)`: ends what [`__kmpc_serialized_parallel`] began (clang:
/// `CGOpenMPRuntime::emitParallelCall`; OpenMP 5.2, §10.1).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_serialized_parallel(_location: *const Ident, _thread: u32) {
    region_end::leave_to(Nest::load().shallower());
}

/// `void (ident_t *, i32 thread, i32 kind)`: `proc_bind` as the host's code generation has it (clang:
/// `CGOpenMPRuntime::emitProcBindClause`; OpenMP 5.2, §10.1.4). GPU threads are bound where they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_push_proc_bind(_location: *const Ident, _thread: i32, _kind: i32) {}

/// `void (ident_t *, i32 thread, i32 teams, i32 limit)`: `num_teams` as the host's code generation has it (clang:
/// `CGOpenMPRuntime::emitNumTeamsClause`; OpenMP 5.2, §10.2.1). The host decides on teams.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_push_num_teams(
    _location: *const Ident,
    _thread: i32,
    _teams: i32,
    _limit: i32,
) {
}

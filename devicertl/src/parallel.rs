//! `parallel`: fork, join, and the regions that run on one thread.

use core::ffi::c_void;

use crate::Ident;
use crate::arch::{self, shared};
use crate::icv::Icvs;
use crate::invoke::{Outlined, invoke};
use crate::kernel;
use crate::nest::Nest;
use crate::private;
use crate::share;

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
        unsafe { invoke(self.function, &mut thread, &mut bound, self.arguments, self.count) };
    }

    /// Runs it on the calling thread, which then is at `inner`; `outer` is where it comes from.
    #[inline(always)]
    fn run_at(&self, inner: Nest, outer: Nest) {
        inner.store();
        self.run();
        private::leave_to(outer);
    }

    /// Runs it on the calling thread alone, one level deeper.
    #[inline(always)]
    fn run_serialized(&self, outer: Nest) {
        self.run_at(outer.deeper(), outer);
    }
}

/// `parallel` of clang 22: `strict` is the modifier of `num_threads`.
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
    fork(Region { function, wrapper, arguments, count }, condition != 0, num_threads, strict != 0);
}

/// `parallel` up to clang 21.
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
    fork(Region { function, wrapper, arguments, count }, condition != 0, num_threads, false);
}

#[inline(always)]
fn fork(region: Region, condition: bool, num_threads: i32, strict: bool) {
    let nest = Nest::load();
    if arch::is_spmd() {
        if nest.is_sequential() {
            fork_spmd(region, nest, if condition { team_size(num_threads, 0, strict) } else { 1 });
        } else {
            region.run_serialized(nest);
        }
    } else if nest.is_active() || !condition {
        region.run_serialized(nest);
    } else {
        fork_generic(region, nest, num_threads, strict);
    }
}

/// How many threads a region gets: the clause, else the ICV, at most what there are (OpenMP 5.2, §10.1.1).
#[inline(always)]
fn team_size(clause: i32, icv: i32, strict: bool) -> u32 {
    let available = kernel::workers();
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
fn fork_spmd(region: Region, outer: Nest, size: u32) {
    if size == arch::block_threads() {
        region.run_at(Nest::BLOCK, outer);
        // The region's implicit barrier. In a kernel that is SPMD as written only the next chunk of a `distribute`
        // loop can follow, which does not depend on this one, or the loop's end, which has the barrier
        // (`workshare::__kmpc_distribute_static_fini`).
        if !outer.is_pure() {
            arch::block_barrier_together();
        }
        return;
    }
    if size == 1 {
        if arch::thread_id() == 0 {
            region.run_serialized(outer);
        }
    } else {
        fork_spmd_group(region, outer, size);
    }
    arch::block_barrier_together();
}

/// SPMD: only the first `size` threads run the region.
#[inline(always)]
fn fork_spmd_group(region: Region, outer: Nest, size: u32) {
    if arch::thread_id() == 0 {
        publish_team(size, 1);
    }
    arch::block_barrier_together();
    if arch::thread_id() < size {
        region.run_at(Nest::GROUP, outer);
    }
}

fn publish_team(size: u32, level: u32) {
    // SAFETY: nobody is in an active region; the barrier that follows publishes.
    unsafe {
        *shared::team_size() = size;
        *shared::team_level() = level;
        *shared::arrived() = 0;
        *shared::generation() = 0;
    }
}

/// Generic: the master sends the region to the pool and waits for its end (*fork-join* paper,
/// pseudocode 1).
fn fork_generic(region: Region, nest: Nest, num_threads: i32, strict: bool) {
    let icvs = Icvs::current();
    let size = team_size(num_threads, icvs.num_threads, strict);
    if size == 1 || icvs.max_active_levels < 1 {
        region.run_serialized(nest);
        return;
    }
    if region.wrapper.is_null() {
        arch::trap(c"a generic-mode kernel reached a parallel region that was compiled for SPMD mode only");
    }
    publish_team(size, nest.level() + 1);
    let references = share::begin(region.count);
    // SAFETY: `references` has room for `count`, `arguments` has as many; the workers wait.
    unsafe {
        core::ptr::copy_nonoverlapping(region.arguments, references, region.count);
        *shared::work_function() = region.wrapper;
    }
    arch::block_barrier();
    arch::block_barrier();
    share::end();
}

/// Level of parallelism. openmp-opt folds calls by this name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_parallel_level(_location: *const Ident, _thread: u32) -> u16 {
    Nest::load().level() as u16
}

/// `if(0)` as the host's code generation has it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_serialized_parallel(_location: *const Ident, _thread: u32) {
    Nest::load().deeper().store();
}

/// Ends what [`__kmpc_serialized_parallel`] began.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_end_serialized_parallel(_location: *const Ident, _thread: u32) {
    private::leave_to(Nest::load().shallower());
}

/// The clause's value comes with the region itself on GPUs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_push_num_threads(_location: *const Ident, _thread: i32, _count: i32) {}

/// GPU threads are bound where they are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_push_proc_bind(_location: *const Ident, _thread: i32, _kind: i32) {}

/// The host decides on teams.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_push_num_teams(_location: *const Ident, _thread: i32, _teams: i32, _limit: i32) {}

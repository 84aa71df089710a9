//! The start and the end of a kernel, and the workers' state machine.
//!
//! *fork-join* paper, §V-B: in generic mode the last warp is the master's and all others wait in
//! a pool; `parallel` sends them a function.

use core::ffi::c_void;

use crate::arch;
use crate::fork_join::data_sharing;
use crate::fork_join::region_end;
use crate::team::kernel_environment::{
    Configuration, EXEC_MODE_GENERIC, EXEC_MODE_SPMD, Environment, LaunchEnvironment,
};
use crate::team::nest::Nest;
use crate::team::roles::{is_master, workers};
use crate::team::shared;
use crate::team::state;

/// Where the threads of such a kernel, which is SPMD, begin.
#[inline(always)]
fn spmd_nest(configuration: &Configuration) -> Nest {
    if configuration.exec_mode & EXEC_MODE_GENERIC != 0 {
        Nest::SEQUENTIAL
    } else if configuration.reduction_data_size > 0 {
        Nest::PURE_REDUCING
    } else {
        Nest::PURE_SEQUENTIAL
    }
}

/// A region as the workers call it: clang's wrapper, which fetches the captured references itself.
pub type Wrapper = unsafe extern "C" fn(u16, u32);

/// `i32 (kernel environment *, launch environment *)`: starts a kernel: -1 tells the thread to run the region's code,
/// anything else to end (clang: `CGOpenMPRuntimeGPU::emitKernelInit`, by `OpenMPIRBuilder::createTargetInit`; OpenMP
/// 5.2, §13.8).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_target_init(
    environment: &Environment,
    launch: *mut LaunchEnvironment,
) -> i32 {
    if environment.configuration.exec_mode & EXEC_MODE_SPMD != 0 {
        init_spmd(launch, spmd_nest(&environment.configuration));
        return -1;
    }
    // Up to clang 17 the first argument is an `ident_t`, whose first word is 0.
    if environment.configuration.exec_mode == 0 {
        arch::trap(
            c"the kernel was compiled by clang 17 or older and linked with a device runtime; \
              link it without (-nogpulib)",
        );
    }
    if !arch::is_generic_shape() {
        arch::trap(c"a generic-mode kernel was launched with a block that does not extend along y");
    }
    arch::assume_mode(false);
    arch::debug_check(
        arch::block_threads() > arch::warp_size(),
        c"a generic-mode kernel was launched without workers",
    );
    let (master, thread) = (is_master(), arch::thread_id());
    if master {
        init_master(launch);
    }
    // Not an `else` of the condition above, so that the choice below stays one.
    if thread < workers() {
        Nest::GROUP.begin();
        if environment.configuration.use_generic_state_machine != 0 {
            work();
        }
    }
    // One choice of values where the paths have met: so for the optimiser the kernel's test for -1 is the test for the
    // master.
    core::hint::select_unpredictable(master, -1, thread as i32)
}

/// SPMD: every thread prepares what is its own. Nothing is shared, so no barrier is needed.
#[inline(always)]
fn init_spmd(launch: *mut LaunchEnvironment, nest: Nest) {
    arch::assume_mode(true);
    arch::spmd_begin();
    nest.store();
    data_sharing::init();
    // SAFETY: all threads write the same value, and each reads what it wrote itself.
    unsafe { *shared::launch_environment() = launch };
}

/// Generic: the master prepares what the team shares; the pool's first barrier publishes it.
#[inline(always)]
pub fn init_master(launch: *mut LaunchEnvironment) {
    Nest::SEQUENTIAL.store();
    arch::generic_begin();
    data_sharing::init();
    state::init();
    // SAFETY: the workers wait at the barrier of the pool.
    unsafe { *shared::launch_environment() = launch };
}

/// The state machine: a worker waits in the pool, runs what the master sends, and reports back.
#[inline(never)]
fn work() {
    // SAFETY: `__kmpc_target_init` calls this in workers.
    unsafe { core::hint::assert_unchecked(!is_master()) };
    loop {
        // One barrier for "go" and one for "done": scripts/check-device checks that there are no more.
        arch::block_barrier();
        let mut function = core::ptr::null();
        let active = next_region(&mut function);
        if function.is_null() {
            return;
        }
        if active {
            // SAFETY: the master published a wrapper of this type.
            let region: Wrapper = unsafe { core::mem::transmute(function) };
            // SAFETY: clang's wrapper, called as clang's own state machine calls it.
            unsafe { region(0, arch::thread_id()) };
            end_region();
        }
        arch::block_barrier();
    }
}

/// What the master sent, and whether this thread takes part.
#[inline(always)]
pub fn next_region(function: &mut *const c_void) -> bool {
    // SAFETY: the master wrote both before the pool's barrier; the size only if there is a region: openmp-opt knows of
    // kernels without any, and takes what depends on a variable that nobody writes for unreachable.
    unsafe {
        *function = arch::receive(shared::work_function());
        !function.is_null() && arch::thread_id() < arch::receive(shared::team_shape()).size()
    }
}

/// Returns from a region: what belonged to it goes.
#[inline(always)]
pub fn end_region() {
    // Between regions a worker has nothing of its own.
    region_end::leave_all();
    Nest::return_to_role();
}

/// `void ()`: ends a kernel: in generic mode the master dismisses the workers (clang:
/// `CGOpenMPRuntimeGPU::emitKernelDeinit`, by `OpenMPIRBuilder::createTargetDeinit`; OpenMP 5.2, §13.8).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __kmpc_target_deinit() {
    region_end::leave_all();
    if cfg!(debug_assertions) {
        arch::debug_check(
            Nest::load().is_sequential(),
            c"a kernel ended inside a parallel region",
        );
    }
    if arch::is_spmd() {
        return;
    }
    state::end();
    // SAFETY: the workers wait at the barrier of the pool.
    unsafe { arch::send(shared::work_function(), core::ptr::null()) };
    arch::block_barrier();
}

/// `i8 ()`: whether the kernel is SPMD. Older clangs ask it where the mode decides; openmp-opt folds calls by this
/// name.
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_is_spmd_exec_mode() -> i8 {
    arch::is_spmd().into()
}

/// `i32 ()`: whether this thread runs sequential code of the team: guards what a team does once (the clang that follows
/// 22, around the atomic instructions that `-fopenmp-target-fast-reduction` makes of reductions).
#[unsafe(no_mangle)]
pub extern "C" fn __kmpc_is_team_main_thread() -> i32 {
    if arch::is_spmd() {
        (arch::thread_id() == 0).into()
    } else {
        is_master().into()
    }
}

//! The runtime on `arch::soft`: programs written as clang would generate them.
#![cfg_attr(
    feature = "model",
    allow(dead_code, reason = "the models use a part of what stands here")
)]

#[cfg(not(feature = "model"))]
mod dispatch;
#[cfg(not(feature = "model"))]
mod documented;
#[cfg(not(feature = "model"))]
mod fork_join;
#[cfg(not(feature = "model"))]
mod icv;
#[cfg(not(feature = "model"))]
mod layout;
#[cfg(not(feature = "model"))]
mod locks;
#[cfg(feature = "model")]
mod model;
#[cfg(not(feature = "model"))]
mod queue;
#[cfg(not(feature = "model"))]
mod reductions;
#[cfg(not(feature = "model"))]
mod schedules;
#[cfg(not(feature = "model"))]
mod sharing;
#[cfg(not(feature = "model"))]
mod tasks;
#[cfg(not(feature = "model"))]
mod worksharing;

use core::ffi::c_void;
use core::ptr::{null, null_mut};

use crate::arch::soft::{Launch, launch};
use crate::fork_join::data_sharing::__kmpc_get_shared_variables;
use crate::fork_join::kernel::{__kmpc_target_deinit, __kmpc_target_init, Wrapper};
use crate::fork_join::parallel::__kmpc_parallel_60;
use crate::tasking::task_structure;
use crate::team::kernel_environment::{
    Configuration, EXEC_MODE_GENERIC, EXEC_MODE_SPMD, Environment, LaunchEnvironment,
};
use crate::team::{state, thread_state};

/// A kernel to be launched.
#[derive(Clone, Copy)]
pub struct Kernel {
    /// Threads a parallel region can have.
    pub threads: u32,
    pub teams: u32,
    pub mode: u8,
    /// Lanes per warp.
    pub warp: u32,
    /// Whether it runs as on the virtual GPU.
    pub warp_by_warp: bool,
    /// Whether clang's custom state machine is imitated.
    pub custom_state_machine: bool,
}

impl Kernel {
    pub fn generic(threads: u32) -> Kernel {
        Kernel {
            threads,
            teams: 1,
            mode: EXEC_MODE_GENERIC,
            warp: 32,
            warp_by_warp: true,
            custom_state_machine: false,
        }
    }

    pub fn spmd(threads: u32) -> Kernel {
        Kernel {
            threads,
            teams: 1,
            mode: EXEC_MODE_SPMD,
            warp: 32,
            warp_by_warp: true,
            custom_state_machine: false,
        }
    }

    /// What openmp-opt makes of a generic kernel.
    pub fn generic_spmd(threads: u32) -> Kernel {
        Kernel {
            mode: EXEC_MODE_SPMD | EXEC_MODE_GENERIC,
            ..Kernel::spmd(threads)
        }
    }

    pub fn teams(self, teams: u32) -> Kernel {
        Kernel { teams, ..self }
    }

    pub fn warp(self, warp: u32) -> Kernel {
        Kernel { warp, ..self }
    }

    /// With code for a GPU, not for the virtual one.
    pub fn at_once(self) -> Kernel {
        Kernel {
            warp_by_warp: false,
            ..self
        }
    }

    fn is_spmd(self) -> bool {
        self.mode & EXEC_MODE_SPMD != 0
    }

    /// Runs `region` where a kernel's code runs: in the master, or in all threads of an SPMD kernel.
    pub fn run(self, region: impl Fn() + Sync) {
        self.run_with(null_mut(), region);
    }

    pub fn run_with(self, environment: *mut LaunchEnvironment, region: impl Fn() + Sync) {
        let kernel_environment = Environment {
            configuration: Configuration {
                use_generic_state_machine: (!self.is_spmd() && !self.custom_state_machine).into(),
                may_use_nested_parallelism: 1,
                exec_mode: self.mode,
                min_threads: 0,
                max_threads: 0,
                min_teams: 0,
                max_teams: 0,
                reduction_data_size: 0,
                reduction_buffer_length: 0,
            },
            ident: null(),
            dynamic: null_mut(),
        };
        // Shared between threads like a kernel's constant.
        struct Constants(Environment, *mut LaunchEnvironment);
        // SAFETY: the threads only read it.
        unsafe impl Sync for Constants {}
        let constants = Constants(kernel_environment, environment);
        let constants = &constants;
        let threads = if self.is_spmd() {
            self.threads
        } else {
            self.threads + self.warp
        };
        let shape = Launch {
            blocks: self.teams,
            threads,
            warp: self.warp,
            warp_by_warp: self.warp_by_warp,
            spmd: self.is_spmd(),
            shared: crate::team::shared::LAYOUT,
            dynamic_shared: 0,
            kept_allocation: size_of::<crate::team::state_buffer::State>(),
        };
        // Model checks want atomics to be there before the threads that share them.
        for flag in [
            &state::ICVS_CHANGED,
            &state::WORKERS_ELSEWHERE,
            &task_structure::DETACHED,
            &thread_state::MADE,
            &thread_state::OF_TASKS,
            &state::TAKEN,
            &crate::tasking::taskgroup::REDUCED,
        ] {
            flag.get();
        }
        launch(shape, &|| {
            // SAFETY: called as clang calls them.
            unsafe {
                let init = __kmpc_target_init(&constants.0, constants.1);
                if init == -1 {
                    region();
                    __kmpc_target_deinit();
                } else if self.custom_state_machine && (init as u32) < self.threads {
                    custom_state_machine(init);
                }
            }
        });
    }
}

/// What openmp-opt generates in place of the runtime's own.
unsafe fn custom_state_machine(thread: i32) {
    use crate::fork_join::legacy_abi::{__kmpc_kernel_end_parallel, __kmpc_kernel_parallel};
    use crate::sync::barrier::__kmpc_barrier_simple_generic;
    loop {
        // SAFETY: called as openmp-opt calls them.
        unsafe {
            __kmpc_barrier_simple_generic(null(), thread);
            let mut function = null();
            let active = __kmpc_kernel_parallel(&mut function);
            if function.is_null() {
                return;
            }
            if active {
                let region: Wrapper = core::mem::transmute(function);
                region(0, thread as u32);
                __kmpc_kernel_end_parallel();
            }
            __kmpc_barrier_simple_generic(null(), thread);
        }
    }
}

type Body<'a> = &'a (dyn Fn() + Sync);

unsafe extern "C" fn outlined(_thread: *mut i32, _bound: *mut i32, body: *const Body<'static>) {
    // SAFETY: `parallel_if` passes a body that outlives the region.
    unsafe { (*body)() }
}

unsafe extern "C" fn wrapper(_level: u16, _thread: u32) {
    let mut list = null_mut();
    // SAFETY: called in a region, whose only reference is the body.
    unsafe {
        __kmpc_get_shared_variables(&mut list);
        (**list.cast::<*const Body<'static>>())();
    }
}

/// `parallel if(condition) num_threads(threads)`; -1 for no clause.
pub fn parallel_if(condition: bool, threads: i32, body: impl Fn() + Sync) {
    fork(condition, threads, wrapper as *const c_void, body);
}

/// `parallel` as flang 22 compiles it: there is no function that workers could call.
pub fn parallel_of_flang(body: impl Fn() + Sync) {
    fork(true, -1, null(), body);
}

fn fork(condition: bool, threads: i32, wrapper: *const c_void, body: impl Fn() + Sync) {
    let body: Body<'_> = &body;
    let mut arguments = [(&raw const body).cast_mut().cast::<c_void>()];
    // SAFETY: the functions take that one argument, which lives until the region has ended.
    unsafe {
        __kmpc_parallel_60(
            null(),
            0,
            condition.into(),
            threads,
            -1,
            outlined as *const c_void,
            wrapper,
            arguments.as_mut_ptr(),
            1,
            0,
        );
    }
}

/// `parallel num_threads(threads)`.
pub fn parallel(threads: i32, body: impl Fn() + Sync) {
    parallel_if(true, threads, body);
}

/// `barrier`.
pub fn barrier() {
    // SAFETY: called as clang calls it.
    unsafe { crate::sync::barrier::__kmpc_barrier(null(), 0) }
}

/// The warp sizes there are: NVIDIA's and AMD's wave32, AMD's wave64.
pub const WARP_SIZES: [u32; 2] = [32, 64];

/// Team sizes around the warp's.
pub const SIZES: [u32; 10] = [1, 2, 31, 32, 33, 50, 64, 95, 96, 130];

/// Every `n`th of a test's cases, at least every third, or all with the variable `EVERY_CASE` (docs/measuring.md).
/// Under ThreadSanitizer, where starting a thread costs many times as much, always every `n`th.
pub fn sampled<T>(all: impl IntoIterator<Item = T>, n: usize) -> impl Iterator<Item = T> {
    all.into_iter().step_by(if cfg!(feature = "sanitize") {
        n
    } else if std::env::var_os("EVERY_CASE").is_some() {
        1
    } else {
        n.min(3)
    })
}

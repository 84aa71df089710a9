//! The block's shared variables, each as a pointer valid for the kernel's duration. None is initialised when a kernel
//! starts. One symbol per variable, so that a kernel pays only for what it uses.

use core::ffi::c_void;

use crate::arch::{Lanes, MAX_THREADS, shared_variables};
use crate::team::kernel_environment::LaunchEnvironment;
use crate::team::state_buffer::State;
use crate::team::team_loop::Loop;
use crate::team::team_shape::TeamShape;

/// References a parallel region gets to its captured variables without going to global memory
/// (*sharing* paper, §5: most regions capture fewer than 20).
pub const SHARED_REFERENCES: usize = 20;

/// Most regions capture no more than this, once the optimiser has gone through the kernel.
pub const FEW_REFERENCES: usize = 2;

/// References of the regions that capture many.
pub const MANY_REFERENCES: usize = 64;

/// The most references that shared memory has a list for.
pub const MOST_REFERENCES: usize = 128;

/// Calls `$m!` with every variable a block keeps in shared memory: name, type, meaning.
macro_rules! for_each_shared_variable {
    ($m:ident) => {
        $m! {
            /// Generic mode: the wrapper of the region to run; null ends the workers.
            work_function: *const c_void,
            /// Generic mode: the captured references of the region to run.
            references: *mut *mut c_void,
            /// Where `references` points if there are few.
            few_references: [*mut c_void; FEW_REFERENCES],
            /// Where `references` points if there are more, but not many.
            reference_list: [*mut c_void; SHARED_REFERENCES],
            /// Where `references` points if there are many.
            many_references: [*mut c_void; MANY_REFERENCES],
            /// Where `references` points if there are more than that, up to this list's length.
            most_references: [*mut c_void; MOST_REFERENCES],
            /// Size and level of the active parallel region, unless it is the whole block of an SPMD kernel.
            team_shape: TeamShape,
            /// Generic mode: the `num_threads` clause of the region to come, where the kernel passes it ahead.
            pushed_threads: i32,
            /// The software barrier: warps arrived, and how often it has opened.
            arrived: u32,
            /// See `arrived`.
            generation: u32,
            /// The launch environment, as the kernel got it.
            launch_environment: *mut LaunchEnvironment,
            /// The worksharing loop with a dynamic schedule that the team is in.
            team_loop: Loop,
            /// What the team knows of the loop with `ordered(n)` that it is in.
            doacross: *mut c_void,
            /// What one thread tells the others.
            broadcast: *mut c_void,
            /// Cross-team reductions: whether this team is the last.
            last_team: u32,
            /// The lanes that each thread reduces with, while a part of its warp reduces on its own.
            dispersed_lanes: [Lanes; MAX_THREADS],
            /// Storage for shared locals.
            pool: Storage,
            /// Which units of `pool` are in use.
            pool_used: u64,
            /// Generic mode: the team's state in global memory, null until it is needed.
            state: *mut State,
        }
    };
}
#[cfg(all(test, not(feature = "model")))]
pub(crate) use for_each_shared_variable;
for_each_shared_variable!(shared_variables);

/// Bytes of shared memory for shared locals.
pub const POOL: usize = 256;

/// Storage for shared locals.
#[repr(C, align(16))]
#[derive(Debug)]
pub struct Storage {
    bytes: [u8; POOL],
}

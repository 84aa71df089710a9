//! Internal control variables (OpenMP 5.2, §2.2) of a data environment.
//!
//! The initial task of a generic kernel keeps what it changed in the team's state, and regions inherit it. A thread
//! that changes one inside a region gets its own copy (`thread_state`), for as long as the region lasts. The
//! initial tasks of SPMD kernels have the defaults: whatever would change them (a call between the
//! regions) makes clang generate a generic kernel.

use crate::arch;
use crate::fork_join::kernel;
use crate::routines::allocator;
use crate::sticky_flag::StickyFlag;
use crate::team::nest::Nest;
use crate::team::state;
use crate::team::thread_state;

/// The ICVs that device code can change.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Icvs {
    /// nthreads-var; 0: as many as there are.
    pub num_threads: i32,
    /// dyn-var.
    pub dynamic: i32,
    /// max-active-levels-var.
    pub max_active_levels: i32,
    /// run-sched-var: `omp_sched_t`, with its monotonic bit.
    pub schedule: i32,
    /// run-sched-var: chunk size; 0: the schedule's default.
    pub chunk: i32,
    /// def-allocator-var.
    pub allocator: usize,
}

/// Whether the initial task of any team changed its ICVs.
#[unsafe(export_name = "omptarget.ever.icvs")]
pub static CHANGED: StickyFlag = StickyFlag::new();

/// One level of parallelism can be active on a GPU.
pub const SUPPORTED_ACTIVE_LEVELS: i32 = 1;

impl Icvs {
    /// What a kernel starts with. `omp_sched_static` is 1.
    pub const DEFAULT: Icvs = Icvs {
        num_threads: 0,
        dynamic: 0,
        max_active_levels: SUPPORTED_ACTIVE_LEVELS,
        schedule: 1,
        chunk: 0,
        allocator: allocator::DEFAULT,
    };

    /// The calling thread's ICVs.
    pub fn current() -> Icvs {
        if let Some(node) = thread_state::find(thread_state::Kind::Icvs) {
            // SAFETY: the node is this thread's own.
            return unsafe { (*node).icvs };
        }
        if arch::is_spmd() || !CHANGED.get() {
            return Icvs::DEFAULT;
        }
        let state = state::current();
        if state.is_null() {
            Icvs::DEFAULT
        } else {
            // SAFETY: only the master writes it, and never while workers run.
            unsafe { (*state).icvs }
        }
    }

    /// Changes the calling thread's ICVs.
    pub fn change(change: impl FnOnce(&mut Icvs)) {
        if kernel::is_master() && Nest::load().is_sequential() {
            CHANGED.set();
            // SAFETY: the workers wait for the next region.
            change(unsafe { &mut (*state::need()).icvs });
            return;
        }
        let inherited = Icvs::current();
        let node = thread_state::own(thread_state::Kind::Icvs, |node| node.icvs = inherited);
        // SAFETY: the node is this thread's own.
        change(unsafe { &mut (*node).icvs });
    }
}

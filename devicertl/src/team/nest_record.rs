//! Where a thread stands in the nest of parallel regions: one 16-bit word per thread.
//!
//! The word is the thread's own, so changing it needs no barrier. It is kept twice (docs/device-runtime.md, "Elision"):
//!
//! - for the optimiser: a variable that every change is written to. Nobody ever reads it, except to ask whether the
//!   optimiser knows its value. Where the runtime is inlined it does, as of a local variable.
//! - for code that the optimiser does not see through: an array in shared memory (SPMD kernels), or one word for the
//!   master (generic kernels). A worker's role says where it is. Once it is elsewhere, the team's state (`state`) says
//!   so.
//!
//! What the team has in common (size, level) is stored once per team and only where it is not the whole block.

use crate::arch;
use crate::team::nest::{KIND, Nest};
use crate::team::roles;
use crate::team::shared;
use crate::team::state::{self, WORKERS_ELSEWHERE};
use crate::team::state_buffer::State;

impl Nest {
    /// This thread's place.
    #[inline(always)]
    pub fn load() -> Nest {
        let seen = arch::nest_seen();
        if arch::is_known(seen) {
            Nest(seen)
        } else {
            recorded_out_of_line()
        }
    }

    /// The same for `parallel`, loops, `single`, `masked` and queries. A region's size or a loop around it may leave
    /// several values possible there, and the optimiser must see the load of the word to follow it. Everything else
    /// calls for the word, because openmp-opt's time grows with the copies that it sees (docs/device-runtime.md, "What
    /// the optimiser knows").
    #[inline(always)]
    pub fn load_inline() -> Nest {
        let seen = arch::nest_seen();
        if arch::is_known(seen) {
            Nest(seen)
        } else {
            Nest::recorded()
        }
    }

    /// Makes this the calling thread's place.
    #[inline(always)]
    pub fn store(self) {
        self.begin();
        if arch::is_spmd() {
            arch::nest_store(arch::thread_id(), self.0);
        } else if roles::is_master() {
            arch::master_nest_store(self.0);
        } else if self == Nest::GROUP {
            Nest::record_role();
        } else {
            self.record_elsewhere();
        }
    }

    /// Stores the thread's place again, though it has not changed: the optimiser may have lost sight of the word.
    #[inline(always)]
    pub fn keep(self) {
        self.begin();
        if arch::is_spmd() {
            arch::nest_store(arch::thread_id(), self.0);
        }
    }

    /// Makes a worker's role its place: it is back from a region.
    #[inline(always)]
    pub fn return_to_role() {
        Nest::GROUP.begin();
        Nest::record_role();
    }

    /// Shows the optimiser the place of a worker that is where its role says already.
    #[inline(always)]
    pub fn begin(self) {
        arch::nest_show(self.0);
    }

    #[inline(always)]
    fn recorded() -> Nest {
        if arch::is_spmd() {
            return Nest(arch::nest_load(arch::thread_id()));
        }
        if roles::is_master() {
            // The master is in no active region: it waits while one runs.
            return Nest(arch::master_nest_load() & !KIND);
        }
        if WORKERS_ELSEWHERE.is_possible() && state::any() {
            Nest::recorded_elsewhere()
        } else {
            Nest::GROUP
        }
    }

    /// A worker's place. Workers run user code in regions only, unless their team's state says otherwise. Declared to
    /// read only, as [`recorded_out_of_line`] is.
    #[cold]
    #[inline(never)]
    #[unsafe(export_name = "omptarget_recorded_elsewhere")]
    fn recorded_elsewhere() -> Nest {
        let state = state::current();
        if state.is_null() || !WORKERS_ELSEWHERE.get() {
            return Nest::GROUP;
        }
        // SAFETY: thread numbers are below MAX_THREADS; the entry is this thread's own.
        Nest(unsafe { *own_word(state) })
    }

    #[inline(always)]
    fn record_role() {
        if WORKERS_ELSEWHERE.is_possible() && state::any() {
            Nest::record_role_if_recorded();
        }
    }

    #[cold]
    #[inline(never)]
    fn record_role_if_recorded() {
        let state = state::current();
        if !state.is_null() {
            // SAFETY: as in `recorded_elsewhere`.
            unsafe { *own_word(state) = Nest::GROUP.0 };
        }
    }

    #[cold]
    #[inline(never)]
    fn record_elsewhere(self) {
        WORKERS_ELSEWHERE.set();
        // SAFETY: as in `recorded_elsewhere`.
        unsafe { *own_word(state::need()) = self.0 };
    }

    /// Within an active parallel region as the standard has it: one of more than one thread (OpenMP 5.2, §1.2.2). A
    /// team has one thread where a block has no more.
    #[inline(always)]
    pub fn is_parallel(self) -> bool {
        self.is_active() && self.active_team_size() > 1
    }

    /// `omp_get_level`.
    #[inline(always)]
    pub fn level(self) -> u32 {
        self.active_base() + self.serialized()
    }

    /// Level of the innermost active region, 0 if there is none.
    #[inline(always)]
    pub fn active_base(self) -> u32 {
        match self.0 & KIND {
            0 => 0,
            1 => 1,
            // SAFETY: written before the region's threads got here, not changed while it lasts.
            _ => unsafe { arch::receive(shared::team_shape()) }.level(),
        }
    }

    /// `omp_get_thread_num`.
    #[inline(always)]
    pub fn thread_num(self) -> u32 {
        if self.in_team() { arch::thread_id() } else { 0 }
    }

    /// `omp_get_num_threads`.
    #[inline(always)]
    pub fn team_size(self) -> u32 {
        if self.in_team() {
            self.active_team_size()
        } else {
            1
        }
    }

    /// Size of the innermost active region's team, 1 if there is none.
    #[inline(always)]
    pub fn active_team_size(self) -> u32 {
        match self.0 & KIND {
            0 => 1,
            1 => arch::block_threads(),
            // SAFETY: as in `active_base`.
            _ => unsafe { arch::receive(shared::team_shape()) }.size(),
        }
    }
}

/// A call for the word.
///
/// scripts/build-device declares that the function only reads, which LLVM cannot see because of the atomics and the
/// fence behind it. So a call does not end what the optimiser knows of the word, and one call in a loop does not lead
/// to more. A caller cannot tell the difference: the thread alone writes the word. The function is exported for this
/// declaration.
#[inline(never)]
#[unsafe(export_name = "omptarget_recorded_nest")]
fn recorded_out_of_line() -> Nest {
    Nest::recorded()
}

/// This thread's entry in the team's state.
fn own_word(state: *mut State) -> *mut u16 {
    // SAFETY: thread numbers are below MAX_THREADS.
    unsafe {
        (&raw mut (*state).nest)
            .cast::<u16>()
            .add(arch::thread_id() as usize)
    }
}

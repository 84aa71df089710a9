//! Where a thread stands in the nest of parallel regions: one 16-bit word per thread.
//!
//! The word is the thread's own, so changing it needs no barrier. It is kept twice (docs/device-runtime.md, "Elision"):
//!
//! - for the optimiser: a variable that every change is written to and that nobody ever reads, except to ask whether
//!   the optimiser knows its value. Where the runtime is inlined it does, as of a local variable.
//! - for code the optimiser does not see through: in SPMD kernels an array in shared memory, in generic kernels one word
//!   for the master. A worker's role says where it is, until it is elsewhere; then the team's state (`state`) does.
//!
//! What the team has in common (size, level) is stored once per team and only where it is not the whole block.

use crate::arch::{self, shared};
use crate::fork_join::kernel;
use crate::sticky_flag::StickyFlag;
use crate::team::state::{self, State};

/// A nest word. Bits 0-1: the kind of the innermost team of more than one thread, all set in `reduce_dispersed`; bit 2: the thread
/// has thread state; bit 3: the kernel is SPMD as written; bit 4: it is, has a reduction across teams, and is outside of parallel regions;
/// bits 5-15: how many serialised regions lie within.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nest(u16);

/// What the threads of an active region have in common: its size (bits 0-15) and its level.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub struct TeamShape(u32);

impl TeamShape {
    /// A team of `size` threads in a region of `level`.
    #[inline(always)]
    pub fn new(size: u32, level: u32) -> TeamShape {
        TeamShape(size | level << 16)
    }

    /// Threads.
    #[inline(always)]
    pub fn size(self) -> u32 {
        self.0 & 0xffff
    }

    /// `omp_get_level`.
    #[inline(always)]
    pub fn level(self) -> u32 {
        self.0 >> 16
    }
}

/// Whether a worker of any generic kernel was ever elsewhere than its role says.
#[unsafe(export_name = "omptarget.ever.elsewhere")]
pub static ELSEWHERE: StickyFlag = StickyFlag::new();

const KIND: u16 = 0b11;
const THREAD_STATE: u16 = 0b100;
const PURE: u16 = 0b1000;
const REDUCES: u16 = 0b1_0000;
const SERIAL: u16 = 0b10_0000;

impl Nest {
    /// The initial thread, outside every parallel region.
    pub const SEQUENTIAL: Nest = Nest(0);
    /// The same in a kernel that clang itself made SPMD: all its code outside parallel regions is the control
    /// of `distribute` loops. (What openmp-opt turns into SPMD has sequential code there.)
    pub const PURE_SEQUENTIAL: Nest = Nest(PURE);
    /// The same in one that reduces across teams.
    pub const PURE_REDUCING: Nest = Nest(PURE | REDUCES);
    /// In a parallel region whose team is the whole block (SPMD kernels).
    pub const BLOCK: Nest = Nest(1);
    /// The same, where the lanes of a warp are together at the region's end and wherever it waits: in a `distribute parallel for` of
    /// a kernel that reduces across teams. No worksharing nor barrier may stand in its iterations (OpenMP 5.2, §17.1), so the
    /// loop's own are all there are.
    pub const BLOCK_TOGETHER: Nest = Nest(1 | PURE);
    /// In a parallel region of `shared::team_size` threads.
    pub const GROUP: Nest = Nest(2);

    /// The same place while a set of lanes reduces on its own (`reduce_dispersed`).
    #[inline(always)]
    pub fn dispersed(self) -> Nest {
        Nest(self.0 | KIND)
    }

    /// Whether it does.
    #[inline(always)]
    pub fn is_dispersed(self) -> bool {
        self.0 & KIND == KIND
    }

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

    /// The same for `parallel`, loops, `single`, `masked` and queries: where a region's size or a loop around it leaves several values
    /// possible, the optimiser must see the word's load to follow it. Everything else calls for it, as
    /// openmp-opt's time grows with the copies it sees (docs/device-runtime.md, "What the optimiser knows").
    #[inline(always)]
    pub fn load_inline() -> Nest {
        let seen = arch::nest_seen();
        if arch::is_known(seen) {
            Nest(seen)
        } else {
            Nest::recorded()
        }
    }

    /// Makes this this thread's place.
    #[inline(always)]
    pub fn store(self) {
        self.begin();
        if arch::is_spmd() {
            arch::nest_store(arch::thread_id(), self.0);
        } else if kernel::is_master() {
            arch::master_nest_store(self.0);
        } else if self == Nest::GROUP {
            Nest::record_role();
        } else {
            self.record_elsewhere();
        }
    }

    /// Says again that this is this thread's place, which it is: for the optimiser, where it may have lost sight of the word.
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

    /// Makes this a worker's place that is where its role says already.
    #[inline(always)]
    pub fn begin(self) {
        arch::nest_show(self.0);
    }

    #[inline(always)]
    fn recorded() -> Nest {
        if arch::is_spmd() {
            return Nest(arch::nest_load(arch::thread_id()));
        }
        if kernel::is_master() {
            // The master is in no active region: it waits while one runs.
            return Nest(arch::master_nest_load() & !KIND);
        }
        if ELSEWHERE.get() {
            Nest::recorded_elsewhere()
        } else {
            Nest::GROUP
        }
    }

    /// A worker's place, which runs user code in regions only, unless its team's state says otherwise.
    #[cold]
    #[inline(never)]
    fn recorded_elsewhere() -> Nest {
        let state = state::current();
        if state.is_null() {
            return Nest::GROUP;
        }
        // SAFETY: thread numbers are below MAX_THREADS; the entry is this thread's own.
        Nest(unsafe { *own_word(state) })
    }

    #[inline(always)]
    fn record_role() {
        if ELSEWHERE.get() {
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
        ELSEWHERE.set();
        // SAFETY: as in `recorded_elsewhere`.
        unsafe { *own_word(state::need()) = self.0 };
    }

    /// Four words of this place, as memory has them.
    pub fn four(self) -> u64 {
        u64::from(self.0) * 0x1_0001_0001_0001
    }

    /// Outside every parallel region, with no thread state.
    #[inline(always)]
    pub fn is_sequential(self) -> bool {
        self.0 & !(PURE | REDUCES) == 0
    }

    /// In the control of a `distribute` loop of a kernel that is SPMD as written.
    #[inline(always)]
    pub fn is_pure_sequential(self) -> bool {
        self.is_pure() && self.is_sequential()
    }

    /// Whether the kernel is SPMD as written.
    #[inline(always)]
    pub fn is_pure(self) -> bool {
        self.0 & PURE != 0
    }

    /// In the control of a `distribute` loop of a kernel that is SPMD as written and reduces across teams.
    #[inline(always)]
    pub fn reduces(self) -> bool {
        self.0 & REDUCES != 0
    }

    /// Within a parallel region that was sent to a team, perhaps in a serialised one inside it.
    #[inline(always)]
    pub fn is_active(self) -> bool {
        self.0 & KIND != 0
    }

    /// Within an active parallel region as the standard has it: one of more than one thread (OpenMP 5.2, §1.2.2). A team has one
    /// where a block has no more.
    #[inline(always)]
    pub fn is_parallel(self) -> bool {
        self.is_active() && self.active_team_size() > 1
    }

    /// Whether the team is the whole block, and the lanes of a warp are together wherever it waits.
    #[inline(always)]
    pub fn is_together(self) -> bool {
        self.is_block() && self.is_pure()
    }

    /// Whether the innermost region's team has more than this thread.
    #[inline(always)]
    pub fn in_team(self) -> bool {
        self.is_active() && self.serialized() == 0
    }

    /// Whether the innermost active region's team is the whole block.
    #[inline(always)]
    pub fn is_block(self) -> bool {
        self.0 & KIND == Nest::BLOCK.0
    }

    /// How many serialised regions lie within the innermost active one.
    #[inline(always)]
    pub fn serialized(self) -> u32 {
        u32::from(self.0 / SERIAL)
    }

    /// One serialised region deeper.
    #[inline(always)]
    pub fn deeper(self) -> Nest {
        if self.0 > u16::MAX - SERIAL {
            arch::trap(c"parallel regions are nested more than 2047 deep");
        }
        Nest(self.0 + SERIAL)
    }

    /// One serialised region less deep; the place itself where there is none.
    #[inline(always)]
    pub fn shallower(self) -> Nest {
        if self.serialized() == 0 {
            self
        } else {
            Nest(self.0 - SERIAL)
        }
    }

    /// Whether this thread has thread state (`thread_state`).
    #[inline(always)]
    pub fn has_thread_state(self) -> bool {
        self.0 & THREAD_STATE != 0
    }

    /// The same place, with or without thread state.
    #[inline(always)]
    pub fn with_thread_state(self, yes: bool) -> Nest {
        Nest(if yes {
            self.0 | THREAD_STATE
        } else {
            self.0 & !THREAD_STATE
        })
    }

    /// How many regions thread state of this place belongs to: what is deeper ends before it.
    #[inline(always)]
    pub fn depth(self) -> u32 {
        self.serialized() + u32::from(self.is_active())
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

/// A call for the word. scripts/build-device declares that it only reads, which LLVM does not see for the atomics and the fence
/// behind it: so it does not end what the optimiser knows of the word, and one call in a loop does not lead to more. It is true
/// of what a caller can tell: the thread alone writes the word. Named for that.
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

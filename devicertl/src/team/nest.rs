//! A place in the nest of parallel regions: one 16-bit word, which each thread has for itself
//! ([`nest_record`](super::nest_record) says where).

use crate::arch;

/// A nest word.
///
/// Bits 0-1: the kind of the innermost team of more than one thread; all are set during a reduction of `dispersed`
/// lanes. Bit 2: the thread has thread state. Bit 3: the kernel is SPMD as written. Bit 4: so it is, it reduces across
/// teams, and the thread is outside of parallel regions. Bits 5-15: how many serialised regions lie within.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nest(pub(super) u16);

/// The bits that say the kind of team.
pub(super) const KIND: u16 = 0b11;
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
    /// The same, where the lanes of a warp are together at the region's end and wherever it waits: in a `distribute
    /// parallel for` of a kernel that reduces across teams. No worksharing nor barrier may stand in its iterations
    /// (OpenMP 5.2, §17.1), so the barriers of the loop itself are all there are.
    pub const BLOCK_TOGETHER: Nest = Nest(1 | PURE);
    /// In a parallel region of `shared::team_size` threads.
    pub const GROUP: Nest = Nest(2);

    /// The same place while a set of lanes reduces on its own (`reduction::dispersed`).
    #[inline(always)]
    pub fn dispersed(self) -> Nest {
        Nest(self.0 | KIND)
    }

    /// Whether it does.
    #[inline(always)]
    pub fn is_dispersed(self) -> bool {
        self.0 & KIND == KIND
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

    /// How many regions thread state of this place belongs to. Thread state of greater depth ends before it.
    #[inline(always)]
    pub fn depth(self) -> u32 {
        self.serialized() + u32::from(self.is_active())
    }
}

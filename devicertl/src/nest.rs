//! Where a thread stands in the nest of parallel regions: one 16-bit word per thread.
//!
//! The word is the thread's own, so changing it needs no barrier, and once the runtime is inlined the
//! optimiser follows it like a local variable (docs/device-runtime.md, "Elision"). What the
//! team has in common (size, level) is stored once per team and only where it is not the whole block.

use crate::arch::{self, shared};

/// A nest word. Bits 0-1: the kind of the innermost team of more than one thread, all set in `reduce_dispersed`; bit 2: the thread
/// has private state; bit 3: the kernel is SPMD as written; bits 4-15: how many serialised regions lie within.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nest(u16);

const KIND: u16 = 0b11;
const PRIVATE: u16 = 0b100;
const PURE: u16 = 0b1000;
const SERIAL: u16 = 0b1_0000;

impl Nest {
    /// The initial thread, outside every parallel region.
    pub const SEQUENTIAL: Nest = Nest(0);
    /// The same in a kernel that clang itself made SPMD: all its code outside parallel regions is the control
    /// of `distribute` loops. (What openmp-opt turns into SPMD has sequential code there.)
    pub const PURE_SEQUENTIAL: Nest = Nest(PURE);
    /// In a parallel region whose team is the whole block (SPMD kernels).
    pub const BLOCK: Nest = Nest(1);
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

    /// This thread's word.
    #[inline(always)]
    pub fn load() -> Nest {
        Nest(arch::nest_load(arch::thread_id()))
    }

    /// Makes this this thread's word.
    #[inline(always)]
    pub fn store(self) {
        arch::nest_store(arch::thread_id(), self.0)
    }

    /// Outside every parallel region, with no private state.
    #[inline(always)]
    pub fn is_sequential(self) -> bool {
        self.0 & !PURE == 0
    }

    /// Whether the kernel is SPMD as written.
    #[inline(always)]
    pub fn is_pure(self) -> bool {
        self.0 & PURE != 0
    }

    /// Within an active parallel region, perhaps in a serialised one inside it.
    #[inline(always)]
    pub fn is_active(self) -> bool {
        self.0 & KIND != 0
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
            arch::trap(c"parallel regions are nested more than 4095 deep");
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

    /// Whether this thread has private state (`private`).
    #[inline(always)]
    pub fn has_private(self) -> bool {
        self.0 & PRIVATE != 0
    }

    /// The same place, with or without private state.
    #[inline(always)]
    pub fn with_private(self, yes: bool) -> Nest {
        Nest(if yes {
            self.0 | PRIVATE
        } else {
            self.0 & !PRIVATE
        })
    }

    /// How many regions private state of this place belongs to: what is deeper ends before it.
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
            _ => unsafe { arch::receive(shared::team_level()) },
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
            _ => unsafe { arch::receive(shared::team_size()) },
        }
    }
}

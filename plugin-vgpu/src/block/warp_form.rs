//! Warps in warp form. One fiber runs all lanes, under the index of the warp's first thread.

use crate::barrier::Arrival;
use crate::warp::{Lanes, lanes};

use super::{Block, Misuse, Outcome};

/// The error where a warp in warp form has diverged: `lanes` should reach a barrier or a warp operation, but wait
/// elsewhere for the lanes that reached it.
#[cold]
pub fn split(lanes: Lanes) -> Misuse {
    format!(
        "a warp in warp form has diverged where all its lanes must be together (mask {lanes:#x} is elsewhere), and its \
         lanes cannot wait for each other; run with OMPTARGET_VGPU_ENGINE=fiber"
    )
}

impl Block {
    /// Whether `thread` runs on its warp's fiber.
    pub fn in_warp_form(&self, thread: u16) -> bool {
        u32::from(thread) < self.scalar_from
    }

    /// `lanes` of the warp that begins with thread `first` arrive at barrier `id`. The lanes `elsewhere` wait for
    /// them in other code of the warp. All other lanes of the warp have ended.
    #[inline(always)]
    pub fn warp_barrier(
        &mut self,
        first: u16,
        site: u32,
        (id, count): (u32, u32),
        (lanes, elsewhere): (Lanes, Lanes),
        arrival: Arrival,
    ) -> Result<Outcome, Misuse> {
        let (warp, _) = self.warp_kind.place(first);
        if elsewhere != 0 && count == 0 {
            return Err(split(elsewhere));
        }
        let ending = self.live_lanes(first) & !lanes & !elsewhere;
        if ending != 0 {
            self.end_lanes(first, ending);
        }
        self.arrive(first, (warp, lanes), site, (id, count), arrival)
    }

    /// Lanes of the warp that begins with thread `first` that have not ended.
    #[inline(always)]
    pub fn live_lanes(&self, first: u16) -> Lanes {
        let (warp, _) = self.warp_kind.place(first);
        let size = (self.threads - u32::from(first)).min(self.warp_kind.size);
        (Lanes::MAX >> (Lanes::BITS - size)) & !self.warps[warp].exited
    }

    /// Lanes of the warp that begins with thread `first` end.
    pub fn end_lanes(&mut self, first: u16, ending: Lanes) {
        if ending == 0 {
            return;
        }
        let (warp, _) = self.warp_kind.place(first);
        self.live -= ending.count_ones();
        self.idle_rounds = 0;
        self.warps[warp].exited |= ending;
        self.warps[warp].runnable &= !ending;
        for id in lanes(self.open) {
            self.barriers[id].exit(warp, ending);
            self.close_if_complete(id);
        }
    }

    /// The threads that wait when `waiter`'s fiber waits at barrier `id`.
    pub fn waiting(&self, id: usize, waiter: u16) -> impl Iterator<Item = u16> + use<> {
        let arrived = self.barriers[id].arrived_lanes(self.warp_kind.place(waiter).0);
        self.members(waiter, arrived)
    }

    /// The threads that wait when `waiter`'s fiber yields.
    pub fn yielding_with(&self, waiter: u16) -> impl Iterator<Item = u16> + use<> {
        self.members(waiter, self.live_lanes(waiter))
    }

    /// `thread`, or in warp form the lanes `of` the warp that begins with it.
    fn members(&self, thread: u16, of: Lanes) -> impl Iterator<Item = u16> + use<> {
        let of = if self.in_warp_form(thread) { of } else { 1 };
        lanes(of).map(move |lane| thread + lane as u16)
    }
}

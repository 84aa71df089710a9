//! A random order of a block's threads.

use fastrand::Rng;

use super::{Block, Next};

/// What decides who runs.
pub struct RandomOrder {
    rng: Rng,
    /// The first threads of the warps in warp form and the other threads that have not started, in random order.
    unstarted: Vec<u16>,
}

impl RandomOrder {
    /// For threads that start one by one from `scalar_from` on, and warp by warp before it. Those before `ended` have
    /// ended.
    pub fn new(
        mut rng: Rng,
        (scalar_from, warp_size): (u32, u32),
        ended: u32,
        threads: u32,
    ) -> Self {
        let warps = (ended..scalar_from).step_by(warp_size as usize);
        let mut unstarted: Vec<u16> = warps
            .chain(ended.max(scalar_from)..threads)
            .map(|thread| thread as u16)
            .collect();
        rng.shuffle(&mut unstarted);
        RandomOrder { rng, unstarted }
    }

    /// The next thread to start.
    pub fn start(&mut self) -> Option<u16> {
        self.unstarted.pop()
    }
}

impl Block {
    /// As [`Block::next`]: any thread that can run, or the next one to start, with the same probability each.
    pub(super) fn next_at_random(&mut self) -> Next {
        let Some(order) = &mut self.order else {
            unreachable!("the order is random");
        };
        let ready = self.ready.len();
        let candidates = ready + usize::from(!order.unstarted.is_empty());
        if candidates == 0 {
            return if self.live == 0 {
                Next::Done
            } else {
                Next::Idle
            };
        }
        match order.rng.usize(..candidates) {
            place if place < ready => Next::Resume(self.ready.take(place)),
            _ => Next::Start,
        }
    }
}

//! Grids whose blocks wait for each other, with more blocks than multiprocessors.

use std::sync::atomic::{AtomicU32, Ordering};

use super::{kernel, launch_on, machine, tid};
use crate::abi::vgpu_spin;

const BLOCKS: u32 = 12;

kernel!(wait_for_all_blocks, cx, arrived: AtomicU32, {
    if tid(cx) == 0 {
        arrived.fetch_add(1, Ordering::Relaxed);
    }
    while arrived.load(Ordering::Relaxed) < BLOCKS {
        vgpu_spin(cx, 3);
    }
});

#[test]
fn blocks_may_wait_for_later_ones() {
    let machine = machine(2);
    for _ in 0..2 {
        let arrived = AtomicU32::new(0);
        launch_on(&machine, wait_for_all_blocks, BLOCKS, 3, &arrived).unwrap();
        assert_eq!(arrived.into_inner(), BLOCKS);
    }
}

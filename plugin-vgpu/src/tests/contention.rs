//! Launches of kernels whose blocks hinder each other, or may.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::block_time::BlockTime;

kernel!(add_one, cx, sums: [AtomicU32; 4], {
    sums[(tid(cx) % 4) as usize].fetch_add(1, Ordering::Relaxed);
});

#[test]
fn trials_leave_no_block_out_and_run_none_twice() {
    const BLOCKS: u32 = 20_000;
    let block_time = Arc::new(BlockTime::default());
    let machine = machine(3);
    let sums: [AtomicU32; 4] = Default::default();
    for launches in 1..=8 {
        // A trial is due in each launch. How it ends depends on the machine.
        let time = Duration::from_secs(10_u64.pow(launches));
        block_time.contention.ran(1 << 20, time);
        let args = [&raw const sums];
        let run = GridRun {
            block_time: Some(block_time.clone()),
            ..grid_run(add_one, BLOCKS, 8, &args)
        };
        // SAFETY: test kernels take one parameter, a reference to their data.
        assert!(unsafe { Grid::launch(&machine, run) }.unwrap().is_none());
        for sum in &sums {
            assert_eq!(sum.load(Ordering::Relaxed), 2 * BLOCKS * launches);
        }
    }
}

//! Launches of kernels whose blocks hinder each other, or may.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::block_time::BlockTime;
use crate::contention::Contention;

kernel!(add_one, cx, sums: [AtomicU32; 4], {
    sums[(tid(cx) % 4) as usize].fetch_add(1, Ordering::Relaxed);
});

const BLOCKS: u32 = 20_000;

/// Launches the kernel once more; `sums` must be those of so many launches then.
fn launch_with(
    machine: &Arc<Machine>,
    block_time: &Arc<BlockTime>,
    sums: &[AtomicU32; 4],
    of: u32,
) {
    let args = [&raw const *sums];
    let run = GridRun {
        block_time: Some(block_time.clone()),
        ..grid_run(add_one, BLOCKS, 8, &args)
    };
    // SAFETY: test kernels take one parameter, a reference to their data.
    assert!(unsafe { Grid::launch(machine, run) }.unwrap().is_none());
    for sum in sums {
        assert_eq!(sum.load(Ordering::Relaxed), 2 * BLOCKS * of);
    }
}

#[test]
fn trials_leave_no_block_out_and_run_none_twice() {
    let block_time = Arc::new(BlockTime::default());
    let (machine, sums) = (machine(3), Default::default());
    for launches in 1..=8 {
        // A trial is due in each launch. How it ends depends on the machine.
        let time = Duration::from_secs(10_u64.pow(launches));
        block_time.contention.ran(1 << 20, time);
        launch_with(&machine, &block_time, &sums, launches);
    }
}

#[test]
fn a_launch_that_runs_alone_asks_for_helpers_when_a_trial_is_due() {
    let (machine, sums) = (machine(3), Default::default());
    assert_eq!(machine.helpers_started(), 0);
    for launches in 1..=4 {
        let contention = Contention::found(Duration::from_millis(1));
        let block_time = Arc::new(BlockTime::with(contention));
        launch_with(&machine, &block_time, &sums, launches);
        assert_eq!(machine.helpers_started(), 2);
    }
}

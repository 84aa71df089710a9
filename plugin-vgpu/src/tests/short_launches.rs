//! Many short launches, one right after the other.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::block_time::BlockTime;

kernel!(count_blocks, cx, counts: [AtomicU32; 64], {
    // SAFETY: the context is the thread's own.
    let block = unsafe { (*cx).ctaid[0] };
    counts[block as usize].fetch_add(1, Ordering::Relaxed);
});

/// Whether they are shared depends on the machine. No block is left out, and none runs twice.
#[test]
fn every_block_runs_once_in_each() {
    const LAUNCHES: u32 = 4000;
    let (machine, block_time) = (machine(3), Arc::new(BlockTime::default()));
    let counts: [AtomicU32; 64] = [const { AtomicU32::new(0) }; 64];
    let args = [&raw const counts];
    for launches in 1..=LAUNCHES {
        let run = GridRun {
            block_time: Some(block_time.clone()),
            ..grid_run(count_blocks, 64, 1, &args)
        };
        // SAFETY: test kernels take one parameter, a reference to their data.
        assert!(unsafe { Grid::launch(&machine, run) }.unwrap().is_none());
        let all = counts
            .iter()
            .all(|it| it.load(Ordering::Relaxed) == launches);
        assert!(all, "launch {launches}");
    }
}

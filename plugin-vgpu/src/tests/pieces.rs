//! Blocks whose subgroups run on several workers.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use vgpu_abi::WarpEntryFn;

use super::warp_form::{
    Seen, coordinates_in_a_loop, coordinates_of_a_thread, rest_in_a_loop, subgroups, warp_kernel,
    widths_and_shapes,
};
use super::*;

/// Subgroups of a block that wait until all have begun, though the engine thinks that they never wait.
struct Meeting {
    begun: AtomicU32,
    expected: u32,
    missed: AtomicU32,
}

warp_kernel!(meets, _cx, _lanes, meeting: Meeting, {
    meeting.begun.fetch_add(1, Ordering::AcqRel);
    let until = Instant::now() + Duration::from_secs(60);
    while meeting.begun.load(Ordering::Acquire) < meeting.expected {
        if Instant::now() > until {
            meeting.missed.fetch_add(1, Ordering::Relaxed);
            break;
        }
        std::thread::yield_now();
    }
});

#[test]
fn one_block_of_threads_that_never_wait_runs_on_several_workers() {
    for choice in [None, Some(Arc::default())] {
        let meeting = Meeting {
            begun: AtomicU32::new(0),
            expected: 4,
            missed: AtomicU32::new(0),
        };
        let args = [&raw const meeting];
        let run = GridRun {
            form: subgroups(meets, 32),
            choice,
            ..grid_run(nothing, 1, 128, &args)
        };
        // SAFETY: test kernels take one parameter, a reference to their data.
        assert!(unsafe { Grid::launch(&machine(4), run) }.unwrap().is_none());
        assert_eq!(meeting.missed.into_inner(), 0);
    }
}

#[test]
fn pieces_of_blocks_run_each_thread_once() {
    let cases = widths_and_shapes().flat_map(|it| (1..4).map(move |blocks| (it, blocks)));
    for ((width, threads), blocks) in cases {
        let seen = Seen::none(blocks * threads.iter().product::<u32>(), width);
        let args = [&raw const seen];
        let run = GridRun {
            form: Form::Subgroups {
                entry: coordinates_in_a_loop,
                rest: coordinates_of_a_thread,
                width,
                loops: true,
                threads: (width != 16).then_some(rest_in_a_loop as WarpEntryFn),
            },
            threads,
            ..grid_run(nothing, blocks, 1, &args)
        };
        // SAFETY: as above.
        assert!(unsafe { Grid::launch(&machine(3), run) }.unwrap().is_none());
        seen.check(&(width, threads, blocks));
    }
}

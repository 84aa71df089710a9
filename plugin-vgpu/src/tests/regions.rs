//! Kernels whose warp form runs by regions.

use std::sync::Mutex;

use vgpu_abi::{ENDED, RegionCall, WarpFrame};

use super::*;
use crate::fault::Cause;

/// Bytes of a frame in these tests.
const FRAME: u32 = size_of::<WarpFrame>() as u32;

/// What a warp does in a region: it changes its frame as compiled code does.
type Step = fn(warp: u32, region: u32, frame: &mut WarpFrame);

/// A kernel: what warps do, and the (warp, region) pairs that have run, in this order.
struct Program {
    step: Step,
    ran: Mutex<Vec<(u32, u32)>>,
}

unsafe extern "C" fn regions(_: *mut ThreadContext, args: *const u64, call: u64) {
    // SAFETY: tests pass a program, which outlives the launch; the engine passes a call.
    let (program, call) = unsafe { (&*(*args as *const Program), &*(call as *const RegionCall)) };
    for warp in call.from..call.to {
        // SAFETY: the engine has as many frames as the block has warps, and lends them.
        let frame = unsafe {
            call.current.write((warp * 32) as u16);
            &mut *call.frames.byte_add((warp * FRAME) as usize)
        };
        program.ran.lock().unwrap().push((warp, call.region));
        (program.step)(warp, call.region, frame);
    }
}

/// Waits at barrier `id`, then goes on with `region`.
fn wait(frame: &mut WarpFrame, id: u32, count: u32, region: u32) {
    (frame.lanes, frame.elsewhere) = (frame.existing, 0);
    (frame.site, frame.id, frame.count, frame.region) = (7, id, count, region);
}

fn launch_regions(threads: u32, blocks: u32, order: Option<u64>, step: Step) -> Outcome {
    let program = Program {
        step,
        ran: Mutex::new(Vec::new()),
    };
    let args = [&raw const program];
    let mut run = GridRun {
        form: Form::Regions {
            entry: regions,
            frame: FRAME,
        },
        threads: [threads, 1, 1],
        ..grid_run(nothing, blocks, 1, &args)
    };
    if let Some(seed) = order {
        run.order = Schedule::Random(seed).of_launch(0);
    }
    // SAFETY: the kernel takes one parameter, a program.
    let fault = unsafe { Grid::launch(&machine(1), run) }.unwrap();
    Outcome {
        ran: program.ran.into_inner().unwrap(),
        fault: fault.map(|fault| fault.raised),
    }
}

struct Outcome {
    ran: Vec<(u32, u32)>,
    fault: Option<Raised>,
}

#[test]
fn a_region_runs_for_all_warps_before_the_next_one() {
    let outcome = launch_regions(96, 2, None, |_, region, frame| match region {
        2 => frame.region = ENDED,
        _ => wait(frame, 0, 0, region + 1),
    });
    let block: Vec<_> = (0..3)
        .flat_map(|region| (0..3).map(move |warp| (warp, region)))
        .collect();
    assert_eq!(outcome.ran, [block.clone(), block].concat());
    assert!(outcome.fault.is_none());
}

#[test]
fn warps_may_wait_at_the_barrier_in_different_code() {
    // Region 1 is warp 0's, region 2 that of the others.
    let outcome = launch_regions(64, 1, None, |warp, region, frame| match region {
        0 => wait(frame, 0, 64, 1 + warp),
        _ => frame.region = ENDED,
    });
    assert_eq!(outcome.ran, [(0, 0), (1, 0), (0, 1), (1, 2)]);
}

#[test]
fn warps_that_have_ended_count_as_arrived() {
    let outcome = launch_regions(96, 1, None, |warp, region, frame| match (warp, region) {
        (1, 0) | (_, 2) => frame.region = ENDED,
        _ => wait(frame, 0, 0, region + 1),
    });
    let mut ran = outcome.ran;
    ran.sort_unstable();
    assert_eq!(
        ran,
        [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0), (2, 1), (2, 2)]
    );
}

#[test]
fn two_warps_pass_a_barrier_of_their_own_and_meet_the_others_again() {
    let outcome = launch_regions(96, 1, None, |warp, region, frame| match (warp, region) {
        (0 | 1, 0) => wait(frame, 1, 64, 1),
        (_, 0 | 1) => wait(frame, 0, 0, 2),
        (_, 2) => wait(frame, 0, 0, 3),
        _ => frame.region = ENDED,
    });
    assert!(outcome.fault.is_none());
    let at = |warp, region| {
        { outcome.ran.iter() }
            .position(|&it| it == (warp, region))
            .unwrap()
    };
    for first in 0..3 {
        for second in 0..3 {
            assert!(at(first, 2) < at(second, 3));
            assert!(at(first, 0) < at(second, 2));
        }
    }
    // Together again.
    assert_eq!(
        outcome.ran[outcome.ran.len() - 3..],
        [(0, 3), (1, 3), (2, 3)]
    );
}

#[test]
fn a_barrier_that_some_never_reach_is_a_deadlock() {
    let outcome = launch_regions(64, 1, None, |warp, _, frame| wait(frame, warp, 0, 1));
    let fault = outcome.fault.unwrap();
    assert!(matches!(fault.cause, Cause::Deadlock));
    let waiting: Vec<_> = { fault.waiting.iter() }
        .map(|group| (group.threads.len(), group.site))
        .collect();
    assert_eq!(waiting, [(32, 7), (32, 7)]);
}

#[test]
fn a_barrier_that_does_not_exist_is_a_fault() {
    let outcome = launch_regions(64, 1, None, |_, _, frame| wait(frame, 16, 0, 1));
    let fault = outcome.fault.unwrap();
    assert!(matches!(&fault.cause, Cause::Misuse(why) if why.contains("barrier 16")));
    assert_eq!(fault.thread, 0);
}

#[test]
fn a_random_order_is_reproducible_and_keeps_barriers() {
    let step: Step = |_, region, frame| match region {
        3 => frame.region = ENDED,
        _ => wait(frame, 0, 0, region + 1),
    };
    let orders: Vec<_> = [1, 1, 2]
        .map(|seed| launch_regions(512, 1, Some(seed), step).ran)
        .into();
    assert_eq!(orders[0], orders[1]);
    assert_ne!(orders[0], orders[2]);
    let regions: Vec<_> = orders[0].iter().map(|&(_, region)| region).collect();
    assert!(regions.is_sorted());
    assert_eq!(regions.len(), 64);
}

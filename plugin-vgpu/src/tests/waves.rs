//! AMDGCN's cross-lane operations, in waves of 32 and of 64 lanes, and the effects of wider waves on everything
//! else.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use vgpu_abi::{ReduxOp, WAVE_REDUX, WaveOp};

use super::*;
use crate::abi::*;

const SIZES: [u32; 2] = [32, 64];

/// A test's parameter for its kernel, and the results of all threads.
struct Data {
    size: u32,
    parameter: u64,
    values: Vec<AtomicU64>,
}

fn wave(size: u32) -> WarpKind {
    WarpKind {
        size,
        lockstep: true,
    }
}

fn launch_waves<T>(entry: EntryFn, size: u32, threads: u32, data: &T) -> Result<(), Raised> {
    launch_waves_with_timeout(entry, size, threads, Duration::from_secs(20), data)
}

fn launch_waves_with_timeout<T>(
    entry: EntryFn,
    size: u32,
    threads: u32,
    lockstep_timeout: Duration,
    data: &T,
) -> Result<(), Raised> {
    let args = [std::ptr::from_ref(data)];
    let run = GridRun {
        warp_kind: wave(size),
        lockstep_timeout,
        ..grid_run(entry, 1, threads, &args)
    };
    // SAFETY: test kernels take one parameter, a reference to their data.
    match unsafe { Grid::launch(&machine(1), run) }.unwrap() {
        None => Ok(()),
        Some(fault) => Err(fault.raised),
    }
}

fn run(entry: EntryFn, size: u32, threads: u32, parameter: u64) -> Vec<u64> {
    let data = Data {
        size,
        parameter,
        values: (0..threads).map(|_| AtomicU64::new(0xdead)).collect(),
    };
    launch_waves(entry, size, threads, &data).unwrap();
    data.values.into_iter().map(AtomicU64::into_inner).collect()
}

/// The lanes in `mask` execute an operation. Each kernel stores the results.
macro_rules! masked {
    ($name:ident, $cx:ident, $lane:ident, $data:ident, $got:expr) => {
        kernel!($name, $cx, $data: Data, {
            let thread = tid($cx);
            let $lane = thread % $data.size;
            if $data.parameter >> $lane & 1 != 0 {
                let got: u64 = $got;
                $data.values[thread as usize].store(got, Ordering::Relaxed);
            }
        });
    };
}

/// Member masks that leave lanes out, in the lower 32 lanes and beyond.
const MASKS: [u64; 4] = [
    !0,
    0x0000_00f0_0ff0_00f1,
    0x8000_0001_8000_0001,
    0x5555_5555_5555_5555,
];

masked!(ballots, cx, lane, data, {
    vgpu_wave(
        cx,
        1,
        WaveOp::Ballot as u32,
        u64::from(!lane.is_multiple_of(3)),
        0,
        0,
    )
});

#[test]
fn ballots_name_the_lanes_that_are_together() {
    for size in SIZES {
        for mask in MASKS {
            let got = run(ballots, size, 2 * size + 8, mask);
            for (thread, got) in got.into_iter().enumerate() {
                let first = thread as u32 / size * size;
                let lanes = (2 * size + 8 - first).min(size);
                let expected = (0..lanes)
                    .filter(|lane| mask >> lane & 1 != 0 && lane % 3 != 0)
                    .fold(0, |all, lane| all | 1u64 << lane);
                let takes_part = mask >> (thread as u32 % size) & 1 != 0;
                assert_eq!(
                    got,
                    if takes_part { expected } else { 0xdead },
                    "{size} {mask:#x} {thread}"
                );
            }
        }
    }
}

masked!(gathers, cx, lane, data, {
    vgpu_wave(
        cx,
        1,
        WaveOp::Gather as u32,
        (100 + u64::from(lane)) | 1 << 40,
        (lane + 5) % (data.size + 3),
        7,
    )
});

#[test]
fn gathers_read_lanes_that_take_part_and_nothing_else() {
    for size in SIZES {
        for mask in MASKS {
            for (lane, got) in run(gathers, size, size, mask).into_iter().enumerate() {
                let source = (lane as u32 + 5) % (size + 3);
                let there = source < size && mask >> source & 1 != 0;
                let value = if there {
                    (100 + u64::from(source)) | 1 << 40
                } else {
                    7
                };
                let takes_part = mask >> lane & 1 != 0;
                assert_eq!(
                    got,
                    if takes_part { value } else { 0xdead },
                    "{size} {mask:#x} {lane}"
                );
            }
        }
    }
}

masked!(scatters, cx, lane, data, {
    vgpu_wave(
        cx,
        1,
        WaveOp::Scatter as u32,
        100 + u64::from(lane),
        lane / 2 + 3,
        7,
    )
});

#[test]
fn scatters_give_to_lanes_and_the_highest_giver_counts() {
    for size in SIZES {
        for mask in MASKS {
            for (lane, got) in run(scatters, size, size, mask).into_iter().enumerate() {
                let givers = (0..size)
                    .filter(|giver| mask >> giver & 1 != 0 && giver / 2 + 3 == lane as u32);
                let value = givers.max().map_or(7, |giver| 100 + u64::from(giver));
                let takes_part = mask >> lane & 1 != 0;
                assert_eq!(
                    got,
                    if takes_part { value } else { 0xdead },
                    "{size} {mask:#x} {lane}"
                );
            }
        }
    }
}

masked!(firsts, cx, lane, data, {
    let _ = data;
    vgpu_wave(cx, 1, WaveOp::First as u32, 100 + u64::from(lane), 0, 0)
});

#[test]
fn the_first_lane_is_the_lowest_that_takes_part() {
    for size in SIZES {
        for mask in MASKS {
            let first = 100 + u64::from(mask.trailing_zeros());
            for (lane, got) in run(firsts, size, size, mask).into_iter().enumerate() {
                let takes_part = mask >> lane & 1 != 0;
                assert_eq!(got, if takes_part { first } else { 0xdead });
            }
        }
    }
}

masked!(reductions, cx, lane, data, {
    let _ = data;
    let value = i64::from(lane) - 3;
    let wide = vgpu_wave(cx, 1, WAVE_REDUX + ReduxOp::Add as u32, value as u64, 0, 0);
    let least = vgpu_wave(cx, 2, WAVE_REDUX + ReduxOp::Smin as u32, value as u64, 0, 0);
    wide << 32 | least & 0xffff_ffff
});

#[test]
fn reductions_take_the_sign_into_account() {
    for size in SIZES {
        for mask in MASKS {
            let values: Vec<i64> = (0..size)
                .filter(|lane| mask >> lane & 1 != 0)
                .map(|lane| i64::from(lane) - 3)
                .collect();
            let (sum, least) = (values.iter().sum::<i64>(), values[0]);
            let expected = (sum as u64) << 32 | least as u64 & 0xffff_ffff;
            for (lane, got) in run(reductions, size, size, mask).into_iter().enumerate() {
                let takes_part = mask >> lane & 1 != 0;
                assert_eq!(
                    got,
                    if takes_part { expected } else { 0xdead },
                    "{size} {mask:#x}"
                );
            }
        }
    }
}

kernel!(unknown_operation, cx, data: Data, {
    data.values[0].store(vgpu_wave(cx, 1, 99, 0, 0, 0), Ordering::Relaxed);
});

#[test]
fn an_operation_that_does_not_exist_is_a_fault() {
    let data = Data {
        size: 64,
        parameter: 0,
        values: vec![AtomicU64::new(0)],
    };
    assert!(launch_waves(unknown_operation, 64, 64, &data).is_err());
}

// Masks of NVPTX operations also have up to 64 lanes.
masked!(masked_operations, cx, lane, data, {
    let mask = data.parameter & !0 >> (64 - data.size);
    let got = vgpu_vote(cx, 1, mask, 3, u32::from(lane.is_multiple_of(2)));
    vgpu_syncwarp(cx, 2, mask);
    got ^ vgpu_match_any(cx, 3, mask, u64::from(lane % 2))
});

#[test]
fn member_masks_reach_the_upper_half_of_a_wave() {
    for size in SIZES {
        for mask in MASKS {
            let within = if size == 64 { mask } else { mask & 0xffff_ffff };
            let even = within & 0x5555_5555_5555_5555;
            for (lane, got) in run(masked_operations, size, size, mask)
                .into_iter()
                .enumerate()
            {
                let alike = if lane % 2 == 0 { even } else { within & !even };
                let takes_part = mask >> lane & 1 != 0;
                assert_eq!(got, if takes_part { even ^ alike } else { 0xdead });
            }
        }
    }
}

kernel!(own_place, cx, data: Data, {
    let context = &*cx;
    let value = u64::from(context.warpid) << 32 | u64::from(context.laneid);
    data.values[context.tid[0] as usize].store(value, Ordering::Relaxed);
});

#[test]
fn lanes_and_waves_are_numbered_by_the_waves_size() {
    for size in SIZES {
        for (thread, got) in run(own_place, size, 200, 0).into_iter().enumerate() {
            let thread = thread as u64;
            assert_eq!(
                got,
                (thread / u64::from(size)) << 32 | (thread % u64::from(size))
            );
        }
    }
}

struct Leader {
    size: u32,
    arrived: AtomicU32,
    early: AtomicU32,
}

// A barrier in software. The first lane of each wave arrives and waits on memory. The other lanes wait for it
// where the lanes converge.
kernel!(software_barrier, cx, data: Leader, {
    let thread = tid(cx);
    if thread >= data.size {
        for _ in 0..300 {
            vgpu_yield(cx, 1);
        }
    }
    vgpu_wave(cx, 2, WaveOp::Sync as u32, 0, 0, 0);
    if thread.is_multiple_of(data.size) {
        data.arrived.fetch_add(1, Ordering::Relaxed);
        while data.arrived.load(Ordering::Relaxed) < 2 {
            vgpu_yield(cx, 3);
        }
    }
    vgpu_wave(cx, 4, WaveOp::Sync as u32, 0, 0, 0);
    if data.arrived.load(Ordering::Relaxed) < 2 {
        data.early.fetch_add(1, Ordering::Relaxed);
    }
});

#[test]
fn lanes_in_lockstep_wait_for_one_that_waits_on_memory() {
    for size in SIZES {
        let data = Leader {
            size,
            arrived: AtomicU32::new(0),
            early: AtomicU32::new(0),
        };
        launch_waves(software_barrier, size, 2 * size, &data).unwrap();
        assert_eq!(data.early.into_inner(), 0);
    }
}

kernel!(lock_in_a_wave, cx, data: Leader, {
    while data.arrived.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {
        vgpu_spin(cx, 1);
    }
    // The lane that holds the lock converges here with the lanes that wait for the lock.
    vgpu_wave(cx, 2, WaveOp::Sync as u32, 0, 0, 0);
    data.early.fetch_add(1, Ordering::Relaxed);
    data.arrived.store(0, Ordering::Release);
});

#[test]
fn a_lock_that_would_hang_a_wave_does_not() {
    let data = Leader {
        size: 64,
        arrived: AtomicU32::new(0),
        early: AtomicU32::new(0),
    };
    launch_waves_with_timeout(lock_in_a_wave, 64, 4, Duration::from_millis(5), &data).unwrap();
    assert_eq!(data.early.into_inner(), 4);
}

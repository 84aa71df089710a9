//! Loops handed out at run time, and `ordered`.

use core::ptr::null;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use super::{Kernel, parallel};
use crate::arch::soft::live_allocations;
use crate::routines::query::{
    omp_get_num_threads, omp_get_schedule, omp_get_thread_num, omp_set_schedule,
};
use crate::worksharing::dispatch::*;

const DYNAMIC: i32 = 35;
const GUIDED: i32 = 36;
const RUNTIME: i32 = 37;
const AUTO: i32 = 38;
const STATIC: i32 = 34;
const STATIC_CHUNKED: i32 = 33;
/// From unordered to ordered.
const ORDERED: i32 = 32;

/// Tests that count heap allocations must not run beside others that make them.
static HEAP: Mutex<()> = Mutex::new(());

/// Runs iterations `0..count`, chunk by chunk.
fn run(schedule: i32, count: i32, chunk: i32, mut body: impl FnMut(i32)) {
    let (mut is_last, mut lower, mut upper, mut stride) = (0, 0, 0, 0);
    // SAFETY: called as clang calls them.
    unsafe {
        __kmpc_dispatch_init_4(null(), 0, schedule, 0, count - 1, 1, chunk);
        while __kmpc_dispatch_next_4(null(), 0, &mut is_last, &mut lower, &mut upper, &mut stride)
            != 0
        {
            assert_eq!(is_last != 0, upper == count - 1);
            assert_eq!(stride, 1);
            (lower..=upper).for_each(&mut body);
        }
        __kmpc_dispatch_deinit(null(), 0);
    }
}

fn counters(count: usize) -> Vec<AtomicU32> {
    (0..count).map(|_| AtomicU32::new(0)).collect()
}

#[test]
fn every_iteration_is_handed_out_once() {
    let _alone = HEAP.lock().unwrap();
    let before = live_allocations();
    for kernel in [Kernel::generic(40), Kernel::spmd(64), Kernel::generic(3)] {
        for schedule in [
            DYNAMIC,
            GUIDED,
            RUNTIME,
            AUTO,
            STATIC,
            STATIC_CHUNKED,
            DYNAMIC | 1 << 30,
        ] {
            for (count, chunk) in [(0, 1), (1, 1), (100, 1), (100, 7), (257, 1000), (64, 0)] {
                let met = counters(count as usize);
                kernel.run(|| {
                    parallel(-1, || {
                        // Twice without a barrier between, as after `nowait`.
                        for _ in 0..2 {
                            run(schedule, count, chunk, |i| {
                                met[i as usize].fetch_add(1, SeqCst);
                            });
                        }
                    });
                });
                assert!(
                    met.iter().all(|times| times.load(SeqCst) == 2),
                    "schedule {schedule}, {count} by {chunk}"
                );
            }
        }
    }
    assert_eq!(
        live_allocations(),
        before,
        "positions of threads are released"
    );
}

#[test]
fn unsigned_and_wide_loops_reach_their_ends() {
    let _alone = HEAP.lock().unwrap();
    let met = Mutex::new(Vec::new());
    Kernel::generic(8).run(|| {
        parallel(-1, || {
            let (mut is_last, mut lower, mut upper, mut stride) = (0, 0u64, 0u64, 0i64);
            // SAFETY: called as clang calls them.
            unsafe {
                __kmpc_dispatch_init_8u(null(), 0, DYNAMIC, u64::MAX - 9, u64::MAX, 3, 1);
                while __kmpc_dispatch_next_8u(
                    null(),
                    0,
                    &mut is_last,
                    &mut lower,
                    &mut upper,
                    &mut stride,
                ) != 0
                {
                    met.lock().unwrap().push((lower, upper, is_last));
                }
            }
        });
    });
    let mut met = met.into_inner().unwrap();
    met.sort_unstable();
    let end = u64::MAX;
    assert_eq!(
        met,
        [
            (end - 9, end - 9, 0),
            (end - 6, end - 6, 0),
            (end - 3, end - 3, 0),
            (end, end, 1)
        ]
    );

    let met = counters(3);
    Kernel::generic(2).run(|| {
        parallel(-1, || {
            let (mut is_last, mut lower, mut upper, mut stride) = (0, 0i64, 0i64, 0i64);
            // SAFETY: called as clang calls them.
            unsafe {
                // Too many iterations to count past the end.
                __kmpc_dispatch_init_8(null(), 0, DYNAMIC, i64::MIN, i64::MAX - 1, 1, i64::MAX);
                while __kmpc_dispatch_next_8(
                    null(),
                    0,
                    &mut is_last,
                    &mut lower,
                    &mut upper,
                    &mut stride,
                ) != 0
                {
                    let chunk = if lower == i64::MIN {
                        0
                    } else if is_last == 0 {
                        1
                    } else {
                        2
                    };
                    met[chunk].fetch_add(1, SeqCst);
                }
            }
        });
    });
    assert_eq!(
        met.iter().map(|m| m.load(SeqCst)).collect::<Vec<_>>(),
        [1, 1, 1]
    );
}

#[test]
fn serialised_loops_are_their_threads_own() {
    let _alone = HEAP.lock().unwrap();
    let before = live_allocations();
    let total = AtomicU32::new(0);
    Kernel::generic(40).run(|| {
        run(DYNAMIC, 10, 3, |_| {
            total.fetch_add(1, SeqCst);
        });
        parallel(-1, || {
            run(DYNAMIC, 40, 1, |_| {
                parallel(-1, || {
                    run(GUIDED, 5, 1, |_| {
                        total.fetch_add(1, SeqCst);
                    });
                });
            });
        });
    });
    assert_eq!(total.load(SeqCst), 10 + 40 * 5);
    assert_eq!(live_allocations(), before);
}

#[test]
fn ordered_regions_run_in_the_order_of_the_loop() {
    let _alone = HEAP.lock().unwrap();
    for kernel in [Kernel::generic(33), Kernel::spmd(64)] {
        for schedule in
            [DYNAMIC, GUIDED, STATIC, STATIC_CHUNKED, RUNTIME].map(|schedule| schedule + ORDERED)
        {
            for chunk in [1, 4] {
                let order = Mutex::new(Vec::new());
                kernel.run(|| {
                    parallel(-1, || {
                        run(schedule, 70, chunk, |i| {
                            // Some iterations have no ordered region.
                            if i % 3 != 2 {
                                // SAFETY: called as clang calls them.
                                unsafe { __kmpc_ordered(null(), 0) };
                                order.lock().unwrap().push(i);
                                // SAFETY: as above.
                                unsafe { __kmpc_end_ordered(null(), 0) };
                            }
                            // SAFETY: as above.
                            unsafe { __kmpc_dispatch_fini_4(null(), 0) };
                        });
                    });
                });
                let expected: Vec<i32> = (0..70).filter(|i| i % 3 != 2).collect();
                assert_eq!(
                    order.into_inner().unwrap(),
                    expected,
                    "schedule {schedule} chunk {chunk}"
                );
            }
        }
    }
}

#[test]
fn runtime_schedules_follow_the_icv() {
    let _alone = HEAP.lock().unwrap();
    let owner = counters(32);
    Kernel::generic(4).run(|| {
        omp_set_schedule(1, 2);
        parallel(-1, || {
            let (mut schedule, mut chunk) = (0, 0);
            // SAFETY: local variables.
            unsafe { omp_get_schedule(&mut schedule, &mut chunk) };
            assert_eq!((schedule, chunk, omp_get_num_threads()), (1, 2, 4));
            run(RUNTIME, 32, 0, |i| {
                owner[i as usize].store(omp_get_thread_num() as u32, SeqCst)
            });
        });
    });
    // static with chunks of 2, dealt round four threads.
    for (i, owner) in owner.iter().enumerate() {
        assert_eq!(owner.load(SeqCst), i as u32 / 2 % 4);
    }
}

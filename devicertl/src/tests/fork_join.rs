//! Fork, join and barriers for teams of every shape, in every mode.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use super::{
    Kernel, SIZES, WARP_SIZES, barrier, parallel, parallel_if, parallel_of_flang, sampled,
};
use crate::routines::query::*;
use crate::team::kernel_environment::EXEC_MODE_GENERIC;

fn counters(count: usize) -> Vec<AtomicU32> {
    (0..count).map(|_| AtomicU32::new(0)).collect()
}

fn all_are(counters: &[AtomicU32], expected: u32) -> bool {
    counters
        .iter()
        .all(|counter| counter.load(SeqCst) == expected)
}

/// Every mode with every warp size.
fn modes(threads: u32) -> impl Iterator<Item = Kernel> {
    WARP_SIZES.into_iter().flat_map(move |warp| {
        [
            Kernel::generic(threads),
            Kernel {
                custom_state_machine: true,
                ..Kernel::generic(threads)
            },
            Kernel::spmd(threads),
            Kernel::generic_spmd(threads),
        ]
        .map(|kernel| kernel.warp(warp))
    })
}

#[test]
fn a_region_runs_once_on_each_thread_of_its_team() {
    for threads in sampled(SIZES, 3) {
        for kernel in modes(threads) {
            for requested in [-1, 1, 5, 32, 50, 64, 1000] {
                let size = if requested < 0 {
                    threads
                } else {
                    threads.min(requested as u32)
                };
                let ran = counters(size as usize);
                kernel.run(|| {
                    parallel(requested, || {
                        assert_eq!(omp_get_num_threads() as u32, size);
                        assert_eq!(omp_get_level(), 1);
                        ran[omp_get_thread_num() as usize].fetch_add(1, SeqCst);
                    });
                });
                assert!(
                    all_are(&ran, 1),
                    "{threads} threads, num_threads({requested})"
                );
            }
        }
    }
}

#[test]
fn regions_follow_each_other_with_different_sizes() {
    for kernel in modes(96) {
        let ran = counters(96);
        let mut expected = [0; 96];
        let sizes = [96, 5, 33, 64, 1, 50, 96];
        for size in sizes {
            (0..size).for_each(|thread| expected[thread] += 1);
        }
        kernel.run(|| {
            for size in sizes {
                parallel(size as i32, || {
                    ran[omp_get_thread_num() as usize].fetch_add(1, SeqCst);
                });
            }
        });
        let ran: Vec<u32> = ran.iter().map(|counter| counter.load(SeqCst)).collect();
        assert_eq!(ran, expected);
    }
}

#[test]
fn nobody_passes_a_barrier_before_all_have_come() {
    for threads in sampled(SIZES, 3) {
        for kernel in modes(threads) {
            for size in [threads, threads.div_ceil(2)] {
                let arrived = AtomicU32::new(0);
                kernel.run(|| {
                    parallel(size as i32, || {
                        for round in 1..=4 {
                            arrived.fetch_add(1, SeqCst);
                            barrier();
                            assert_eq!(arrived.load(SeqCst), round * size);
                            barrier();
                        }
                    });
                });
                assert_eq!(arrived.load(SeqCst), 4 * size);
            }
        }
    }
}

#[test]
fn the_end_of_a_region_waits_for_all() {
    for kernel in [
        Kernel::generic(50),
        Kernel::generic_spmd(50),
        Kernel::generic(64),
        Kernel::generic_spmd(64),
        Kernel::generic(50).warp(64),
    ] {
        let ran = AtomicU32::new(0);
        kernel.run(|| {
            parallel(40, || {
                ran.fetch_add(1, SeqCst);
            });
            assert_eq!(ran.load(SeqCst), 40);
        });
    }
}

#[test]
fn a_false_condition_runs_the_region_on_one_thread() {
    for kernel in modes(64) {
        let ran = AtomicU32::new(0);
        kernel.run(|| {
            parallel_if(false, -1, || {
                ran.fetch_add(1, SeqCst);
                assert_eq!((omp_get_num_threads(), omp_get_thread_num()), (1, 0));
                assert_eq!(
                    (omp_get_level(), omp_get_active_level(), omp_in_parallel()),
                    (1, 0, 0)
                );
                barrier();
            });
            assert_eq!(omp_get_level(), 0);
        });
        assert_eq!(ran.load(SeqCst), 1);
    }
}

/// In generic kernels the master runs it; in the others all threads do.
#[test]
fn a_region_that_workers_cannot_call_is_run() {
    for kernel in modes(64) {
        let size = if kernel.mode == EXEC_MODE_GENERIC {
            1
        } else {
            64
        };
        let ran = counters(size);
        kernel.run(|| {
            for _ in 0..2 {
                parallel_of_flang(|| {
                    assert_eq!(omp_get_num_threads() as usize, size);
                    assert_eq!(omp_get_level(), 1);
                    ran[omp_get_thread_num() as usize].fetch_add(1, SeqCst);
                    barrier();
                });
                assert_eq!(omp_get_level(), 0);
            }
        });
        assert!(all_are(&ran, 2), "mode {}", kernel.mode);
    }
}

#[test]
fn nested_regions_are_serialised_and_know_their_ancestors() {
    for kernel in modes(33) {
        let ran = AtomicU32::new(0);
        kernel.run(|| {
            parallel(-1, || {
                let outer = omp_get_thread_num();
                parallel(8, || {
                    parallel(-1, || {
                        ran.fetch_add(1, SeqCst);
                        assert_eq!((omp_get_level(), omp_get_active_level()), (3, 1));
                        assert_eq!((omp_get_num_threads(), omp_get_thread_num()), (1, 0));
                        assert_eq!(
                            [0, 1, 2, 3].map(|level| omp_get_team_size(level)),
                            [1, 33, 1, 1]
                        );
                        assert_eq!(
                            [0, 1, 2, 3].map(|level| omp_get_ancestor_thread_num(level)),
                            [0, outer, 0, 0]
                        );
                        assert_eq!(
                            [-1, 4].map(|level| omp_get_ancestor_thread_num(level)),
                            [-1, -1]
                        );
                        barrier();
                    });
                    assert_eq!(omp_get_level(), 2);
                });
                assert_eq!((omp_get_thread_num(), omp_get_level()), (outer, 1));
                barrier();
            });
        });
        assert_eq!(ran.load(SeqCst), 33);
    }
}

#[test]
fn a_block_of_one_worker_has_no_active_region() {
    for kernel in modes(1) {
        let ran = AtomicU32::new(0);
        let queried = || {
            [
                omp_get_level(),
                omp_get_active_level(),
                omp_in_parallel(),
                omp_get_num_threads(),
                omp_get_thread_num(),
            ]
        };
        kernel.run(|| {
            parallel(-1, || {
                assert_eq!(queried(), [1, 0, 0, 1, 0]);
                parallel(-1, || {
                    assert_eq!(queried(), [2, 0, 0, 1, 0]);
                    assert_eq!([0, 1, 2].map(|level| omp_get_team_size(level)), [1, 1, 1]);
                    ran.fetch_add(1, SeqCst);
                });
                barrier();
            });
        });
        assert_eq!(ran.load(SeqCst), 1);
    }
}

#[test]
fn a_region_inside_a_serialised_one_can_be_active_in_generic_mode() {
    let ran = AtomicU32::new(0);
    Kernel::generic(40).run(|| {
        parallel_if(false, -1, || {
            parallel(-1, || {
                ran.fetch_add(1, SeqCst);
                assert_eq!((omp_get_level(), omp_get_num_threads()), (2, 40));
                assert_eq!([0, 1, 2].map(|level| omp_get_team_size(level)), [1, 1, 40]);
            });
        });
    });
    assert_eq!(ran.load(SeqCst), 40);
}

#[test]
fn sequential_code_is_a_team_of_one() {
    Kernel::generic(64).run(|| {
        assert_eq!(
            (
                omp_get_thread_num(),
                omp_get_num_threads(),
                omp_in_parallel()
            ),
            (0, 1, 0)
        );
        assert_eq!(
            (
                omp_get_max_threads(),
                omp_get_thread_limit(),
                omp_get_num_procs()
            ),
            (64, 64, 64)
        );
        barrier();
    });
}

#[test]
fn a_kernel_without_regions_ends() {
    for threads in sampled(SIZES, 3) {
        for kernel in modes(threads) {
            kernel.teams(3).run(|| ());
        }
    }
}

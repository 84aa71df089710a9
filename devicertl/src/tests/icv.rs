//! Internal control variables and who inherits them.

use super::{Kernel, parallel};
use crate::routines::affinity::*;
use crate::routines::allocator::{omp_get_default_allocator, omp_set_default_allocator};
use crate::routines::query::*;

#[test]
fn the_initial_task_passes_its_icvs_on() {
    Kernel::generic(64).run(|| {
        omp_set_num_threads(10);
        assert_eq!(omp_get_max_threads(), 10);
        parallel(-1, || {
            assert_eq!((omp_get_num_threads(), omp_get_max_threads()), (10, 10));
        });
        parallel(20, || assert_eq!(omp_get_num_threads(), 20));
        omp_set_num_threads(1000);
        parallel(-1, || assert_eq!(omp_get_num_threads(), 64));
    });
}

#[test]
fn a_change_inside_a_region_ends_with_it() {
    for kernel in [Kernel::generic(40), Kernel::spmd(40)] {
        kernel.run(|| {
            parallel(-1, || {
                let mine = omp_get_thread_num() + 1;
                omp_set_num_threads(mine);
                omp_set_dynamic(1);
                assert_eq!((omp_get_max_threads(), omp_get_dynamic()), (mine, 1));
                parallel(-1, || {
                    assert_eq!(omp_get_max_threads(), mine, "inherited");
                    omp_set_num_threads(7);
                    assert_eq!(omp_get_max_threads(), 7);
                });
                assert_eq!(omp_get_max_threads(), mine, "the inner change is gone");
            });
            parallel(-1, || {
                assert_eq!((omp_get_max_threads(), omp_get_dynamic()), (40, 0))
            });
        });
    }
}

#[test]
fn regions_inherit_the_default_allocator() {
    Kernel::generic(40).run(|| {
        omp_set_default_allocator(3);
        parallel(-1, || {
            assert_eq!(omp_get_default_allocator(), 3, "the master's");
            let mine = 4 + omp_get_thread_num() as usize % 3;
            omp_set_default_allocator(mine);
            parallel(-1, || {
                assert_eq!(omp_get_default_allocator(), mine, "the thread's");
                omp_set_default_allocator(8);
            });
            assert_eq!(omp_get_default_allocator(), mine);
        });
        assert_eq!(omp_get_default_allocator(), 3);
        omp_set_default_allocator(0);
        assert_eq!(omp_get_default_allocator(), 3, "no allocator, no change");
    });
    Kernel::generic(40).run(|| assert_eq!(omp_get_default_allocator(), 1, "the next kernel"));
}

#[test]
fn no_active_level_means_no_parallelism() {
    Kernel::generic(32).run(|| {
        assert_eq!(
            (
                omp_get_max_active_levels(),
                omp_get_supported_active_levels(),
                omp_get_nested()
            ),
            (1, 1, 0)
        );
        omp_set_max_active_levels(0);
        parallel(-1, || {
            assert_eq!(
                (omp_get_num_threads(), omp_in_parallel(), omp_get_level()),
                (1, 0, 1)
            )
        });
        omp_set_max_active_levels(5);
        assert_eq!(omp_get_max_active_levels(), 1);
        parallel(-1, || assert_eq!(omp_get_num_threads(), 32));
    });
}

#[test]
fn teams_and_devices_answer() {
    Kernel::generic(32).teams(3).run(|| {
        assert_eq!(omp_get_num_teams(), 3);
        assert!((0..3).contains(&omp_get_team_num()));
        assert_eq!(
            (
                omp_is_initial_device(),
                omp_get_num_devices(),
                omp_get_device_num()
            ),
            (0, 1, 0)
        );
        assert_eq!(
            (
                omp_get_cancellation(),
                omp_get_proc_bind(),
                omp_get_num_places()
            ),
            (0, 0, 0)
        );
        let before = omp_get_wtime();
        assert!(omp_get_wtime() >= before && omp_get_wtick() > 0.0);
    });
}

//! Reductions in a team and across teams, for every size, with the functions clang would generate.

use core::ffi::c_void;
use core::ptr::null;
use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use super::{Kernel, WARP_SIZES, barrier, parallel, sampled};
use crate::arch::{self, warp_size};
use crate::reduction::league::*;
use crate::reduction::shuffle::*;
use crate::reduction::team::*;
use crate::routines::query::{omp_get_num_threads, omp_get_thread_num};
use crate::team::kernel_environment::LaunchEnvironment;

/// The list clang passes: pointers to private copies. Here one number; combining is not commutative in its
/// bookkeeping: the high half counts how many values went in.
type List = [*mut u64; 1];

const ONE_VALUE: u64 = 1 << 32;

unsafe extern "C" fn shuffle(list: *mut c_void, lane: i16, offset: i16, version: i16) {
    // SAFETY: called by the runtime with the test's list.
    unsafe {
        let mine = (*list.cast::<List>())[0];
        let remote = __kmpc_shuffle_int64(*mine as i64, offset, warp_size() as i16) as u64;
        let combines = match version {
            0 => true,
            1 => lane < offset,
            _ => lane % 2 == 0 && offset > 0,
        };
        if combines {
            *mine += remote;
        }
        if version == 1 && lane >= offset {
            *mine = remote;
        }
    }
}

/// Block-shared storage for one number per warp, as clang's transfer medium.
struct Medium([UnsafeCell<u64>; 32]);
// SAFETY: barriers separate its writers and readers.
unsafe impl Sync for Medium {}
static MEDIUM: Medium = Medium([const { UnsafeCell::new(0) }; 32]);

unsafe extern "C" fn copy(list: *mut c_void, warps: i32) {
    let thread = arch::thread_id();
    // SAFETY: called by the runtime with the test's list.
    unsafe {
        let mine = (*list.cast::<List>())[0];
        barrier();
        if thread.is_multiple_of(warp_size()) {
            *MEDIUM.0[(thread / warp_size()) as usize].get() = *mine;
        }
        barrier();
        if thread < warps as u32 {
            *mine = *MEDIUM.0[thread as usize].get();
        }
    }
}

unsafe extern "C" fn list_to_buffer(buffer: *mut c_void, index: i32, list: *mut c_void) {
    // SAFETY: the test's buffer and list.
    unsafe { *buffer.cast::<u64>().add(index as usize) = *(*list.cast::<List>())[0] }
}

unsafe extern "C" fn list_into_buffer(buffer: *mut c_void, index: i32, list: *mut c_void) {
    // SAFETY: as above.
    unsafe { *buffer.cast::<u64>().add(index as usize) += *(*list.cast::<List>())[0] }
}

unsafe extern "C" fn buffer_to_list(buffer: *mut c_void, index: i32, list: *mut c_void) {
    // SAFETY: as above.
    unsafe { *(*list.cast::<List>())[0] = *buffer.cast::<u64>().add(index as usize) }
}

unsafe extern "C" fn buffer_into_list(buffer: *mut c_void, index: i32, list: *mut c_void) {
    // SAFETY: as above.
    unsafe { *(*list.cast::<List>())[0] += *buffer.cast::<u64>().add(index as usize) }
}

/// The medium is one for all tests here.
static MEDIUM_USER: std::sync::Mutex<()> = std::sync::Mutex::new(());

fn reduce_in_team(value: &mut u64) -> bool {
    let mut list: List = [value];
    // SAFETY: called as clang calls it.
    unsafe {
        __kmpc_nvptx_parallel_reduce_nowait_v2(null(), 8, (&raw mut list).cast(), shuffle, copy)
            == 1
    }
}

fn sum_of_team(kernel: Kernel, threads: i32) -> (u64, u64) {
    let (result, winners) = (AtomicU64::new(0), AtomicU64::new(0));
    kernel.run(|| {
        parallel(threads, || {
            let mut value = ONE_VALUE + omp_get_thread_num() as u64;
            if reduce_in_team(&mut value) {
                assert_eq!(omp_get_thread_num(), 0);
                winners.fetch_add(1, SeqCst);
                result.fetch_add(value, SeqCst);
            }
        });
    });
    assert_eq!(winners.into_inner(), 1);
    let result = result.into_inner();
    (result >> 32, result & 0xffff_ffff)
}

#[test]
fn teams_of_every_size_reduce() {
    let _alone = MEDIUM_USER.lock().unwrap();
    for warp in WARP_SIZES {
        let sizes = (1..=2 * warp + 3).chain([95, 96, 97, 255, 256, 500, 511, 640, 960]);
        for size in sampled(sizes, 7) {
            let n = u64::from(size);
            assert_eq!(
                sum_of_team(Kernel::generic(size).warp(warp), -1),
                (n, n * (n - 1) / 2),
                "generic, {size} threads, warps of {warp}"
            );
            assert_eq!(
                sum_of_team(Kernel::spmd(size).warp(warp), -1),
                (n, n * (n - 1) / 2),
                "SPMD, {size} threads, warps of {warp}"
            );
        }
        assert_eq!(
            sum_of_team(Kernel::spmd(1024).warp(warp), -1),
            (1024, 1024 * 1023 / 2)
        );
    }
}

#[test]
fn teams_smaller_than_the_block_reduce() {
    let _alone = MEDIUM_USER.lock().unwrap();
    for size in [1, 2, 31, 32, 33, 50, 64, 65, 99] {
        let n = size as u64;
        for warp in WARP_SIZES {
            for kernel in [Kernel::generic(128), Kernel::spmd(128)] {
                assert_eq!(
                    sum_of_team(kernel.warp(warp), size),
                    (n, n * (n - 1) / 2),
                    "{size} of 128 threads, warps of {warp}"
                );
            }
        }
    }
}

#[test]
fn nested_regions_have_their_result_already() {
    let _alone = MEDIUM_USER.lock().unwrap();
    Kernel::spmd(40).run(|| {
        parallel(-1, || {
            parallel(-1, || {
                let mut value = 5;
                assert!(reduce_in_team(&mut value));
                assert_eq!((value, omp_get_num_threads()), (5, 1));
            });
        });
    });
}

/// The two forms of the reduction across teams.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// clang 18 to 22; the buffer has so many records.
    Records(u32),
    /// After clang 22: the buffer is the launch's.
    Launch,
}

/// One kernel that reduces over all its teams: how many values went in, and their sum.
fn sum_of_league(kernel: Kernel, form: Form) -> (u64, u64) {
    let length = match form {
        _ if kernel.warp_by_warp => kernel.teams,
        Form::Records(records) => records,
        Form::Launch => kernel.teams.min(1024),
    };
    let mut buffer = vec![0xaaaa_aaaa_aaaa_aaaau64; length as usize];
    let mut environment = LaunchEnvironment {
        reduction_count: 0,
        reduction_round: 0,
        reduction_buffer: buffer.as_mut_ptr().cast(),
    };
    let (result, winners) = (AtomicU64::new(0), AtomicU64::new(0));
    kernel.run_with(&raw mut environment, || {
        let (mut value, spmd) = (ONE_VALUE + u64::from(arch::block_id()), arch::is_spmd());
        if spmd && arch::thread_id() != 0 {
            value = 0;
        }
        let mut list: List = [&mut value];
        // SAFETY: called as clang calls it.
        let won = unsafe {
            match form {
                Form::Records(records) => __kmpc_nvptx_teams_reduce_nowait_v2(
                    null(),
                    __kmpc_reduction_get_fixed_buffer(),
                    records,
                    8,
                    (&raw mut list).cast(),
                    shuffle,
                    copy,
                    list_to_buffer,
                    list_into_buffer,
                    buffer_to_list,
                    buffer_into_list,
                ),
                Form::Launch => __kmpc_gpu_xteam_reduce_nowait(
                    null(),
                    (&raw mut list).cast(),
                    shuffle,
                    copy,
                    list_to_buffer,
                    buffer_to_list,
                    buffer_into_list,
                ),
            }
        };
        if won == 1 {
            winners.fetch_add(1, SeqCst);
            result.fetch_add(value, SeqCst);
        }
    });
    assert_eq!(
        winners.into_inner(),
        1,
        "one thread of the league has the result"
    );
    assert_eq!(
        (environment.reduction_count, environment.reduction_round),
        (0, 0),
        "ready for another reduction"
    );
    let result = result.into_inner();
    (result >> 32, result & 0xffff_ffff)
}

#[test]
fn leagues_reduce_whatever_the_number_of_teams_and_records() {
    let _alone = MEDIUM_USER.lock().unwrap();
    for teams in sampled([1, 2, 7, 32, 33, 70], 2) {
        for form in [
            Form::Records(1),
            Form::Records(3),
            Form::Records(32),
            Form::Records(1024),
            Form::Launch,
        ] {
            for kernel in [
                Kernel::spmd(8),
                Kernel::spmd(64),
                Kernel::spmd(130).warp(64),
                Kernel::generic_spmd(40),
                Kernel::generic(32),
            ] {
                let n = u64::from(teams);
                for kernel in [kernel.teams(teams), kernel.teams(teams).at_once()] {
                    assert_eq!(
                        sum_of_league(kernel, form),
                        (n, n * (n - 1) / 2),
                        "{teams} teams, {form:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn shuffles_stay_within_their_team() {
    for (threads, warp) in [(32, 32), (20, 32), (50, 32), (50, 64), (100, 64)] {
        Kernel::spmd(threads).warp(warp).run(|| {
            parallel(-1, || {
                let lane = arch::lane() as i32;
                let members =
                    (threads - (arch::thread_id() - arch::lane())).min(warp_size()) as i32;
                let value = __kmpc_shuffle_int32(lane, 3, warp as i16);
                if lane + 3 < members {
                    assert_eq!(value, lane + 3);
                }
                let wide = __kmpc_shuffle_int64(-i64::from(lane) << 20, 1, warp as i16);
                if lane + 1 < members {
                    assert_eq!(wide, -i64::from(lane + 1) << 20);
                }
            });
        });
    }
}

/// More teams than records in the launch's buffer.
#[test]
fn leagues_beyond_the_launchs_records_reduce() {
    let _alone = MEDIUM_USER.lock().unwrap();
    let n = 1100;
    let kernel = Kernel::spmd(2).teams(n as u32);
    for kernel in [kernel, kernel.at_once()] {
        assert_eq!(sum_of_league(kernel, Form::Launch), (n, n * (n - 1) / 2));
    }
}

/// Sets of lanes: single ones, ends, alternating ones, holes, all; two sets of one warp at the same time.
#[test]
fn dispersed_lanes_reduce() {
    const SETS: [u64; 9] = [
        1,
        1 << 31,
        0b11,
        0x8000_0001,
        0x5555_5555,
        0xffff_fffe,
        0x0f0f_00f1,
        0xdead_beef,
        0xffff_ffff,
    ];
    for warp in [32, 64] {
        for set in SETS.map(|set| if warp == 64 { set << 29 | 1 } else { set }) {
            let sums = [AtomicU64::new(0), AtomicU64::new(0)];
            Kernel::spmd(warp).warp(warp).run(|| {
                parallel(-1, || {
                    let lane = arch::lane();
                    let side = usize::from(set >> lane & 1 == 0);
                    let mine = if side == 0 {
                        set
                    } else {
                        arch::member_lanes(warp) & !set
                    };
                    let mut value = ONE_VALUE + u64::from(lane);
                    let mut list: List = [&mut value];
                    // SAFETY: the test's list and function.
                    let first = unsafe {
                        crate::reduction::dispersed::reduce(mine, (&raw mut list).cast(), shuffle)
                    };
                    assert_eq!(first, lane == mine.trailing_zeros());
                    if first {
                        sums[side].fetch_add(value, SeqCst);
                    }
                    // Afterwards the team shuffles as a whole again.
                    assert_eq!(
                        __kmpc_shuffle_int32(lane as i32, 1, warp as i16),
                        (lane as i32 + 1).min(warp as i32 - 1)
                    );
                });
            });
            let all = if warp == 64 {
                u64::MAX
            } else {
                u64::from(u32::MAX)
            };
            for (sum, set) in sums.into_iter().zip([set, all & !set]) {
                let lanes = (0..64).filter(|lane| set >> lane & 1 == 1);
                let expected: u64 = lanes.map(|lane| ONE_VALUE + lane).sum();
                assert_eq!(sum.into_inner(), expected, "lanes {set:#x}");
            }
        }
    }
}

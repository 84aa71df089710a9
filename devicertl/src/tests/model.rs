//! Model checks: loom explores how few threads can interleave and what weakly ordered memory can show them. The code is
//! the one that ships. Only its atomics, and the threads, barriers and shuffles of the GPU below it, are loom's.
//!
//! `cargo test -p devicertl --features model`. Warps have two lanes here.

use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::ptr::null;

use super::{Kernel, parallel};
use crate::arch;
use crate::arch::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed, begin_u32};
use crate::arch::model::{check, reads, writes};
use crate::arch::soft::{Launch, launch};
use crate::fork_join::parallel::publish_team;
use crate::memory::state_queue::Queue;
use crate::reduction::league::*;
use crate::routines::query::{omp_get_num_threads, omp_get_thread_num};
use crate::sync::barrier::*;
use crate::sync::critical::*;
use crate::sync::lock::*;
use crate::team::kernel_environment::LaunchEnvironment;
use crate::worksharing::dispatch::*;

/// Plain memory: loom fails where two accesses, one of them a write, are not ordered.
struct Plain(UnsafeCell<u32>);

// SAFETY: loom checks it.
unsafe impl Sync for Plain {}

impl Plain {
    const fn new(value: u32) -> Plain {
        Plain(UnsafeCell::new(value))
    }

    fn get(&self) -> u32 {
        reads(self.0.get());
        // SAFETY: loom has found nobody who writes.
        unsafe { *self.0.get() }
    }

    fn set(&self, value: u32) {
        writes(self.0.get());
        // SAFETY: loom has found nobody else.
        unsafe { *self.0.get() = value }
    }
}

/// Threads of one block that run `body`, without a kernel around it.
fn threads(threads: u32, warp: u32, body: impl Fn() + Sync) {
    let shape = Launch {
        blocks: 1,
        threads,
        warp,
        warp_by_warp: false,
        spmd: true,
        shared: crate::team::shared::LAYOUT,
        dynamic_shared: 0,
        kept_allocation: size_of::<crate::team::state_buffer::State>(),
    };
    launch(shape, &body);
}

/// A team of one and a half warps: what is written before the barrier is read behind it.
#[test]
fn the_software_barrier_orders() {
    check(1, || {
        let cells = [const { Plain::new(0) }; 3];
        threads(3, 2, || {
            let me = arch::thread_id();
            if me == 0 {
                publish_team(3, 1);
            }
            arch::block_barrier();
            cells[me as usize].set(1);
            group_barrier(3);
            assert_eq!(cells[(me as usize + 1) % 3].get(), 1);
            group_barrier(3);
            cells[me as usize].set(2);
        });
    });
}

#[test]
fn a_lock_excludes_and_orders() {
    check(2, || {
        let (word, count) = (AtomicU32::new(0), Plain::new(0));
        assert_eq!((word.load(Relaxed), count.get()), (0, 0));
        threads(2, 1, || {
            for _ in 0..2 {
                acquire(&word);
                count.set(count.get() + 1);
                give_back(&word);
            }
        });
        assert_eq!(count.get(), 4);
    });
}

#[test]
fn a_tested_lock_excludes_and_orders() {
    check(3, || {
        let (word, count, taken) = (AtomicU32::new(0), Plain::new(0), AtomicU32::new(0));
        assert_eq!(word.load(Relaxed) + count.get() + taken.load(Relaxed), 0);
        threads(2, 1, || {
            // SAFETY: called as programs call them.
            unsafe {
                if omp_test_lock(&word) != 0 {
                    count.set(count.get() + 1);
                    taken.fetch_add(1, Relaxed);
                    omp_unset_lock(&word);
                }
            }
        });
        let taken = taken.load(Relaxed);
        assert!(taken >= 1);
        assert_eq!(count.get(), taken);
    });
}

#[test]
fn a_nestable_lock_excludes_and_orders() {
    check(3, || {
        let (lock, count) = (AtomicU64::new(0), Plain::new(0));
        assert_eq!((lock.load(Relaxed), count.get()), (0, 0));
        threads(2, 1, || {
            // SAFETY: called as programs call them.
            unsafe {
                omp_set_nest_lock(&lock);
                assert_eq!(omp_test_nest_lock(&lock), 2);
                count.set(count.get() + 1);
                omp_unset_nest_lock(&lock);
                count.set(count.get() + 1);
                omp_unset_nest_lock(&lock);
            }
        });
        assert_eq!(count.get(), 4);
    });
}

/// A buffer has one user at a time, and its users see what the ones before wrote.
#[test]
fn queues_hand_out_each_buffer_once() {
    check(2, || {
        let queue = Queue::EMPTY;
        let buffers = [const { Plain::new(0) }; 4];
        let made = AtomicU32::new(0);
        let take = || {
            let make = || {
                let next = made.fetch_add(1, Relaxed);
                (&raw const buffers[next as usize]).cast_mut().cast()
            };
            queue.take(make).expect("a buffer")
        };
        // Two are out at once, so that one is made and one is idle when the threads start.
        let first = [take(), take()];
        queue.put_back(first[0], |_| panic!("there is a place for each"));
        assert_eq!(buffers.iter().map(Plain::get).sum::<u32>(), 0);
        threads(3, 1, || {
            let taken = take();
            // SAFETY: one of `buffers`.
            let buffer = unsafe { &*taken.buffer.cast::<Plain>() };
            buffer.set(buffer.get() + 1);
            queue.put_back(taken, |_| panic!("there is a place for each"));
        });
        assert_eq!(buffers.iter().map(Plain::get).sum::<u32>(), 3);
    });
}

/// Every iteration of a loop is one thread's: `schedule` as clang numbers it, 0 … `last` in chunks of `chunk`.
fn each_iteration_once(schedule: i32, last: u32, chunk: i32) {
    check(2, move || {
        let runs = [const { Plain::new(0) }; 8];
        Kernel::spmd(2).warp(1).run(|| {
            parallel(-1, || {
                let (mut is_last, mut lower, mut upper, mut stride) = (0, 0, 0, 0);
                // SAFETY: called as clang calls them.
                unsafe {
                    __kmpc_dispatch_init_4u(null(), 0, schedule, 0, last, 1, chunk);
                    while __kmpc_dispatch_next_4u(
                        null(),
                        0,
                        &mut is_last,
                        &mut lower,
                        &mut upper,
                        &mut stride,
                    ) != 0
                    {
                        for iteration in lower..=upper {
                            let cell = &runs[iteration as usize];
                            cell.set(cell.get() + 1);
                        }
                        assert_eq!(is_last != 0, upper == last);
                    }
                    __kmpc_dispatch_deinit(null(), 0);
                }
            });
        });
        for (iteration, cell) in runs.iter().enumerate() {
            assert_eq!(cell.get(), u32::from(iteration as u32 <= last));
        }
    });
}

#[test]
fn dynamic_loops_give_each_iteration_once() {
    each_iteration_once(35, 4, 2);
}

#[test]
fn guided_loops_give_each_iteration_once() {
    each_iteration_once(36, 7, 1);
}

/// `ordered` in a dynamic loop: the regions run in the order of the iterations, each after the one before.
#[test]
fn ordered_regions_come_in_order() {
    check(2, || {
        let passed = Plain::new(0);
        assert_eq!(passed.get(), 0);
        Kernel::spmd(2).warp(1).run(|| {
            parallel(-1, || {
                let (mut is_last, mut lower, mut upper, mut stride) = (0, 0, 0, 0);
                // SAFETY: called as clang calls them.
                unsafe {
                    __kmpc_dispatch_init_4u(null(), 0, 67, 0, 2, 1, 1);
                    while __kmpc_dispatch_next_4u(
                        null(),
                        0,
                        &mut is_last,
                        &mut lower,
                        &mut upper,
                        &mut stride,
                    ) != 0
                    {
                        __kmpc_ordered(null(), 0);
                        assert_eq!(passed.get(), lower);
                        passed.set(lower + 1);
                        __kmpc_end_ordered(null(), 0);
                        __kmpc_dispatch_fini_4u(null(), 0);
                    }
                }
            });
        });
        assert_eq!(passed.get(), 3);
    });
}

/// A list of one reference, to a team's value; the records are plain memory.
type List = [*const Plain; 1];

unsafe fn value_of<'a>(list: *mut c_void) -> &'a Plain {
    // SAFETY: the test's list.
    unsafe { &*(*list.cast::<List>())[0] }
}

unsafe fn record_of<'a>(buffer: *mut c_void, index: i32) -> &'a Plain {
    // SAFETY: the test's buffer.
    unsafe { &*buffer.cast::<Plain>().add(index as usize) }
}

unsafe extern "C" fn list_to_buffer(buffer: *mut c_void, index: i32, list: *mut c_void) {
    // SAFETY: as above.
    unsafe { record_of(buffer, index).set(value_of(list).get()) }
}

unsafe extern "C" fn buffer_to_list(buffer: *mut c_void, index: i32, list: *mut c_void) {
    // SAFETY: as above.
    unsafe { value_of(list).set(record_of(buffer, index).get()) }
}

unsafe extern "C" fn buffer_into_list(buffer: *mut c_void, index: i32, list: *mut c_void) {
    // SAFETY: as above.
    unsafe { value_of(list).set(value_of(list).get() + record_of(buffer, index).get()) }
}

unsafe extern "C" fn no_shuffle(_list: *mut c_void, _lane: i16, _offset: i16, _version: i16) {
    panic!("teams of one have nothing to shuffle");
}

unsafe extern "C" fn no_copy(_list: *mut c_void, _warps: i32) {
    panic!("teams of one have one warp");
}

/// Teams of one thread that run at the same time deliver to `records`: one has the sum.
fn reduces(teams: u32, records: u32) {
    check(2, move || {
        let buffer = [const { Plain::new(0) }; 2];
        assert_eq!(buffer[0].get() + buffer[1].get(), 0);
        let mut environment = LaunchEnvironment {
            reduction_count: 0,
            reduction_round: 0,
            reduction_buffer: (&raw const buffer).cast_mut().cast(),
        };
        // SAFETY: no thread has it yet.
        unsafe {
            begin_u32(&raw mut environment.reduction_count, 0);
            begin_u32(&raw mut environment.reduction_round, 0);
        }
        let winners = AtomicU32::new(0);
        assert_eq!(winners.load(Relaxed), 0);
        let kernel = Kernel::spmd(1).warp(1).teams(teams).at_once();
        kernel.run_with(&raw mut environment, || {
            let value = Plain::new(arch::block_id() + 1);
            let mut list: List = [&raw const value];
            // SAFETY: called as clang calls it.
            let won = unsafe {
                __kmpc_nvptx_teams_reduce_nowait_v2(
                    null(),
                    __kmpc_reduction_get_fixed_buffer(),
                    records,
                    4,
                    (&raw mut list).cast(),
                    no_shuffle,
                    no_copy,
                    list_to_buffer,
                    list_to_buffer,
                    buffer_to_list,
                    buffer_into_list,
                )
            };
            if won == 1 {
                assert_eq!(value.get(), teams * (teams + 1) / 2);
                winners.fetch_add(1, Relaxed);
            }
        });
        assert_eq!(winners.load(Relaxed), 1);
    });
}

#[test]
fn teams_reduce_in_one_round() {
    reduces(2, 2);
}

#[test]
fn teams_reduce_in_rounds() {
    reduces(2, 1);
    reduces(3, 2);
}

/// The state machine: master and two workers, two regions with sequential code between them; each sees what came
/// before.
fn fork_and_join(custom: bool) {
    check(1, move || {
        let (sequential, cells) = (Plain::new(0), [const { Plain::new(0) }; 2]);
        let mut kernel = Kernel::generic(2).warp(1);
        kernel.custom_state_machine = custom;
        kernel.run(|| {
            sequential.set(1);
            parallel(-1, || {
                cells[omp_get_thread_num() as usize].set(sequential.get());
                assert_eq!(omp_get_num_threads(), 2);
            });
            sequential.set(cells[0].get() + cells[1].get());
            parallel(2, || {
                let cell = &cells[omp_get_thread_num() as usize];
                cell.set(cell.get() + sequential.get());
            });
            sequential.set(cells[0].get() + cells[1].get());
        });
        assert_eq!(sequential.get(), 6);
    });
}

#[test]
fn the_state_machine_forks_and_joins() {
    fork_and_join(false);
}

#[test]
fn the_custom_state_machine_forks_and_joins() {
    fork_and_join(true);
}

/// A region of two threads where there are three: the third stays in the pool.
#[test]
fn teams_smaller_than_the_pool_fork_and_join() {
    check(0, || {
        let count = AtomicU32::new(0);
        assert_eq!(count.load(Relaxed), 0);
        Kernel::generic(3).warp(1).run(|| {
            parallel(2, || {
                assert!(omp_get_thread_num() < 2);
                count.fetch_add(1, Relaxed);
                assert_eq!(omp_get_num_threads(), 2);
            });
        });
        assert_eq!(count.load(Relaxed), 2);
    });
}

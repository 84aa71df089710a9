//! Properties of every schedule: each iteration of a random loop runs exactly once, on exactly one thread, and the
//! thread that runs the last one knows it. Loops lie anywhere in their type's range, at its ends too, go up and down,
//! and may have no iteration at all; chunks and teams have any size.

use core::ffi::c_void;
use core::ptr::null;
use std::sync::Mutex;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed, TestRunner};

use super::{Kernel, parallel, sampled};
use crate::arch;
use crate::routines::query::omp_set_schedule;
use crate::worksharing::dispatch::*;
use crate::worksharing::static_loops::*;
use crate::worksharing::static_schedule::*;

/// A loop: `count` iterations from `first`, `step` apart; its bound lies `slack` beyond the last one.
#[derive(Clone, Copy, Debug)]
struct Space {
    first: i128,
    step: i128,
    count: u32,
    slack: i128,
}

impl Space {
    fn bound(self) -> i128 {
        let up = self.step.signum();
        if self.count == 0 {
            self.first - up * (1 + self.slack)
        } else {
            self.first + self.step * i128::from(self.count - 1) + up * self.slack
        }
    }

    fn iterations(self) -> Vec<i128> {
        let mut all: Vec<i128> = (0..self.count)
            .map(|i| self.first + self.step * i128::from(i))
            .collect();
        all.sort_unstable();
        all
    }
}

/// Loops within `least ..= most`.
fn spaces(least: i128, most: i128) -> impl Strategy<Value = Space> {
    let step = prop_oneof![Just(1), Just(-1), 2i128..50, -50i128..-1];
    let count = prop_oneof![Just(0u32), Just(1), 2u32..150];
    (step, count, 0i128..50, 0u64..=5, any::<u64>()).prop_map(
        move |(step, count, slack, place, random)| {
            let slack = slack % step.abs();
            let mut space = Space {
                first: 0,
                step,
                count,
                slack,
            };
            // How far the loop's bounds reach from its first iteration, below and above.
            let (below, above) = (space.bound().min(0), space.bound().max(0));
            let (lowest, highest) = (least - below, most - above);
            space.first = match place {
                0 => lowest,
                1 => highest,
                // As clang's loops begin.
                2 if lowest <= 0 && 0 <= highest => 0,
                _ => lowest + i128::from(random) % (highest - lowest + 1),
            };
            space
        },
    )
}

/// The calling thread's number in the league.
fn this_thread() -> u32 {
    arch::block_id() * arch::MAX_THREADS as u32 + arch::thread_id()
}

/// Which iterations ran, whether as the last, and where.
#[derive(Default)]
struct Ran(Mutex<Vec<(i128, bool, u32)>>);

impl Ran {
    /// A thread ran the iterations from `first` to `last`; `is_last` as the runtime told it.
    fn chunk(&self, space: Space, first: i128, last: i128, is_last: bool) {
        let steps = (last - first) / space.step;
        let runs = (last - first) * space.step.signum() >= 0;
        let mut ran = self.0.lock().unwrap();
        for i in 0..=if runs { steps } else { -1 } {
            ran.push((first + i * space.step, is_last, this_thread()));
        }
    }

    fn check(self, space: Space) -> Result<(), TestCaseError> {
        let mut ran = self.0.into_inner().unwrap();
        ran.sort_unstable();
        let iterations: Vec<i128> = ran.iter().map(|run| run.0).collect();
        prop_assert_eq!(iterations, space.iterations());
        let last = space.first + space.step * (i128::from(space.count) - 1);
        let runner = ran.iter().find(|run| run.0 == last).map(|run| run.2);
        for (iteration, is_last, thread) in ran {
            prop_assert!(
                iteration != last || is_last,
                "the last one does not know it"
            );
            prop_assert!(
                !is_last || Some(thread) == runner,
                "another claims to be the last"
            );
        }
        Ok(())
    }
}

/// Runs `property` on random loops of the type's range, chunks, and shapes of up to 4 teams of up to 40 threads.
fn for_loops(
    least: i128,
    most: i128,
    property: impl Fn(Space, i32, Kernel) -> Result<(), TestCaseError>,
) {
    let threads = prop_oneof![1u32..10, Just(33), Just(40)];
    let chunk = prop_oneof![Just(1), 2i32..20, Just(16), Just(128), 100i32..1000];
    let shapes = (spaces(least, most), chunk, threads, 1u32..=4);
    let config = Config {
        cases: sampled(0..24, 4).count() as u32,
        // A number in PROPTEST_RNG_SEED makes other cases.
        rng_seed: match Config::default().rng_seed {
            RngSeed::Random => RngSeed::Fixed(22),
            chosen => chosen,
        },
        failure_persistence: None,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&shapes, |(space, chunk, threads, teams)| {
            property(space, chunk, Kernel::spmd(threads).teams(teams))
        })
        .unwrap_or_else(|error| panic!("{error}"));
}

macro_rules! schedules {
    ($type:ident, $signed:ident; $static_init:ident, $distribute:ident, $team:ident, $both:ident;
     $init:ident, $next:ident, $fini:ident, $dist_init:ident; $for:ident, $dist:ident, $dist_for:ident) => {
        mod $type {
            use super::*;

            const RANGE: (i128, i128) = ($type::MIN as i128, $type::MAX as i128);

            /// What clang's code does with the bounds that a static schedule gives a thread.
            fn run_chunks(
                ran: &Ran,
                space: Space,
                bounds: ($type, $type, $signed, i32),
                outer_bound: i128,
                is_chunked: bool,
            ) {
                let (lower, upper, stride, is_last) = bounds;
                let (mut lower, mut upper) = (lower as i128, upper as i128);
                let clamp = |bound: i128| match space.step > 0 {
                    true => bound.min(outer_bound),
                    false => bound.max(outer_bound),
                };
                while (clamp(upper) - lower) * space.step.signum() >= 0 {
                    ran.chunk(space, lower, clamp(upper), is_last != 0);
                    lower += stride as i128;
                    upper += stride as i128;
                    if !is_chunked || stride == 0 {
                        break;
                    }
                }
            }

            /// Bounds of `space` as clang passes them: lower, upper, stride, whether last.
            fn bounds(space: Space) -> ($type, $type, $signed, i32) {
                (space.first as $type, space.bound() as $type, 0, 7)
            }

            #[test]
            fn static_schedules() {
                for schedule in [34, 33, 45, 34 | 1 << 29, 33 | 1 << 30] {
                    for_loops(RANGE.0, RANGE.1, |space, chunk, kernel| {
                        let ran = Ran::default();
                        kernel.teams(1).run(|| {
                            parallel(-1, || {
                                let mut b = bounds(space);
                                // SAFETY: called as clang calls it.
                                unsafe {
                                    $static_init(
                                        null(),
                                        0,
                                        schedule,
                                        &mut b.3,
                                        &mut b.0,
                                        &mut b.1,
                                        &mut b.2,
                                        space.step as $signed,
                                        chunk as $signed,
                                    );
                                }
                                let is_chunked = schedule & SCHEDULE_MASK != 34;
                                run_chunks(&ran, space, b, space.bound(), is_chunked);
                            });
                        });
                        ran.check(space)
                    });
                }
            }

            #[test]
            fn distribute_schedules() {
                for schedule in [DISTRIBUTE, DISTRIBUTE_CHUNKED] {
                    for_loops(RANGE.0, RANGE.1, |space, chunk, kernel| {
                        let ran = Ran::default();
                        Kernel::generic(1).teams(kernel.teams).run(|| {
                            let mut b = bounds(space);
                            // SAFETY: called as clang calls it.
                            unsafe {
                                $distribute(
                                    null(),
                                    0,
                                    schedule,
                                    &mut b.3,
                                    &mut b.0,
                                    &mut b.1,
                                    &mut b.2,
                                    space.step as $signed,
                                    chunk as $signed,
                                );
                            }
                            run_chunks(
                                &ran,
                                space,
                                b,
                                space.bound(),
                                schedule == DISTRIBUTE_CHUNKED,
                            );
                        });
                        ran.check(space)?;
                        let ran = Ran::default();
                        Kernel::generic(1).teams(kernel.teams).run(|| {
                            let mut b = bounds(space);
                            // SAFETY: called as the host's code generation calls it.
                            unsafe {
                                $team(
                                    null(),
                                    0,
                                    &mut b.3,
                                    &mut b.0,
                                    &mut b.1,
                                    &mut b.2,
                                    space.step as $signed,
                                    chunk as $signed,
                                );
                            }
                            run_chunks(&ran, space, b, space.bound(), true);
                        });
                        ran.check(space)
                    });
                }
            }

            /// `distribute parallel for` in one schedule, in one call, and as two loops.
            #[test]
            fn combined_schedules() {
                for_loops(RANGE.0, RANGE.1, |space, chunk, kernel| {
                    let ran = Ran::default();
                    kernel.run(|| {
                        parallel(-1, || {
                            let mut b = bounds(space);
                            // SAFETY: called as clang calls it.
                            unsafe {
                                $static_init(
                                    null(),
                                    0,
                                    DISTRIBUTE_FOR_ONE,
                                    &mut b.3,
                                    &mut b.0,
                                    &mut b.1,
                                    &mut b.2,
                                    space.step as $signed,
                                    1,
                                );
                            }
                            run_chunks(&ran, space, b, space.bound(), true);
                        });
                    });
                    ran.check(space)?;
                    for schedule in [STATIC, STATIC_CHUNKED] {
                        let ran = Ran::default();
                        kernel.run(|| {
                            parallel(-1, || {
                                let mut b = bounds(space);
                                let mut team_upper = b.1;
                                // SAFETY: called as the host's code generation calls it.
                                unsafe {
                                    $both(
                                        null(),
                                        0,
                                        schedule,
                                        &mut b.3,
                                        &mut b.0,
                                        &mut b.1,
                                        &mut team_upper,
                                        &mut b.2,
                                        space.step as $signed,
                                        chunk as $signed,
                                    );
                                }
                                run_chunks(
                                    &ran,
                                    space,
                                    b,
                                    team_upper as i128,
                                    schedule == STATIC_CHUNKED,
                                );
                            });
                        });
                        ran.check(space)?;
                    }
                    Ok(())
                });
            }

            /// `distribute parallel for` where every team gets the whole loop (codegen-llvm: `combined_loops`).
            #[test]
            fn the_whole_loop_is_a_teams_only_chunk() {
                for_loops(RANGE.0, RANGE.1, |space, _, kernel| {
                    prop_assume!(space.step == 1 && space.bound() < RANGE.1);
                    for schedule in [DISTRIBUTE_FOR_ONE, DISTRIBUTE_FOR_ANY] {
                        let ran = Ran::default();
                        kernel.run(|| {
                            let mut team = bounds(space);
                            // SAFETY: called as clang calls it.
                            unsafe {
                                $distribute(
                                    null(),
                                    0,
                                    DISTRIBUTE_WHOLE,
                                    &mut team.3,
                                    &mut team.0,
                                    &mut team.1,
                                    &mut team.2,
                                    1,
                                    32,
                                );
                            }
                            assert_eq!(
                                (team.0, team.1),
                                (space.first as $type, space.bound() as $type)
                            );
                            let next = (team.0 as $signed).wrapping_add(team.2) as $type;
                            assert_eq!(next as i128, space.bound() + 1);
                            parallel(-1, || {
                                let mut b = (team.0, team.1, 0, 7);
                                // SAFETY: called as clang calls it.
                                unsafe {
                                    $static_init(
                                        null(),
                                        0,
                                        schedule,
                                        &mut b.3,
                                        &mut b.0,
                                        &mut b.1,
                                        &mut b.2,
                                        1,
                                        1,
                                    );
                                }
                                if schedule == DISTRIBUTE_FOR_ANY {
                                    // The bound left is how far the thread's loop ends before the team's.
                                    let (mut at, last) = (b.0 as i128, space.bound() - b.1 as i128);
                                    while at <= last {
                                        ran.chunk(space, at, at, b.3 != 0);
                                        at += b.2 as i128;
                                    }
                                } else {
                                    run_chunks(&ran, space, b, space.bound(), true);
                                }
                            });
                        });
                        ran.check(space)?;
                    }
                    Ok(())
                });
            }

            /// All chunks a thread is handed.
            fn run_dispatched(ran: &Ran, space: Space, is_last_team: bool) {
                let (mut lower, mut upper, mut stride, mut is_last) = (0, 0, 0, 7);
                // SAFETY: called as clang calls it.
                unsafe {
                    while $next(null(), 0, &mut is_last, &mut lower, &mut upper, &mut stride) != 0 {
                        assert_eq!(stride as i128, space.step);
                        let is_last = is_last_team && is_last != 0;
                        ran.chunk(space, lower as i128, upper as i128, is_last);
                        // In ordered loops each iteration passes at its end; others do not care.
                        for _ in 0..=(upper as i128 - lower as i128) / space.step {
                            $fini(null(), 0);
                        }
                    }
                    __kmpc_dispatch_deinit(null(), 0);
                }
            }

            #[test]
            fn dispatched_schedules() {
                // Static, dynamic, guided, auto, trapezoidal, static with stealing; the same ordered; monotonic and
                // not.
                for schedule in [
                    33,
                    34,
                    35,
                    36,
                    38,
                    39,
                    44,
                    46,
                    65,
                    66,
                    67,
                    68,
                    70,
                    35 | 1 << 29,
                    36 | 1 << 30,
                ] {
                    for_loops(RANGE.0, RANGE.1, |space, chunk, kernel| {
                        let ran = Ran::default();
                        kernel.teams(1).run(|| {
                            parallel(-1, || {
                                // SAFETY: called as clang calls it.
                                unsafe {
                                    $init(
                                        null(),
                                        0,
                                        schedule,
                                        space.first as $type,
                                        space.bound() as $type,
                                        space.step as $signed,
                                        chunk as $signed,
                                    );
                                }
                                run_dispatched(&ran, space, true);
                            });
                        });
                        ran.check(space)
                    });
                }
            }

            /// `schedule(runtime)` with every schedule there is, and teams that each take a part of the loop.
            #[test]
            fn runtime_schedules() {
                for kind in [1, 2, 3, 4] {
                    for_loops(RANGE.0, RANGE.1, |space, chunk, kernel| {
                        let ran = Ran::default();
                        let generic = Kernel::generic(kernel.threads);
                        generic.run(|| {
                            omp_set_schedule(kind, chunk);
                            parallel(-1, || {
                                // SAFETY: called as clang calls it.
                                unsafe {
                                    $init(
                                        null(),
                                        0,
                                        37,
                                        space.first as $type,
                                        space.bound() as $type,
                                        space.step as $signed,
                                        1,
                                    );
                                }
                                run_dispatched(&ran, space, true);
                            });
                        });
                        ran.check(space)
                    });
                }
            }

            #[test]
            fn distributed_and_dispatched_schedules() {
                for_loops(RANGE.0, RANGE.1, |space, chunk, kernel| {
                    let ran = Ran::default();
                    kernel.run(|| {
                        parallel(-1, || {
                            let mut is_last = 0;
                            // SAFETY: called as the host's code generation calls it.
                            unsafe {
                                $dist_init(
                                    null(),
                                    0,
                                    35,
                                    &mut is_last,
                                    space.first as $type,
                                    space.bound() as $type,
                                    space.step as $signed,
                                    chunk as $signed,
                                );
                            }
                            // The last chunk of the last team.
                            run_dispatched(&ran, space, is_last != 0);
                        });
                    });
                    ran.check(space)
                });
            }

            unsafe extern "C" fn body(iteration: $type, ran: *mut c_void) {
                // SAFETY: what the test passes.
                let ran = unsafe { &*ran.cast::<Ran>() };
                let mut ran = ran.0.lock().unwrap();
                // No flag says which is the last: the one that ran it does not matter.
                ran.push((iteration as i128, true, 0));
            }

            /// The loops the runtime runs itself count from 0.
            #[test]
            fn loops_with_a_body() {
                for_loops(0, 1000, |space, chunk, kernel| {
                    let space = Space {
                        first: 0,
                        step: 1,
                        ..space
                    };
                    let count = space.count as $type;
                    let chunks = [chunk as $type, 0];
                    for chunk in chunks {
                        let ran = Ran::default();
                        let data = (&raw const ran).cast_mut().cast::<c_void>() as usize;
                        kernel.teams(1).run(|| {
                            parallel(-1, || {
                                // SAFETY: called as OpenMPIRBuilder calls it.
                                unsafe {
                                    $for(null(), body, data as *mut c_void, count, 0, chunk, 0)
                                }
                            });
                        });
                        ran.check(space)?;
                        let ran = Ran::default();
                        let data = (&raw const ran).cast_mut().cast::<c_void>() as usize;
                        Kernel::generic(1).teams(kernel.teams).run(|| {
                            // SAFETY: as above.
                            unsafe { $dist(null(), body, data as *mut c_void, count, chunk, 0) }
                        });
                        ran.check(space)?;
                        let ran = Ran::default();
                        let data = (&raw const ran).cast_mut().cast::<c_void>() as usize;
                        kernel.run(|| {
                            parallel(-1, || {
                                // SAFETY: as above.
                                unsafe {
                                    $dist_for(
                                        null(),
                                        body,
                                        data as *mut c_void,
                                        count,
                                        0,
                                        chunk,
                                        chunk,
                                        0,
                                    )
                                }
                            });
                        });
                        ran.check(space)?;
                    }
                    Ok(())
                });
            }
        }
    };
}
schedules!(i32, i32; __kmpc_for_static_init_4, __kmpc_distribute_static_init_4, __kmpc_team_static_init_4,
    __kmpc_dist_for_static_init_4;
    __kmpc_dispatch_init_4, __kmpc_dispatch_next_4, __kmpc_dispatch_fini_4, __kmpc_dist_dispatch_init_4;
    __kmpc_for_static_loop_4, __kmpc_distribute_static_loop_4, __kmpc_distribute_for_static_loop_4);
schedules!(u32, i32; __kmpc_for_static_init_4u, __kmpc_distribute_static_init_4u, __kmpc_team_static_init_4u,
    __kmpc_dist_for_static_init_4u;
    __kmpc_dispatch_init_4u, __kmpc_dispatch_next_4u, __kmpc_dispatch_fini_4u, __kmpc_dist_dispatch_init_4u;
    __kmpc_for_static_loop_4u, __kmpc_distribute_static_loop_4u, __kmpc_distribute_for_static_loop_4u);
schedules!(i64, i64; __kmpc_for_static_init_8, __kmpc_distribute_static_init_8, __kmpc_team_static_init_8,
    __kmpc_dist_for_static_init_8;
    __kmpc_dispatch_init_8, __kmpc_dispatch_next_8, __kmpc_dispatch_fini_8, __kmpc_dist_dispatch_init_8;
    __kmpc_for_static_loop_8, __kmpc_distribute_static_loop_8, __kmpc_distribute_for_static_loop_8);
schedules!(u64, i64; __kmpc_for_static_init_8u, __kmpc_distribute_static_init_8u, __kmpc_team_static_init_8u,
    __kmpc_dist_for_static_init_8u;
    __kmpc_dispatch_init_8u, __kmpc_dispatch_next_8u, __kmpc_dispatch_fini_8u, __kmpc_dist_dispatch_init_8u;
    __kmpc_for_static_loop_8u, __kmpc_distribute_static_loop_8u, __kmpc_distribute_for_static_loop_8u);

//! Static schedules deal every iteration to exactly one thread.

use core::ptr::null;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::{Kernel, parallel};
use crate::worksharing::static_schedule::*;

const COUNTS: [u32; 6] = [1, 2, 3, 32, 33, 128];

fn members(count: u32) -> impl Iterator<Item = Member> {
    (0..count).map(move |id| Member::new(id, count))
}

/// All iterations of all members, through their strides, checked to be `0..=last` once each.
fn covers(
    last: u64,
    count: u32,
    first_chunk: impl Fn(Member) -> Option<Chunk<u64>>,
    is_single: bool,
) {
    let mut dealt = vec![0; last as usize + 1];
    for member in members(count) {
        let Some(chunk) = first_chunk(member) else {
            continue;
        };
        let (mut first, length) = (chunk.first, chunk.last - chunk.first);
        while first <= last {
            for iteration in first..=(first + length).min(last) {
                dealt[iteration as usize] += 1;
            }
            if is_single || chunk.stride == 0 {
                break;
            }
            first += chunk.stride;
        }
    }
    assert!(
        dealt.iter().all(|&times| times == 1),
        "last {last}, {count} members: {dealt:?}"
    );
}

#[test]
fn every_iteration_is_dealt_once() {
    for last in [0, 1, 2, 30, 31, 32, 99, 127, 128, 500] {
        for count in COUNTS {
            for chunk in [1, 2, 7, 64, 1000] {
                covers(
                    last,
                    count,
                    |member| chunked_u64(last, chunk, member),
                    false,
                );
                covers(
                    last,
                    count,
                    |member| rounded_u64(last, chunk, member),
                    false,
                );
            }
            covers(last, count, |member| balanced_u64(last, member), true);
        }
    }
}

/// One piece each, in the teams' order, of whole units but for the loop's end; no second piece.
#[test]
fn aligned_blocks_follow_each_other() {
    for last in [0, 1, 31, 32, 33, 95, 1000, 4095, 4096, 70_000] {
        for count in [1, 2, 3, 5, 32, 127, 128, 129, 4000] {
            let mut next = 0;
            let mut units = (u64::MAX, 0);
            for member in members(count) {
                let Some(chunk) = aligned_u64(last, member) else {
                    assert_eq!(next, last + 1, "a team without work before one with work");
                    units.0 = 0;
                    continue;
                };
                assert_eq!((chunk.first, chunk.first % 32), (next, 0));
                assert_eq!(chunk.first + chunk.stride, last + 1);
                next = chunk.last + 1;
                let length = (next - chunk.first).div_ceil(32);
                units = (units.0.min(length), units.1.max(length));
                let narrow = aligned_u32(last as u32, member).map(|chunk| chunk.last.into());
                assert_eq!(narrow, Some(chunk.last));
            }
            assert_eq!(next, last + 1);
            assert!(
                units.1 - units.0 <= 1,
                "{count} members of {last}: {units:?}"
            );
        }
    }
    for (id, first) in [(0, 0), (1, 1 << 31)] {
        let chunk = aligned_u32(u32::MAX, Member::new(id, 2)).expect("there is work for both");
        assert_eq!((chunk.first, chunk.last), (first, first + (u32::MAX >> 1)));
        let chunk = aligned_u64(u64::MAX, Member::new(id, 2)).expect("there is work for both");
        assert_eq!(chunk.first, u64::from(first) << 32);
    }
}

/// The same pieces without a branch, also of loops that end just before their type.
#[test]
fn pieces_of_teams_that_reduce() {
    for last in [-1, 0, 1, 31, 32, 33, 1000, 4096, 70_000, i32::MAX - 1] {
        for count in [1, 2, 3, 32, 127, 4000] {
            for member in members(count) {
                let (mut lower, mut upper, mut stride, mut is_last) = (0, last, 7, 7);
                // SAFETY: the variables of a loop.
                unsafe { piece_i32(&mut is_last, &mut lower, &mut upper, &mut stride, member) };
                assert_eq!(lower + stride, last + 1, "no second piece");
                let expected = (last >= 0).then(|| aligned_u32(last as u32, member));
                match expected.flatten() {
                    Some(chunk) => {
                        assert_eq!((lower as u32, upper as u32), (chunk.first, chunk.last));
                        assert_eq!(is_last != 0, upper == last);
                    }
                    None => assert!(lower > upper && is_last == 0),
                }
            }
        }
    }
}

/// A team's piece, dealt to its threads in any way: every iteration once, and one thread knows that it has the last.
#[test]
fn a_teams_piece_is_dealt_in_any_way() {
    for (last, teams, threads) in [
        (0, 1, 1),
        (99, 3, 8),
        (999, 2, 64),
        (700, 4, 50),
        (5000, 2, 96),
    ] {
        let kernel = Kernel::spmd(threads).teams(teams);
        for kernel in [kernel, kernel.at_once()] {
            let dealt: Vec<AtomicU32> = (0..=last).map(|_| AtomicU32::new(0)).collect();
            let last_ones = AtomicU32::new(0);
            kernel.run(|| {
                let (mut lower, mut upper, mut stride, mut team_has_last) = (0, last, 0, 7);
                let member = Member::team();
                // SAFETY: the variables of a loop.
                unsafe {
                    piece_i32(
                        &mut team_has_last,
                        &mut lower,
                        &mut upper,
                        &mut stride,
                        member,
                    )
                };
                parallel(-1, || {
                    let (mut at, mut behind, mut step, mut has_last) = (lower, upper, 0, 7);
                    // SAFETY: called as clang calls it.
                    unsafe {
                        __kmpc_for_static_init_4(
                            null(),
                            0,
                            FOR_ANY,
                            &mut has_last,
                            &mut at,
                            &mut behind,
                            &mut step,
                            1,
                            1,
                        );
                    }
                    if has_last != 0 && team_has_last != 0 {
                        last_ones.fetch_add(1, Relaxed);
                    }
                    while at <= upper - behind {
                        dealt[at as usize].fetch_add(1, Relaxed);
                        at += step;
                    }
                });
            });
            assert!(
                dealt.iter().all(|times| times.load(Relaxed) == 1),
                "{last}, {teams}, {threads}"
            );
            assert_eq!(last_ones.into_inner(), 1);
        }
    }
}

#[test]
fn balanced_blocks_differ_by_one_at_most() {
    for last in [0u32, 5, 99, 128] {
        for count in COUNTS {
            let sizes: Vec<u32> = members(count)
                .map(|member| balanced_u32(last, member).map_or(0, |c| c.last - c.first + 1))
                .collect();
            assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
        }
    }
}

#[test]
fn nothing_overflows_at_the_ends_of_the_types() {
    for count in COUNTS {
        let mut total = 0u64;
        for member in members(count) {
            let chunk = balanced_u32(u32::MAX, member).unwrap();
            total += u64::from(chunk.last - chunk.first) + 1;
            let wide = balanced_u64(u64::MAX, member).unwrap();
            assert!(wide.first <= wide.last);
        }
        assert_eq!(total, 1 << 32);
        // A chunk that only the first member can have.
        let first = chunked_u32(u32::MAX, u32::MAX, Member::new(0, count)).unwrap();
        assert_eq!((first.first, first.last), (0, u32::MAX - 1));
        assert_eq!(
            chunked_u32(10, u32::MAX, Member::new(count, count + 1)),
            None
        );
    }
}

#[test]
fn the_last_iteration_is_found_for_every_sign() {
    assert_eq!(last_i32(0, 9, 1), Some(9));
    assert_eq!(last_i32(0, 9, 2), Some(4));
    assert_eq!(last_i32(9, 0, -3), Some(3));
    assert_eq!(last_i32(1, 0, 1), None);
    assert_eq!(last_i32(0, 1, -1), None);
    assert_eq!(last_i32(i32::MIN, i32::MAX, 1), Some(u32::MAX));
    assert_eq!(last_i32(i32::MAX, i32::MIN, -1), Some(u32::MAX));
    assert_eq!(last_u32(0, u32::MAX, 1), Some(u32::MAX));
    assert_eq!(last_u32(u32::MAX, 0, -1), Some(u32::MAX));
    assert_eq!(last_i64(i64::MIN, i64::MAX, i64::MAX), Some(2));
    assert_eq!(last_u64(3, 2, 1), None);
}

/// One of clang's loops over `$int` under `kernel`: counts how often each value is met, and who has the last.
macro_rules! run_loop {
    ($name:ident, $int:ident, $signed:ident, $init:ident) => {
        fn $name(
            kernel: super::Kernel,
            schedule: i32,
            bounds: ($int, $int),
            increment: $signed,
            chunk: $signed,
        ) {
            use std::collections::BTreeMap;
            use std::sync::Mutex;
            let met = Mutex::new(BTreeMap::<$int, u32>::new());
            let last_owner = Mutex::new(Vec::new());
            let (from, to) = bounds;
            kernel.run(|| {
                super::parallel(-1, || {
                    let (mut is_last, mut lower, mut upper, mut stride) = (7, from, to, 1);
                    let empty = if increment > 0 { from > to } else { from < to };
                    // SAFETY: called as clang calls it.
                    unsafe {
                        $init(
                            null(),
                            0,
                            schedule,
                            &mut is_last,
                            &mut lower,
                            &mut upper,
                            &mut stride,
                            increment,
                            chunk,
                        );
                    }
                    if empty {
                        assert_eq!(is_last, 0);
                        return;
                    }
                    let (mut mine, mut value) = (Vec::new(), lower);
                    let inside = |value: $int, end: $int| {
                        if increment > 0 {
                            value <= end
                        } else {
                            value >= end
                        }
                    };
                    'chunks: while inside(value, to) && inside(value, upper) {
                        let (start, end) = (value, upper);
                        while inside(value, end) && inside(value, to) {
                            mine.push(value);
                            match value.checked_add_signed_like(increment) {
                                Some(next) => value = next,
                                None => break 'chunks,
                            }
                        }
                        if schedule == STATIC {
                            break;
                        }
                        let (Some(next), Some(next_end)) = (
                            start.checked_add_signed_like(stride),
                            end.checked_add_signed_like(stride),
                        ) else {
                            break;
                        };
                        (value, upper) = (next, next_end);
                    }
                    let mut met = met.lock().unwrap();
                    mine.iter()
                        .for_each(|&value| *met.entry(value).or_default() += 1);
                    if is_last != 0 {
                        last_owner.lock().unwrap().push(mine);
                    }
                });
            });
            let mut expected = Vec::new();
            let mut value = Some(from);
            while let Some(v) = value.filter(|&v| if increment > 0 { v <= to } else { v >= to }) {
                expected.push(v);
                value = v.checked_add_signed_like(increment);
            }
            let met = met.into_inner().unwrap();
            let mut sorted = expected.clone();
            sorted.sort_unstable();
            assert_eq!(
                met.keys().copied().collect::<Vec<_>>(),
                sorted,
                "{schedule} {bounds:?} by {increment}"
            );
            assert!(met.values().all(|&times| times == 1));
            let owners = last_owner.into_inner().unwrap();
            assert_eq!(
                owners.len(),
                usize::from(!expected.is_empty()),
                "one thread has the last iteration"
            );
            if let Some(owner) = owners.first() {
                assert_eq!(owner.last(), expected.last());
            }
        }
    };
}

/// `checked_add` of a signed step, for signed and unsigned numbers alike.
trait Step<S>: Sized {
    fn checked_add_signed_like(self, step: S) -> Option<Self>;
}
impl Step<i32> for i32 {
    fn checked_add_signed_like(self, step: i32) -> Option<i32> {
        self.checked_add(step)
    }
}
impl Step<i32> for u32 {
    fn checked_add_signed_like(self, step: i32) -> Option<u32> {
        self.checked_add_signed(step)
    }
}
impl Step<i64> for i64 {
    fn checked_add_signed_like(self, step: i64) -> Option<i64> {
        self.checked_add(step)
    }
}
impl Step<i64> for u64 {
    fn checked_add_signed_like(self, step: i64) -> Option<u64> {
        self.checked_add_signed(step)
    }
}

run_loop!(loop_i32, i32, i32, __kmpc_for_static_init_4);
run_loop!(loop_u32, u32, i32, __kmpc_for_static_init_4u);
run_loop!(loop_i64, i64, i64, __kmpc_for_static_init_8);
run_loop!(loop_u64, u64, i64, __kmpc_for_static_init_8u);

#[test]
fn loops_of_every_type_run_each_iteration_once() {
    for kernel in [super::Kernel::generic(33), super::Kernel::spmd(40)] {
        for schedule in [
            STATIC,
            STATIC_CHUNKED,
            STATIC_BALANCED_CHUNKED,
            STATIC_CHUNKED | 1 << 30,
        ] {
            for chunk in [0, 1, 3] {
                loop_i32(kernel, schedule, (0, 99), 1, chunk);
                loop_i32(kernel, schedule, (-5, 60), 2, chunk);
                loop_i32(kernel, schedule, (60, -5), -3, chunk);
                loop_i32(kernel, schedule, (1, 0), 1, chunk);
                loop_i32(kernel, schedule, (i32::MAX - 50, i32::MAX), 1, chunk);
                loop_u32(kernel, schedule, (u32::MAX - 70, u32::MAX), 1, chunk);
                loop_u32(kernel, schedule, (70, 0), -1, chunk);
                loop_u32(kernel, schedule, (3, 2), 1, chunk);
                loop_i64(kernel, schedule, (i64::MIN, i64::MIN + 80), 1, chunk.into());
                loop_u64(kernel, schedule, (u64::MAX - 20, u64::MAX), 7, chunk.into());
            }
        }
    }
}

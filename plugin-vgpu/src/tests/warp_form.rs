//! Kernels in warp form: a fiber per warp, or subgroups on one stack.

use std::sync::atomic::{AtomicU32, Ordering};

use vgpu_abi::{SubgroupCall, WARP_STACK_SIZE, WarpEntryFn};

use super::*;
use crate::abi::*;
use crate::block_ranges::index_in;
use crate::fault::{Cause, FaultLocation};
use crate::form_choice::FormChoice;

/// Declares a kernel in warp form whose only parameter points at its test's data.
macro_rules! warp_kernel {
    ($name:ident, $cx:ident, $lanes:ident, $data:ident: $type:ty, $body:block) => {
        unsafe extern "C" fn $name(cx: *mut ThreadContext, args: *const u64, lanes: u64) {
            let ($cx, $lanes) = (cx, lanes);
            // SAFETY: tests pass a reference to the type that their kernel names, and outlive the launch.
            let $data: &$type = unsafe { &*(*args as *const $type) };
            // SAFETY: the calls' contract is that `cx` is the warp's own.
            #[allow(unused_unsafe)]
            unsafe {
                $body
            }
        }
    };
}
pub(super) use warp_kernel;

fn warps(entry: vgpu_abi::WarpEntryFn) -> Form {
    Form::Warps { entry, last: None }
}

pub(super) fn subgroups(entry: vgpu_abi::WarpEntryFn, width: u32) -> Form {
    Form::Subgroups {
        entry,
        rest: nothing,
        width,
        loops: false,
        threads: None,
    }
}

fn launch_form<T>(form: Form, blocks: u32, threads: [u32; 3], data: &T) -> Result<(), Raised> {
    let args = [&raw const *data];
    let run = GridRun {
        form,
        threads,
        ..grid_run(nothing, blocks, 1, &args)
    };
    // SAFETY: test kernels take one parameter, a reference to their data.
    match unsafe { Grid::launch(&machine(2), run) }.unwrap() {
        None => Ok(()),
        Some(fault) => Err(fault.raised),
    }
}

#[derive(Default)]
struct Counts {
    counter: AtomicU32,
    wrong: AtomicU32,
}

impl Counts {
    fn add(&self, count: u32) {
        self.counter.fetch_add(count, Ordering::Relaxed);
    }

    fn counter(&self) -> u32 {
        self.counter.load(Ordering::Relaxed)
    }

    fn expect(&self, holds: bool) {
        self.wrong.fetch_add(u32::from(!holds), Ordering::Relaxed);
    }

    fn check(&self) {
        assert_eq!(self.wrong.load(Ordering::Relaxed), 0);
    }
}

warp_kernel!(rounds, cx, lanes, data: Counts, {
    let threads = (*cx).ntid[0];
    for round in 1..=20 {
        data.add(lanes.count_ones());
        vgpu_warp_barrier(cx, 1, round % 16, 0, lanes, 0);
        data.expect(data.counter() == round * threads);
        vgpu_warp_barrier(cx, 2, 3, threads, lanes, 0);
    }
});

#[test]
fn nobody_passes_a_barrier_before_all_lanes_have_come() {
    for threads in [1, 2, 31, 32, 33, 128, 1000, 1024] {
        let data = Counts::default();
        launch_form(warps(rounds), 1, [threads, 1, 1], &data).unwrap();
        data.check();
    }
}

warp_kernel!(lanes_leave, cx, lanes, data: Counts, {
    // In round r, the lanes r, r + 4, … end. The first warp ends early.
    let mut lanes = lanes;
    for round in 0..4 {
        if (*cx).warpid == 0 && round == 2 {
            return;
        }
        lanes &= !(0x1111_1111_1111_1111 << round);
        if lanes == 0 {
            return;
        }
        vgpu_warp_barrier(cx, 1, 0, 0, lanes, 0);
        data.add(lanes.count_ones());
    }
});

#[test]
fn lanes_that_ended_count_at_a_barrier_of_the_block() {
    let data = Counts::default();
    launch_form(warps(lanes_leave), 1, [100, 1, 1], &data).unwrap();
    let passed = |threads: u32, rounds: u32| -> u32 {
        (0..threads).map(|thread| (thread % 4).min(rounds)).sum()
    };
    assert_eq!(data.counter(), passed(32, 2) + passed(68, 4));
}

warp_kernel!(groups, cx, lanes, data: [Counts; 2], {
    // Warps 0-1 and 2-3 use separate barriers, a different number of times.
    let group = ((*cx).warpid / 2) as usize;
    for round in 1..=[10, 3][group] {
        data[group].add(32);
        vgpu_warp_barrier(cx, 1, 1 + group as u32, 64, lanes, 0);
        data[group].expect(data[group].counter() == round * 64);
        vgpu_warp_barrier(cx, 2, 1 + group as u32, 64, lanes, 0);
    }
});

warp_kernel!(arrive_and_reduce, cx, lanes, data: Counts, {
    // The first warp arrives without waiting, and the others wait for it. Then all count the odd lanes.
    match (*cx).warpid {
        0 => {
            data.add(1);
            vgpu_warp_barrier_arrive(cx, 1, 5, 0, lanes, 0);
        }
        _ => {
            vgpu_warp_barrier(cx, 2, 5, 0, lanes, 0);
            data.expect(data.counter() == 1);
        }
    }
    let odd = 0xaaaa_aaaa_aaaa_aaaa;
    let reduce = |mode, preds| vgpu_warp_barrier_reduce(cx, 3, 0, 0, mode, lanes, 0, preds);
    data.expect(reduce(0, odd) == (*cx).ntid[0] / 2);
    data.expect(reduce(1, odd) == 0 && reduce(1, !0) == 1);
    data.expect(reduce(2, odd) == 1 && reduce(2, 0) == 0);
});

#[test]
fn named_barriers_arrivals_and_reductions() {
    let data = [Counts::default(), Counts::default()];
    launch_form(warps(groups), 1, [128, 1, 1], &data).unwrap();
    data.iter().for_each(Counts::check);
    for threads in [33, 64, 127, 1024] {
        let data = Counts::default();
        launch_form(warps(arrive_and_reduce), 1, [threads, 1, 1], &data).unwrap();
        data.check();
    }
}

kernel!(master, cx, data: Counts, {
    // As in generic mode: one thread of the last warp starts rounds of work and waits for them.
    if (*cx).laneid != 0 {
        return;
    }
    for round in 1..=5 {
        vgpu_barrier(cx, 1, 1, 96);
        vgpu_barrier(cx, 2, 1, 96);
        data.expect(data.counter() == round * 64);
    }
});

warp_kernel!(worker, cx, lanes, data: Counts, {
    for _ in 0..5 {
        vgpu_warp_barrier(cx, 3, 1, 96, lanes, 0);
        data.add(lanes.count_ones());
        vgpu_warp_barrier(cx, 4, 1, 96, lanes, 0);
    }
});

#[test]
fn threads_of_the_last_warp_may_run_one_by_one() {
    let data = Counts::default();
    let form = Form::Warps {
        entry: worker,
        last: Some(master),
    };
    launch_form(form, 1, [96, 1, 1], &data).unwrap();
    data.check();
    assert_eq!(data.counter(), 5 * 64);
}

warp_kernel!(one_lane_faults, cx, lanes, lane: u32, {
    vgpu_warp_barrier(cx, 1, 0, 0, lanes, 0);
    if (*cx).warpid == 1 {
        vgpu_warp_lane(cx, *lane);
        vgpu_trap(cx, 42);
    }
    vgpu_warp_barrier(cx, 2, 0, 0, lanes, 0);
});

#[test]
fn a_fault_names_the_lane() {
    let raised = launch_form(warps(one_lane_faults), 1, [100, 1, 1], &7_u32).unwrap_err();
    assert_eq!(
        (raised.thread, raised.cause, raised.place),
        (39, Cause::Trap(String::new()), FaultLocation::Site(42))
    );
}

warp_kernel!(missing_warp, cx, lanes, _data: u32, {
    match (*cx).warpid {
        0 => vgpu_warp_barrier(cx, 7, 1, 64, lanes & 0xffff, 0),
        _ => vgpu_warp_barrier(cx, 8, 2, 96, lanes, 0),
    }
});

#[test]
fn a_deadlock_lists_every_thread() {
    let raised = launch_form(warps(missing_warp), 1, [64, 1, 1], &0_u32).unwrap_err();
    assert_eq!(raised.cause, Cause::Deadlock);
    let waiting = raised
        .waiting
        .iter()
        .map(|group| (crate::deadlock::ranges(&group.threads), group.site));
    assert_eq!(
        waiting.collect::<Vec<_>>(),
        [("0-15".to_owned(), 7), ("32-63".to_owned(), 8)]
    );
    // The lanes that did not come to the barrier have ended.
    assert_eq!(raised.waiting[0].at, "barrier 1 (32 of 64 arrived)");
}

warp_kernel!(uses_stack, cx, lanes, frames: u64, {
    // Recursion twice as deep as a thread's stack allows, or endless.
    std::hint::black_box(recurse(*frames));
    vgpu_warp_barrier(cx, 1, 0, 0, lanes, 0);
});

#[inline(never)]
fn recurse(frames: u64) -> u64 {
    let frame = std::hint::black_box([frames; 128]);
    if frames == 0 {
        return 0;
    }
    recurse(frames - 1) + frame[3]
}

#[test]
fn a_warps_stack_has_room_for_every_lane_and_a_guard() {
    let fits = (WARP_STACK_SIZE / 2 / 1400) as u64;
    launch_form(warps(uses_stack), 1, [64, 1, 1], &fits).unwrap();
    for form in [warps(uses_stack), subgroups(endless, 8)] {
        let raised = launch_form(form, 2, [64, 1, 1], &u64::MAX).unwrap_err();
        assert_eq!(raised.cause, Cause::StackOverflow);
    }
}

warp_kernel!(endless, _cx, _lanes, frames: u64, {
    std::hint::black_box(recurse(*frames));
});

pub(super) struct Seen {
    threads: Vec<AtomicU32>,
    wrong: AtomicU32,
    width: u32,
}

impl Seen {
    /// None of so many threads yet.
    pub(super) fn none(count: u32, width: u32) -> Seen {
        Seen {
            threads: (0..count).map(|_| AtomicU32::new(0)).collect(),
            wrong: AtomicU32::new(0),
            width,
        }
    }

    /// Each thread ran once, with its own context.
    pub(super) fn check(&self, what: &dyn std::fmt::Debug) {
        let once = |times: &AtomicU32| times.load(Ordering::Relaxed) == 1;
        assert!(self.threads.iter().all(once), "{what:?}");
        assert_eq!(self.wrong.load(Ordering::Relaxed), 0, "{what:?}");
    }

    /// The threads of `lanes` run code with this context, which is that of the first.
    fn note(&self, c: &ThreadContext, lanes: u64, is_first: impl Fn(u32) -> bool) {
        let [nx, ny, nz] = c.ntid;
        let first = c.tid[0] + nx * (c.tid[1] + ny * c.tid[2]);
        let block = c.ctaid[0] * nx * ny * nz;
        for lane in 0..lanes.count_ones() {
            self.threads[(block + first + lane) as usize].fetch_add(1, Ordering::Relaxed);
        }
        let right = is_first(first) && c.laneid == first % 32 && c.warpid == first / 32;
        self.wrong.fetch_add(u32::from(!right), Ordering::Relaxed);
    }
}

warp_kernel!(coordinates, cx, lanes, seen: Seen, {
    seen.note(&*cx, lanes, |first| {
        let exist = ((*cx).ntid.iter().product::<u32>() - first).min(seen.width);
        lanes == u64::MAX >> (64 - exist) && first.is_multiple_of(seen.width)
    });
    vgpu_warp_lane(cx, 3);
});

/// As compiled code with loops over subgroups and blocks: it makes the context that of each one's first thread.
pub(super) unsafe extern "C" fn coordinates_in_a_loop(
    cx: *mut ThreadContext,
    args: *const u64,
    call: u64,
) {
    // SAFETY: the engine's contract.
    unsafe {
        let width = (*(*args as *const Seen)).width;
        each_subgroup(cx, call, width, || {
            coordinates(cx, args, u64::MAX >> (64 - width))
        });
    }
}

/// The same for single threads.
unsafe extern "C" fn threads_in_a_loop(cx: *mut ThreadContext, args: *const u64, call: u64) {
    // SAFETY: the engine's contract.
    unsafe { each_subgroup(cx, call, 1, || coordinates_of_any_thread(cx, args)) }
}

/// The same for threads that are in no whole subgroup.
pub(super) unsafe extern "C" fn rest_in_a_loop(
    cx: *mut ThreadContext,
    args: *const u64,
    call: u64,
) {
    // SAFETY: the engine's contract.
    unsafe { each_subgroup(cx, call, 1, || coordinates_of_a_thread(cx, args)) }
}

/// # Safety
/// `call` is the address of a [`SubgroupCall`], and `cx` the subgroups' own.
unsafe fn each_subgroup(cx: *mut ThreadContext, call: u64, width: u32, mut run: impl FnMut()) {
    // SAFETY: the caller's contract.
    unsafe {
        let call = &*(call as *const SubgroupCall);
        assert_eq!(call.tid, index_in((*cx).ntid, call.first.into()));
        assert_eq!(call.block, (*cx).ctaid[0]);
        let blocks = call.block..call.block + call.blocks;
        let firsts = (call.first..call.end).step_by(width as usize);
        for (block, first) in blocks.flat_map(|block| firsts.clone().map(move |it| (block, it))) {
            (*cx).ctaid[0] = block;
            (*cx).tid = index_in((*cx).ntid, first.into());
            ((*cx).laneid, (*cx).warpid) = (first % 32, first / 32);
            *call.current = first as u16;
            *call.thread = first as u16;
            run();
        }
    }
}

kernel!(pub(super) coordinates_of_a_thread, cx, seen: Seen, {
    let whole = (*cx).ntid.iter().product::<u32>() / seen.width * seen.width;
    seen.note(&*cx, 1, |first| first >= whole);
});

kernel!(coordinates_of_any_thread, cx, seen: Seen, {
    seen.note(&*cx, 1, |_| true);
});

/// Widths of subgroups and shapes of blocks.
pub(super) fn widths_and_shapes() -> impl Iterator<Item = (u32, [u32; 3])> {
    let shapes = [
        [1, 1, 1],
        [7, 1, 1],
        [33, 1, 1],
        [1000, 1, 1],
        [1024, 1, 1],
        [32, 3, 2],
        [64, 2, 2],
    ];
    let widths = [8, 16, 32].into_iter();
    widths.flat_map(move |width| shapes.map(|shape| (width, shape)))
}

#[test]
fn every_thread_is_in_one_subgroup_or_alone() {
    for (width, threads) in widths_and_shapes() {
        let count = 5 * threads.iter().product::<u32>();
        let subgroups = |entry, loops, threads| Form::Subgroups {
            entry,
            rest: coordinates_of_a_thread,
            width,
            loops,
            threads,
        };
        let forms = [
            warps(coordinates),
            subgroups(coordinates, false, None),
            subgroups(coordinates_in_a_loop, true, None),
            subgroups(coordinates_in_a_loop, true, Some(rest_in_a_loop)),
            Form::OneByOne(threads_in_a_loop),
        ];
        for form in &forms[usize::from(width != 32)..] {
            let seen = Seen::none(count, width);
            launch_form(*form, 5, threads, &seen).unwrap();
            seen.check(&(form, threads));
        }
    }
}

#[test]
fn parts_of_blocks_are_tried_in_both_forms() {
    // More than a kernel runs in steps, and more steps than a number has bits.
    const BLOCKS: u32 = 80;
    let own_loops = [(false, false), (true, false), (true, true)];
    for ((width, threads), (loops, of_threads)) in
        widths_and_shapes().flat_map(|it| own_loops.map(|own| (it, own)))
    {
        let count = BLOCKS * threads.iter().product::<u32>();
        let seen = Seen::none(count, width);
        let choice = Arc::new(FormChoice::default());
        choice.ran(0, Duration::from_secs(1));
        let args = [&raw const seen];
        let run = GridRun {
            form: Form::Subgroups {
                entry: if loops {
                    coordinates_in_a_loop
                } else {
                    coordinates
                },
                rest: coordinates_of_any_thread,
                width,
                loops,
                threads: of_threads.then_some(threads_in_a_loop as WarpEntryFn),
            },
            choice: Some(choice),
            threads,
            ..grid_run(nothing, BLOCKS, 1, &args)
        };
        // SAFETY: test kernels take one parameter, a reference to their data.
        assert!(unsafe { Grid::launch(&machine(2), run) }.unwrap().is_none());
        seen.check(&(width, threads));
    }
}

warp_kernel!(wild, cx, _lanes, address: u64, {
    if (*cx).tid[0] == 48 {
        (*address as *mut u32).write_volatile(1);
    }
});

warp_kernel!(nothing_in_lanes, _cx, _lanes, _address: u64, {});

kernel!(wild_thread, cx, address: u64, {
    if (*cx).tid[0] == 48 {
        (*address as *mut u32).write_volatile(1);
    }
});

warp_kernel!(wild_warp, cx, _lanes, address: u64, {
    if (*cx).tid[0] == 64 {
        (*address as *mut u32).write_volatile(1);
    }
});

#[test]
fn a_fault_that_the_cpu_finds_names_the_threads_of_the_subgroup_or_warp() {
    let address = 0x3000_0000_1000_u64;
    let cause = Cause::WildAccess {
        address,
        write: true,
    };
    let wild_alone = Form::Subgroups {
        entry: nothing_in_lanes,
        rest: wild_thread,
        width: 16,
        loops: false,
        threads: None,
    };
    // The last warp may have fewer threads.
    for (form, threads, first, count) in [
        (subgroups(wild, 16), 64, 48, 16),
        (wild_alone, 51, 48, 1),
        (warps(wild_warp), 128, 64, 32),
        (warps(wild_warp), 70, 64, 6),
    ] {
        let raised = launch_form(form, 4, [threads, 1, 1], &address).unwrap_err();
        assert_eq!(
            (raised.thread, raised.thread_count, &raised.cause),
            (first, count, &cause)
        );
    }
}

warp_kernel!(yields_to_others, cx, lanes, data: Counts, {
    // Warp 1 waits for warp 0, which begins first but continues only after it has yielded.
    match (*cx).warpid {
        0 => {
            vgpu_yield(cx, 1);
            data.add(1);
        }
        _ => {
            while data.counter() == 0 {
                vgpu_yield(cx, 2);
            }
        }
    }
    vgpu_warp_barrier(cx, 3, 0, 0, lanes, 0);
});

#[test]
fn a_warp_that_waits_on_memory_lets_the_others_run() {
    launch_form(warps(yields_to_others), 1, [64, 1, 1], &Counts::default()).unwrap();
}

/// How often threads ran, and how many of them in warp form.
#[derive(Default)]
struct Ways {
    threads: AtomicU32,
    in_warps: AtomicU32,
}

warp_kernel!(counts_lanes, _cx, lanes, ways: Ways, {
    ways.threads.fetch_add(lanes.count_ones(), Ordering::Relaxed);
    ways.in_warps.fetch_add(lanes.count_ones(), Ordering::Relaxed);
});

kernel!(counts_threads, _cx, ways: Ways, {
    ways.threads.fetch_add(1, Ordering::Relaxed);
});

#[test]
fn a_trial_runs_every_block_once_in_either_form() {
    const BLOCKS: u32 = 500;
    for threads in [64, 80] {
        let ways = Ways::default();
        let choice = Arc::new(FormChoice::default());
        choice.ran(1 << 20, Duration::from_secs(1));
        let args = [&raw const ways];
        let run = GridRun {
            form: Form::Subgroups {
                entry: counts_lanes,
                rest: counts_threads,
                width: 32,
                loops: false,
                threads: None,
            },
            choice: Some(choice),
            ..grid_run(nothing, BLOCKS, threads, &args)
        };
        // SAFETY: test kernels take one parameter, a reference to their data.
        assert!(unsafe { Grid::launch(&machine(2), run) }.unwrap().is_none());
        assert_eq!(ways.threads.into_inner(), BLOCKS * threads);
        let in_warps = ways.in_warps.into_inner();
        assert!(0 < in_warps && in_warps < BLOCKS * (threads / 32 * 32));
    }
}

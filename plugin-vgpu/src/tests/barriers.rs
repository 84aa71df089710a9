//! Barriers of a block.

use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use crate::abi::*;
use crate::fault::Cause;

struct Shared {
    counter: AtomicU32,
    wrong: AtomicU32,
    log: Vec<AtomicU32>,
}

fn shared(slots: usize) -> Shared {
    Shared {
        counter: AtomicU32::new(0),
        wrong: AtomicU32::new(0),
        log: (0..slots).map(|_| AtomicU32::new(0)).collect(),
    }
}

fn check(entry: EntryFn, threads: u32) -> Shared {
    let data = shared(threads as usize);
    launch(entry, 1, threads, &data).unwrap();
    assert_eq!(data.wrong.load(Ordering::Relaxed), 0);
    data
}

fn expect(data: &Shared, holds: bool) {
    data.wrong.fetch_add(u32::from(!holds), Ordering::Relaxed);
}

kernel!(rounds, cx, data: Shared, {
    let threads = (*cx).ntid[0];
    for round in 1..=20 {
        data.counter.fetch_add(1, Ordering::Relaxed);
        vgpu_barrier(cx, 1, round % 16, 0);
        expect(data, data.counter.load(Ordering::Relaxed) == round * threads);
        vgpu_barrier(cx, 2, 3, threads);
    }
});

#[test]
fn nobody_passes_before_all_have_come() {
    for threads in [1, 2, 31, 32, 33, 128, 1000, 1024] {
        check(rounds, threads);
    }
}

kernel!(some_leave, cx, data: Shared, {
    let t = tid(cx);
    if t.is_multiple_of(3) {
        return;
    }
    for round in 0..4 {
        // A few more threads end in every round, before or after others wait.
        if t % 16 == round {
            return;
        }
        vgpu_barrier(cx, 1, 0, 0);
    }
    data.counter.fetch_add(1, Ordering::Relaxed);
});

#[test]
fn threads_that_ended_count_at_a_barrier_of_the_block() {
    let expected = (0..200).filter(|t| t % 3 != 0 && t % 16 >= 4).count() as u32;
    assert_eq!(check(some_leave, 200).counter.into_inner(), expected);
}

kernel!(groups, cx, data: Shared, {
    // Warps 0-1 and 2-3 use separate barriers, a different number of times.
    let t = tid(cx);
    let (id, rounds) = if t < 64 { (1, 10) } else { (2, 3) };
    for round in 1..=rounds {
        data.log[id as usize].fetch_add(1, Ordering::Relaxed);
        vgpu_barrier(cx, id, id, 64);
        expect(data, data.log[id as usize].load(Ordering::Relaxed) == round * 64);
        vgpu_barrier(cx, id, id, 64);
    }
});

#[test]
fn named_barriers_with_counts() {
    check(groups, 128);
}

kernel!(pool, cx, data: Shared, {
    // The generic mode of the fork-join paper. The last warp has the master, and its other lanes end. The workers
    // wait in a pool for work.
    let t = tid(cx);
    if t >= 128 {
        if t > 128 {
            return;
        }
        for region in 1..=5 {
            data.counter.store(region, Ordering::Relaxed);
            vgpu_barrier(cx, 1, 1, 160);
            vgpu_barrier(cx, 2, 1, 160);
            expect(data, data.log[0].swap(0, Ordering::Relaxed) == 128);
        }
        data.counter.store(0, Ordering::Relaxed);
        vgpu_barrier(cx, 3, 1, 160);
        return;
    }
    loop {
        vgpu_barrier(cx, 4, 1, 160);
        if data.counter.load(Ordering::Relaxed) == 0 {
            return;
        }
        data.log[0].fetch_add(1, Ordering::Relaxed);
        vgpu_barrier(cx, 5, 1, 160);
    }
});

#[test]
fn ended_lanes_of_a_warp_count_at_a_barrier_with_a_count() {
    check(pool, 160);
}

kernel!(odd_count, cx, data: Shared, {
    // The count is not a multiple of the warp size, so it counts live threads only.
    let t = tid(cx);
    if t >= 40 {
        return;
    }
    data.counter.fetch_add(1, Ordering::Relaxed);
    vgpu_barrier(cx, 1, 5, 40);
    expect(data, data.counter.load(Ordering::Relaxed) == 40);
});

#[test]
fn counts_that_are_no_multiple_of_the_warp_size() {
    check(odd_count, 64);
}

kernel!(produce_and_consume, cx, data: Shared, {
    let t = tid(cx);
    for round in 1..=5 {
        if t < 32 {
            data.log[t as usize].store(round, Ordering::Relaxed);
            vgpu_barrier_arrive(cx, 1, 1, 64);
            vgpu_barrier(cx, 2, 2, 64);
        } else {
            vgpu_barrier(cx, 3, 1, 64);
            expect(data, data.log[t as usize - 32].load(Ordering::Relaxed) == round);
            vgpu_barrier_arrive(cx, 4, 2, 64);
        }
    }
});

#[test]
fn arriving_without_waiting() {
    check(produce_and_consume, 64);
}

kernel!(reduce, cx, data: Shared, {
    let t = tid(cx);
    let n = (*cx).ntid[0];
    expect(data, vgpu_barrier_reduce(cx, 1, 0, 0, 0, u32::from(t.is_multiple_of(3))) == n.div_ceil(3));
    expect(data, vgpu_barrier_reduce(cx, 2, 0, 0, 1, u32::from(t != 5)) == u32::from(n <= 5));
    expect(data, vgpu_barrier_reduce(cx, 3, 0, 0, 1, 7) == 1);
    expect(data, vgpu_barrier_reduce(cx, 4, 0, 0, 2, u32::from(t == 0)) == 1);
    expect(data, vgpu_barrier_reduce(cx, 5, 0, 0, 2, 0) == 0);
});

#[test]
fn reductions_at_a_barrier() {
    for threads in [1, 5, 6, 32, 100, 1024] {
        check(reduce, threads);
    }
}

kernel!(spin_lock, cx, data: Shared, {
    // A thread holds the lock while its whole warp wants it.
    for _ in 0..3 {
        while data.counter.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {
            vgpu_spin(cx, 0);
        }
        let seen = data.log[0].load(Ordering::Relaxed);
        vgpu_yield(cx, 0);
        data.log[0].store(seen + 1, Ordering::Relaxed);
        data.counter.store(0, Ordering::Release);
    }
});

#[test]
fn spin_locks_make_progress() {
    let data = shared(1);
    launch(spin_lock, 6, 100, &data).unwrap();
    assert_eq!(data.log[0].load(Ordering::Relaxed), 1800);
}

kernel!(wait_for_last, cx, data: Shared, {
    // The first thread waits on memory for a thread that starts after all others.
    let t = tid(cx);
    if t == 0 {
        while data.counter.load(Ordering::Acquire) == 0 {
            vgpu_spin(cx, 0);
        }
    }
    if t == (*cx).ntid[0] - 1 {
        data.counter.store(1, Ordering::Release);
    }
});

kernel!(release_each_other, cx, data: Shared, {
    // Two lanes that synchronise for ever do not starve the one they wait for.
    let t = tid(cx);
    if t < 2 {
        while data.counter.load(Ordering::Relaxed) == 0 {
            vgpu_syncwarp(cx, 1, 3);
        }
    } else {
        vgpu_yield(cx, 0);
        data.counter.store(1, Ordering::Relaxed);
    }
});

#[test]
fn every_thread_makes_progress() {
    check(wait_for_last, 1024);
    check(release_each_other, 3);
    check(release_each_other, 64);
}

kernel!(two_counts, cx, _data: Shared, {
    vgpu_barrier(cx, 9, 4, if tid(cx) < 32 { 64 } else { 96 });
});

kernel!(no_such_barrier, cx, _data: Shared, {
    vgpu_barrier(cx, 9, 16, 0);
});

#[test]
fn misuse_is_a_fault() {
    let raised = launch(two_counts, 1, 128, &shared(0)).unwrap_err();
    assert_eq!(raised.thread, 32);
    assert!(
        matches!(&raised.cause, Cause::Misuse(what) if what.contains("96 threads") && what.contains("64 threads"))
    );
    let raised = launch(no_such_barrier, 1, 1, &shared(0)).unwrap_err();
    assert!(
        matches!(&raised.cause, Cause::Misuse(what) if what.contains("barrier 16 does not exist"))
    );
}

//! Grids, contexts, and many launches at once.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use vgpu_abi::STACK_SIZE;

use super::instructions::{FLUSH_TO_ZERO, float_control, set_float_control};
use super::*;
use crate::abi::*;

struct Seen {
    threads: Vec<AtomicU32>,
    wrong: AtomicU32,
}

kernel!(coordinates, cx, seen: Seen, {
    let c = *cx;
    let [nx, ny, nz] = c.ntid;
    let [gx, gy, _] = c.nctaid;
    let thread = c.tid[0] + nx * (c.tid[1] + ny * c.tid[2]);
    let block = c.ctaid[0] + gx * (c.ctaid[1] + gy * c.ctaid[2]);
    seen.threads[(block * nx * ny * nz + thread) as usize].fetch_add(1, Ordering::Relaxed);
    let here = 0_u8;
    let on_own_stack = (&raw const here as usize) / STACK_SIZE == cx as usize / STACK_SIZE;
    let right = c.laneid == thread % 32 && c.warpid == thread / 32 && c.smid < c.nsmid && c.nsmid == 2 && on_own_stack;
    seen.wrong.fetch_add(u32::from(!right), Ordering::Relaxed);
});

#[test]
fn every_thread_of_every_block_runs_once_and_knows_itself() {
    for (blocks, threads) in [
        ([1, 1, 1], [1, 1, 1]),
        ([3, 4, 5], [7, 3, 2]),
        ([50, 1, 1], [1024, 1, 1]),
        ([1, 1, 9], [1, 1, 33]),
    ] {
        let count = blocks.iter().chain(&threads).product::<u32>();
        let seen = Seen {
            threads: (0..count).map(|_| AtomicU32::new(0)).collect(),
            wrong: AtomicU32::new(0),
        };
        let args = [&raw const seen];
        let run = GridRun {
            blocks,
            threads,
            ..grid_run(coordinates, 1, 1, &args)
        };
        // SAFETY: as in `launch`.
        assert!(unsafe { Grid::launch(&machine(2), run) }.unwrap().is_none());
        assert!(
            seen.threads
                .iter()
                .all(|times| times.load(Ordering::Relaxed) == 1)
        );
        assert_eq!(seen.wrong.into_inner(), 0);
    }
}

kernel!(shared_memory, cx, wrong: AtomicU32, {
    let c = *cx;
    let words = c.shared_base as *mut u32;
    let count = c.shared_size / 4;
    for at in (c.tid[0]..count).step_by(c.ntid[0] as usize) {
        words.add(at as usize).write(at ^ c.ctaid[0]);
    }
    vgpu_barrier(cx, 1, 0, 0);
    let other = (c.tid[0] + 17) % c.ntid[0];
    for at in (other..count).step_by(c.ntid[0] as usize) {
        let right = words.add(at as usize).read() == at ^ c.ctaid[0];
        wrong.fetch_add(u32::from(!right), Ordering::Relaxed);
    }
});

#[test]
fn blocks_have_shared_memory_of_their_own() {
    let wrong = AtomicU32::new(0);
    let args = [&raw const wrong];
    let shared = crate::sm::MAX_SHARED;
    let run = GridRun {
        shared,
        dynamic_shared: shared,
        ..grid_run(shared_memory, 20, 64, &args)
    };
    // SAFETY: as in `launch`.
    assert!(unsafe { Grid::launch(&machine(2), run) }.unwrap().is_none());
    assert_eq!(wrong.into_inner(), 0);
}

kernel!(add_up, cx, sum: AtomicU64, {
    vgpu_barrier(cx, 1, 0, 0);
    sum.fetch_add(u64::from((*cx).ctaid[0]) + 1, Ordering::Relaxed);
});

#[test]
fn many_host_threads_launch_at_once() {
    let machine = machine(2);
    std::thread::scope(|scope| {
        for host in 0..8_u32 {
            let machine = &machine;
            scope.spawn(move || {
                for round in 0..30 {
                    let (blocks, threads) =
                        (1 + (host * 7 + round) % 40, 1 + (host * 31 + round) % 200);
                    let sum = AtomicU64::new(0);
                    launch_on(machine, add_up, blocks, threads, &sum).unwrap();
                    let expected =
                        u64::from(threads) * u64::from(blocks) * u64::from(blocks + 1) / 2;
                    assert_eq!(sum.into_inner(), expected);
                }
            });
        }
    });
}

struct Heap {
    failures: AtomicU32,
    exchange: Vec<AtomicU64>,
}

kernel!(heap_use, cx, data: Heap, {
    // Every thread allocates, and another thread frees. So blocks of memory travel between multiprocessors.
    for round in 0..50_u64 {
        let size = 8 + (u64::from(tid(cx)) * 13 + round * 7) % 200;
        let block = vgpu_malloc(cx, size).cast::<u64>();
        if block.is_null() {
            data.failures.fetch_add(1, Ordering::Relaxed);
            continue;
        }
        block.write(block as u64);
        let slot = (u64::from((*cx).ctaid[0]) * 64 + u64::from(tid(cx)) + round) as usize % data.exchange.len();
        let other = data.exchange[slot].swap(block as u64, Ordering::AcqRel) as *mut u64;
        if !other.is_null() {
            data.failures.fetch_add(u32::from(other.read() != other as u64), Ordering::Relaxed);
            vgpu_free(cx, other.cast());
        }
    }
});

kernel!(free_twice, cx, _data: u32, {
    let block = vgpu_malloc(cx, 10);
    vgpu_free(cx, std::ptr::null_mut());
    vgpu_free(cx, block);
    vgpu_free(cx, block);
});

#[test]
fn the_device_heap_is_shared_by_all_blocks() {
    let data = Heap {
        failures: AtomicU32::new(0),
        exchange: (0..300).map(|_| AtomicU64::new(0)).collect(),
    };
    launch(heap_use, 16, 64, &data).unwrap();
    assert_eq!(data.failures.into_inner(), 0);
    let raised = launch(free_twice, 1, 1, &0_u32).unwrap_err();
    assert!(
        matches!(raised.cause, crate::fault::Cause::Trap(what) if what.contains("freed twice"))
    );
}

kernel!(clocks, cx, wrong: AtomicU32, {
    let (ticks, time) = (vgpu_clock(cx), vgpu_globaltimer(cx));
    vgpu_yield(cx, 0);
    let later = vgpu_clock(cx) > ticks && vgpu_globaltimer(cx) >= time;
    wrong.fetch_add(u32::from(!later), Ordering::Relaxed);
});

#[test]
fn clocks_go_forward() {
    let wrong = AtomicU32::new(0);
    launch(clocks, 1, 4, &wrong).unwrap();
    assert_eq!(wrong.into_inner(), 0);
}

kernel!(denormals, _cx, bits: AtomicU32, {
    let tiny = std::hint::black_box(f32::MIN_POSITIVE) / std::hint::black_box(4.0);
    bits.store(tiny.to_bits(), Ordering::Relaxed);
});

#[test]
fn the_host_programs_floating_point_modes_stay_outside() {
    let bits = AtomicU32::new(0);
    let before = float_control();
    // SAFETY: sets flush-to-zero, and restores the register.
    let after = unsafe {
        set_float_control(before | FLUSH_TO_ZERO);
        launch(denormals, 1, 1, &bits).unwrap();
        let after = float_control();
        set_float_control(before);
        after
    };
    assert_eq!(bits.into_inner(), (f32::MIN_POSITIVE / 4.0).to_bits());
    assert_eq!(after & FLUSH_TO_ZERO, FLUSH_TO_ZERO);
}

kernel!(counted, cx, times: u64, {
    (*cx).instructions += 3;
    for _ in 0..*times {
        vgpu_barrier(cx, 0, 0, 0);
        (*cx).instructions += 1;
    }
});

/// A barrier of n threads has n - 1 waits, and each ends with a switch. The last thread to arrive continues
/// without a switch. In the first round the switches are those that start the threads.
#[test]
fn instructions_and_switches_are_summed() {
    let machine = machine(2);
    for (blocks, threads, times) in [(1, 1, 5), (3, 64, 5), (2, 32, 0)] {
        let before = machine.counters.sums();
        launch_on(&machine, counted, blocks, threads, &times).unwrap();
        let after = machine.counters.sums();
        let count = u64::from(blocks * threads);
        assert_eq!(
            after.instructions - before.instructions,
            count * (3 + times)
        );
        let waits = u64::from(blocks) * times * u64::from(threads - 1);
        // Without waits one switch runs all threads of a block.
        let starts = if times == 0 || threads == 1 {
            blocks
        } else {
            blocks * threads
        };
        assert_eq!(after.switches - before.switches, waits + u64::from(starts));
    }
}

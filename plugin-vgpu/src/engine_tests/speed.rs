//! The engine's speed, as a starting point for tuning: `cargo test --release -p plugin-vgpu speed --
//! --ignored --nocapture`. What users run is `omptarget bench vgpu`.

use std::hint::black_box;

use super::*;
use crate::abi::*;

kernel!(empty, _cx, _data: (), {});

kernel!(barriers, cx, rounds: u32, {
    for _ in 0..*rounds {
        black_box(vgpu_barrier as unsafe extern "C" fn(*mut ThreadContext, u32, u32, u32))(cx, 0, 0, 0);
    }
});

kernel!(yields, cx, rounds: u32, {
    for _ in 0..*rounds {
        black_box(vgpu_yield as unsafe extern "C" fn(*mut ThreadContext, u32))(cx, 0);
    }
});

kernel!(shuffles, cx, rounds: u32, {
    for _ in 0..*rounds {
        black_box(vgpu_shfl as unsafe extern "C" fn(*mut ThreadContext, u32, u32, u32, u32, u32, u32) -> u64)(cx, 0, !0, 3, 1, 0, 31);
    }
});

/// CPU time of this thread in ns, which other processes on the machine hardly disturb.
fn cpu_time() -> f64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` is writable.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut now) };
    now.tv_sec as f64 * 1e9 + now.tv_nsec as f64
}

fn best(mut act: impl FnMut()) -> f64 {
    let times = (0..15).map(|_| {
        let start = cpu_time();
        act();
        cpu_time() - start
    });
    times.fold(f64::INFINITY, f64::min)
}

#[test]
#[ignore = "a measurement"]
fn speed() {
    let machine = machine(2);
    let rounds = 1000_u32;
    let per = |time: f64, threads: u32| time / f64::from(rounds) / f64::from(threads);
    for threads in [2, 32, 128, 1024] {
        let run = |entry| best(|| launch_on(&machine, entry, 1, threads, &rounds).unwrap());
        let (switch, barrier) = (per(run(yields), threads), per(run(barriers), threads));
        println!("{threads:5} threads: yield {switch:.1} ns, barrier {barrier:.1} ns per thread");
    }
    println!(
        "shfl {:.1} ns per lane",
        per(
            best(|| launch_on(&machine, shuffles, 1, 32, &rounds).unwrap()),
            32
        )
    );
    for (blocks, threads) in [(1, 1), (1, 128), (2, 128), (1000, 128)] {
        let time = best(|| launch_on(&machine, empty, blocks, threads, &()).unwrap());
        println!(
            "empty launch of {blocks} x {threads}: {:.2} us",
            time / 1000.0
        );
    }
}

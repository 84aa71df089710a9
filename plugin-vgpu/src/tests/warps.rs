//! Warp operations, compared with the PTX ISA.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::*;
use crate::abi::*;

const FULL: u32 = !0;

/// One result per thread.
struct Results<T> {
    parameters: [u32; 4],
    values: Vec<T>,
}

fn results32(threads: u32, parameters: [u32; 4]) -> Results<AtomicU32> {
    Results {
        parameters,
        values: (0..threads).map(|_| AtomicU32::new(0xdead)).collect(),
    }
}

fn results64(threads: u32, parameters: [u32; 4]) -> Results<AtomicU64> {
    Results {
        parameters,
        values: (0..threads).map(|_| AtomicU64::new(0xdead)).collect(),
    }
}

fn run32(entry: EntryFn, threads: u32, parameters: [u32; 4]) -> Vec<u32> {
    let data = results32(threads, parameters);
    launch(entry, 1, threads, &data).unwrap();
    data.values.into_iter().map(AtomicU32::into_inner).collect()
}

fn run64(entry: EntryFn, threads: u32, parameters: [u32; 4]) -> Vec<u64> {
    let data = results64(threads, parameters);
    launch(entry, 1, threads, &data).unwrap();
    data.values.into_iter().map(AtomicU64::into_inner).collect()
}

kernel!(shuffle, cx, data: Results<AtomicU64>, {
    let [mode, b, c, mask] = data.parameters;
    let t = tid(cx);
    if mask >> (t % 32) & 1 != 0 {
        let got = vgpu_shfl(cx, 1, mask.into(), mode, 100 + t, b, c);
        data.values[t as usize].store(got, Ordering::Relaxed);
    }
});

/// PTX ISA 9.7.9.6, transcribed independently of the engine: (source lane, predicate).
fn expected_source(mode: u32, lane: i32, b: u32, c: u32) -> (i32, bool) {
    let (bval, cval, segmask) = ((b & 0x1f) as i32, (c & 0x1f) as i32, (c >> 8 & 0x1f) as i32);
    let max_lane = (lane & segmask) | (cval & !segmask);
    let min_lane = lane & segmask;
    let (j, p) = match mode {
        0 => (lane - bval, lane - bval >= max_lane),
        1 => (lane + bval, lane + bval <= max_lane),
        2 => (lane ^ bval, lane ^ bval <= max_lane),
        _ => {
            let j = min_lane | (bval & !segmask);
            (j, j <= max_lane)
        }
    };
    (if p { j } else { lane }, p)
}

#[test]
fn shuffles_in_every_mode_and_segment() {
    for mode in 0..4 {
        for b in [0, 1, 5, 16, 31, 33] {
            // Clamp and segment mask as in clang's __shfl builtins for widths 32, 16, 8.
            for width in [32, 16, 8] {
                let clamp = if mode == 0 { 0 } else { 31 };
                let c = (32 - width) << 8 | clamp;
                let got = run64(shuffle, 64, [mode, b, c, FULL]);
                for (t, got) in got.into_iter().enumerate() {
                    let (source, inside) = expected_source(mode, t as i32 % 32, b, c);
                    let value = 100 + (t as u64 / 32) * 32 + source as u64;
                    let expected = value | u64::from(inside) << 32;
                    assert_eq!(got, expected, "mode {mode} b {b} width {width} thread {t}");
                }
            }
        }
    }
}

#[test]
fn a_lane_keeps_its_value_when_the_source_takes_no_part() {
    let got = run64(shuffle, 32, [3, 9, 31, 0x0000_00f0]);
    for (t, got) in got.into_iter().enumerate() {
        let expected = if (4..8).contains(&t) {
            (100 + t as u64) | 1 << 32
        } else {
            0xdead
        };
        assert_eq!(got, expected);
    }
}

kernel!(votes, cx, data: Results<AtomicU32>, {
    let [mode, holds, mask, _] = data.parameters;
    let t = tid(cx);
    if mask >> t & 1 != 0 {
        let got = vgpu_vote(cx, 1, mask.into(), mode, holds >> t & 1) as u32;
        data.values[t as usize].store(got, Ordering::Relaxed);
    }
});

#[test]
fn votes_in_every_mode() {
    for mask in [FULL, 0x00ff_00f0, 1] {
        for holds in [0, FULL, 0x10, 0xffff_0000, mask] {
            let holding = holds & mask;
            let all = u32::from(holding == mask);
            let any = u32::from(holding != 0);
            let uni = u32::from(holding == mask || holding == 0);
            for (mode, expected) in [(0, all), (1, any), (2, uni), (3, holding)] {
                for (t, got) in run32(votes, 32, [mode, holds, mask, 0])
                    .into_iter()
                    .enumerate()
                {
                    let expected = if mask >> t & 1 != 0 { expected } else { 0xdead };
                    assert_eq!(got, expected, "mode {mode} mask {mask:#x} holds {holds:#x}");
                }
            }
        }
    }
}

kernel!(matches, cx, data: Results<AtomicU64>, {
    let [modulus, all, ..] = data.parameters;
    let t = tid(cx);
    let value = u64::from(t % modulus) << 40;
    let got = if all != 0 {
        vgpu_match_all(cx, 1, FULL.into(), value)
    } else {
        vgpu_match_any(cx, 1, FULL.into(), value)
    };
    data.values[t as usize].store(got, Ordering::Relaxed);
});

#[test]
fn match_any_and_all() {
    for (t, got) in run64(matches, 32, [4, 0, 0, 0]).into_iter().enumerate() {
        assert_eq!(got, 0x1111_1111 << (t % 4));
    }
    assert!(
        run64(matches, 32, [4, 1, 0, 0])
            .into_iter()
            .all(|got| got == 0)
    );
    assert!(
        run64(matches, 32, [1, 1, 0, 0])
            .into_iter()
            .all(|got| got == u64::from(FULL))
    );
}

kernel!(reductions, cx, data: Results<AtomicU32>, {
    let [op, mask, ..] = data.parameters;
    let t = tid(cx);
    if mask >> t & 1 != 0 {
        // Some values are negative, so that signed and unsigned operations differ.
        let value = (t.wrapping_mul(0x9e37_79b9)) ^ 0x8000_0001;
        let got = vgpu_redux(cx, 1, mask.into(), op, value);
        data.values[t as usize].store(got, Ordering::Relaxed);
    }
});

#[test]
fn reductions_in_every_operation() {
    for mask in [FULL, 0x8000_0101] {
        let values: Vec<u32> = (0..32_u32)
            .filter(|t| mask >> t & 1 != 0)
            .map(|t| t.wrapping_mul(0x9e37_79b9) ^ 0x8000_0001)
            .collect();
        let signed = || values.iter().map(|&value| value as i32);
        let expected = [
            values
                .iter()
                .fold(0_u32, |sum, value| sum.wrapping_add(*value)),
            *values.iter().min().unwrap(),
            *values.iter().max().unwrap(),
            signed().min().unwrap() as u32,
            signed().max().unwrap() as u32,
            values.iter().fold(FULL, |all, value| all & value),
            values.iter().fold(0, |all, value| all | value),
            values.iter().fold(0, |all, value| all ^ value),
        ];
        for (op, expected) in expected.into_iter().enumerate() {
            let got = run32(reductions, 32, [op as u32, mask, 0, 0]);
            assert!(
                got.iter()
                    .enumerate()
                    .all(|(t, &got)| mask >> t & 1 == 0 || got == expected),
                "{op}"
            );
        }
    }
}

kernel!(exits_then_votes, cx, data: Results<AtomicU32>, {
    let t = tid(cx);
    // Odd lanes end, some before and some after the others have arrived.
    if t % 2 == 1 {
        if t > 16 {
            vgpu_yield(cx, 0);
        }
        return;
    }
    let got = vgpu_vote(cx, 1, FULL.into(), 3, 1) as u32;
    vgpu_syncwarp(cx, 2, FULL.into());
    data.values[t as usize].store(got, Ordering::Relaxed);
});

#[test]
fn lanes_that_ended_count_as_arrived() {
    let got = run32(exits_then_votes, 32, [0; 4]);
    assert!(
        got.iter().step_by(2).all(|&ballot| ballot == 0x5555_5555),
        "{got:x?}"
    );
}

#[test]
fn lanes_that_never_were_count_as_arrived() {
    let got = run32(votes, 7, [3, FULL, FULL, 0]);
    assert_eq!(got, [0x7f; 7]);
}

kernel!(meets_elsewhere, cx, data: Results<AtomicU32>, {
    // Both halves of the warp name all lanes, from different places in the program.
    let t = tid(cx);
    let got = if t < 16 {
        vgpu_vote(cx, 1, FULL.into(), 3, 1) as u32
    } else {
        vgpu_vote(cx, 2, FULL.into(), 3, 0) as u32
    };
    data.values[t as usize].store(got, Ordering::Relaxed);
});

#[test]
fn an_operation_with_a_mask_may_be_met_from_different_places() {
    assert!(
        run32(meets_elsewhere, 32, [0; 4])
            .into_iter()
            .all(|got| got == 0xffff)
    );
}

kernel!(separate_masks, cx, data: Results<AtomicU32>, {
    // Two groups shuffle at the same time without waiting for each other.
    let t = tid(cx);
    let (mask, rounds) = if t.is_multiple_of(2) { (0x5555_5555u64, 3) } else { (0xaaaa_aaaa, 5) };
    let mut sum = 0;
    for _ in 0..rounds {
        sum += vgpu_redux(cx, 1, mask, 0, 1);
    }
    data.values[t as usize].store(sum, Ordering::Relaxed);
});

#[test]
fn groups_with_disjoint_masks_are_independent() {
    let got = run32(separate_masks, 32, [0; 4]);
    assert!(
        got.iter()
            .enumerate()
            .all(|(t, &sum)| sum == if t % 2 == 0 { 48 } else { 80 })
    );
}

kernel!(diverge_and_ask, cx, data: Results<AtomicU32>, {
    let t = tid(cx);
    let inner = if t < 10 {
        vgpu_activemask(cx, 1) as u32
    } else if t < 20 {
        // One lane reaches its branch late, but they form one group.
        if t.is_multiple_of(2) {
            vgpu_yield(cx, 0);
        }
        vgpu_activemask(cx, 2) as u32
    } else {
        0
    };
    // The branches join here: all lanes come to one site.
    let outer = vgpu_activemask(cx, 3) as u32;
    data.values[t as usize].store(inner ^ outer, Ordering::Relaxed);
});

#[test]
fn activemask_after_divergence() {
    let got = run32(diverge_and_ask, 32, [0; 4]);
    for (t, got) in got.into_iter().enumerate() {
        let inner = if t < 10 {
            0x3ff
        } else if t < 20 {
            0xf_fc00
        } else {
            0
        };
        assert_eq!(got ^ FULL, inner, "thread {t}");
    }
}

kernel!(loop_and_ask, cx, data: Results<AtomicU32>, {
    // Lane t makes t iterations. Lanes behind the loop wait for those still in it.
    let t = tid(cx);
    let mut seen = 0;
    for iteration in 0..t {
        let expected = FULL << (iteration + 1);
        seen |= vgpu_activemask(cx, 1) as u32 ^ expected;
    }
    let after = vgpu_activemask(cx, 2) as u32;
    data.values[t as usize].store(seen | (after ^ FULL), Ordering::Relaxed);
});

#[test]
fn activemask_in_a_loop_with_different_iteration_counts() {
    assert!(
        run32(loop_and_ask, 32, [0; 4])
            .into_iter()
            .all(|wrong| wrong == 0)
    );
}

kernel!(ask_while_others_wait, cx, data: Results<AtomicU32>, {
    // Half of the warp waits at a barrier that the other half reaches later.
    let t = tid(cx);
    if t >= 16 {
        let got = vgpu_activemask(cx, 1) as u32;
        data.values[t as usize].store(got, Ordering::Relaxed);
    }
    vgpu_barrier(cx, 2, 0, 0);
});

#[test]
fn activemask_while_others_wait_at_a_barrier() {
    let got = run32(ask_while_others_wait, 32, [0; 4]);
    assert!(got[16..].iter().all(|&mask| mask == 0xffff_0000));
}

kernel!(ask_inside_lock, cx, data: Results<AtomicU32>, {
    // Clang's critical sections ask for the active lanes while other lanes spin on the lock.
    let t = tid(cx);
    let lock = &data.values[32];
    while lock.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {
        vgpu_spin(cx, 0);
    }
    let mask = vgpu_activemask(cx, 1) as u32;
    data.values[t as usize].store(mask, Ordering::Relaxed);
    lock.store(0, Ordering::Release);
});

#[test]
fn activemask_does_not_wait_for_lanes_that_spin() {
    let data = results32(33, [0; 4]);
    data.values[32].store(0, Ordering::Relaxed);
    launch(ask_inside_lock, 1, 32, &data).unwrap();
    for (t, mask) in data.values[..32].iter().enumerate() {
        assert_eq!(mask.load(Ordering::Relaxed), 1 << t);
    }
}

kernel!(ask_while_others_synchronise, cx, data: Results<AtomicU32>, {
    // Two lanes synchronise until the third, which asks for the active lanes, tells them to stop.
    let flag = &data.values[3];
    let t = tid(cx);
    if t < 2 {
        while flag.load(Ordering::Relaxed) != 1 {
            vgpu_syncwarp(cx, 1, 3);
        }
    } else {
        data.values[2].store(vgpu_activemask(cx, 2) as u32, Ordering::Relaxed);
        flag.store(1, Ordering::Relaxed);
    }
});

#[test]
fn activemask_does_not_wait_for_ever() {
    let data = results32(4, [0; 4]);
    launch(ask_while_others_synchronise, 1, 3, &data).unwrap();
    assert_eq!(data.values[2].load(Ordering::Relaxed), 4);
}

kernel!(wrong_mask, cx, _data: u32, {
    vgpu_syncwarp(cx, 1, 0x0000_fffe);
});

#[test]
fn a_mask_without_the_caller_is_a_fault() {
    let raised = launch(wrong_mask, 1, 32, &0_u32).unwrap_err();
    assert_eq!(raised.thread, 0);
    assert!(
        matches!(&raised.cause, crate::fault::Cause::Misuse(what) if what.contains("lane 0") && what.contains("0x0000fffe"))
    );
}

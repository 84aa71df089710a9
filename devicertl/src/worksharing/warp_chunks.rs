//! Loops whose iterations any thread may execute, where a warp executes its whole loop before the next one begins
//! ([`arch::executes_warp_by_warp`]): each warp gets consecutive iterations.
//!
//! On a GPU neighbouring threads execute neighbouring iterations at once, so iterations go round all threads. A warp
//! that is alone would touch one line of memory then, and the next one a long way behind it: no page and no prefetched
//! line is used twice. So *chunks* are dealt instead, as many iterations as a warp has lanes:
//!
//! ```text
//! all threads 64, iterations 0…255      round all threads     in chunks
//! warp 0, lane l                        l, l+64, l+128…       l, l+32, l+64, l+96
//! warp 1, lane l                        l+32, l+96…           l+128, l+160, l+192, l+224
//! ```
//!
//! The last warps get one chunk more than the first if the chunks do not divide evenly.

use crate::arch;

/// The threads that share a loop, and the calling one.
#[derive(Clone, Copy, Debug)]
pub struct Threads {
    /// The thread's number among all.
    pub number: u64,
    /// Its number in its team.
    pub in_team: u32,
    /// How many there are in each team.
    pub team: u32,
    /// How many there are.
    pub all: u64,
}

/// One thread's part of a loop, in iteration numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The first iteration of the warp. The thread has none if its own lies behind the loop's last.
    pub begin: u64,
    /// How many later the thread's own is.
    pub lane: u32,
    /// How far it is to the next one.
    pub step: u64,
    /// How many iterations before the loop's end the part ends.
    pub behind: u64,
}

/// Loops of as many iterations go round all threads: the numbers here have 32 bits, and a thread adds a chunk to its
/// last iteration.
const TOO_LONG: u64 = (1 << 31) - 2 * 64;

/// The calling thread's part of a loop of `count` iterations. Lanes get consecutive numbers in any case, beyond the
/// loop's end, too: compilers make vectors of them.
#[inline(always)]
pub fn deal(threads: Threads, count: u64) -> Part {
    let lanes = arch::warp_size();
    let lane = threads.in_team % lanes;
    let warp_begin = threads.number - u64::from(lane);
    let several = threads.all < count && count < TOO_LONG;
    let (begin, step, behind) = if several && threads.team.is_multiple_of(lanes) {
        in_chunks(warp_begin, threads.all, lanes, count as u32)
    } else {
        (warp_begin.min(count), threads.all, 0)
    };
    Part {
        begin,
        lane,
        step,
        behind,
    }
}

/// The first iteration of member `id` of those that share a loop of `count`, one after another: that of the warp, and
/// how many later the lane's is. There is none if it lies behind the loop's last, which it does by less than a warp.
/// Lanes get consecutive numbers in any case, as of [`deal`].
#[inline(always)]
pub fn one_each(id: u32, count: u64) -> (u64, u32) {
    let lane = id % arch::warp_size();
    (u64::from(id - lane).min(count), lane)
}

/// What [`deal`] says for the warp's first lane, in chunks.
#[inline(always)]
fn in_chunks(warp_begin: u64, all: u64, lanes: u32, count: u32) -> (u64, u64, u64) {
    let chunks = count.div_ceil(lanes);
    let warps = all as u32 / lanes;
    let warp = warp_begin as u32 / lanes;
    // At least one: there are more iterations than threads.
    let each = chunks / warps;
    let larger = chunks - each * warps;
    let extra = (warp + larger).saturating_sub(warps);
    let begin = warp * each + extra;
    let length = each + u32::from(warp + larger >= warps);
    let end = ((begin + length) * lanes).min(count);
    (
        u64::from(begin * lanes),
        u64::from(lanes),
        u64::from(count - end),
    )
}

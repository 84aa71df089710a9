//! Lists which threads wait where when a block cannot make progress.

use crate::barrier::Expected;
use crate::block::Block;
use crate::fault::{Cause, FaultLocation, Raised, WaitingGroup};
use crate::warp::lanes;

/// The fault of a block in which every thread waits. For another cause, threads may also spin.
pub fn report(block: &Block, cause: Cause) -> Raised {
    let mut waiting = at_barriers(block);
    let thread = |warp: usize, lane: usize| (warp * block.warp_size() as usize + lane) as u16;
    for (warp, state) in block.warps().iter().enumerate() {
        for group in state.groups() {
            let at = format!("{} mask {:#010x}", group.op.mnemonic(), group.mask);
            for lane in lanes(group.arrived) {
                add(&mut waiting, &at, thread(warp, lane), state.site(lane));
            }
        }
        for lane in lanes(state.converging) {
            let at = state.converging_op(lane).mnemonic();
            add(&mut waiting, at, thread(warp, lane), state.site(lane));
        }
    }
    for waiter in block.yielding() {
        for thread in block.yielding_with(waiter) {
            add(&mut waiting, "a wait on memory", thread, block.site(waiter));
        }
    }
    for group in &mut waiting {
        group.threads.sort_unstable();
    }
    waiting.sort_by_key(|group| group.threads[0]);
    let first = waiting.first();
    let thread = first.map_or(0, |group| group.threads[0]);
    let place = first.map_or(FaultLocation::Unknown, |group| {
        FaultLocation::Site(group.site)
    });
    Raised {
        thread,
        thread_count: 1,
        cause,
        place,
        waiting,
    }
}

/// Ascending numbers as ranges: `0-31, 40`.
pub fn ranges(threads: &[u16]) -> String {
    let runs = threads.chunk_by(|a, b| *b == a + 1);
    let texts = runs.map(|run| match run {
        [one] => one.to_string(),
        _ => format!("{}-{}", run[0], run[run.len() - 1]),
    });
    texts.collect::<Vec<_>>().join(", ")
}

fn at_barriers(block: &Block) -> Vec<WaitingGroup> {
    let mut waiting = Vec::new();
    for (id, barrier) in block.barriers().iter().enumerate() {
        let expected = match barrier.expected() {
            Some(Expected::Block) => block.threads(),
            Some(Expected::Threads(count)) => count,
            None => continue,
        };
        let at = format!("barrier {id} ({} of {expected} arrived)", barrier.arrived());
        for &waiter in barrier.waiters() {
            for thread in block.waiting(id, waiter) {
                add(&mut waiting, &at, thread, block.site(waiter));
            }
        }
    }
    waiting
}

fn add(waiting: &mut Vec<WaitingGroup>, at: &str, thread: u16, site: u32) {
    match waiting
        .iter_mut()
        .find(|group| group.at == at && group.site == site)
    {
        Some(group) => group.threads.push(thread),
        None => waiting.push(WaitingGroup {
            at: at.to_owned(),
            threads: vec![thread],
            site,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_as_ranges() {
        assert_eq!(ranges(&[]), "");
        assert_eq!(ranges(&[7]), "7");
        assert_eq!(ranges(&[0, 1, 2, 40, 42, 43]), "0-2, 40, 42-43");
    }
}

//! The order in which blocks, warps and threads run: `OMPTARGET_VGPU_SCHEDULE`.
//!
//! A GPU promises no order. The usual one here is always the same, so a program that is wrong without a barrier may
//! always be right. A random order is another one for each seed, and the same one whenever the seed is.

use fastrand::Rng;

/// What the user asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Blocks and threads start by their numbers, and continue in the order in which their waits ended.
    InOrder,
    /// Any order, by this seed.
    Random(u64),
}

impl Schedule {
    /// `in-order` or `random:SEED`.
    pub fn named(text: &str) -> Option<Schedule> {
        match text.split_once(':') {
            None if text == "in-order" => Some(Schedule::InOrder),
            Some(("random", seed)) => seed.parse().ok().map(Schedule::Random),
            _ => None,
        }
    }

    /// The order of the launch with this number.
    pub fn of_launch(self, number: u64) -> LaunchOrder {
        LaunchOrder(match self {
            Schedule::InOrder => None,
            Schedule::Random(seed) => Some(mixed(seed, number)),
        })
    }
}

/// The order of one launch, and its seed if it is random.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchOrder(Option<u64>);

impl LaunchOrder {
    /// By number.
    pub const IN_ORDER: LaunchOrder = LaunchOrder(None);

    /// Whether it is random.
    pub fn is_random(self) -> bool {
        self.0.is_some()
    }

    /// The linear index of the block that runs as number `place` of `count` blocks.
    pub fn block(self, place: u64, count: u64) -> u64 {
        let Some(seed) = self.0 else {
            return place;
        };
        let mut rng = Rng::with_seed(seed);
        let begin = rng.u64(..count);
        // With a step that has no divisor in common with the count, every block is met.
        let step = std::iter::repeat_with(|| rng.u64(..count))
            .find(|&step| greatest_common_divisor(step, count) == 1)
            .unwrap_or(1);
        ((u128::from(place) * u128::from(step) + u128::from(begin)) % u128::from(count)) as u64
    }

    /// The random numbers for a block's threads, if their order is random.
    pub fn of_block(self, block: [u32; 3]) -> Option<Rng> {
        let [x, y, z] = block.map(u64::from);
        let number = mixed(mixed(x, y), z);
        self.0.map(|seed| Rng::with_seed(mixed(seed, number)))
    }
}

/// A number that depends on both (the finaliser of SplitMix64: Steele, Lea and Flood, "Fast Splittable Pseudorandom
/// Number Generators", OOPSLA 2014).
fn mixed(a: u64, b: u64) -> u64 {
    let mut z = a ^ b.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        _ => greatest_common_divisor(b, a % b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        assert_eq!(Schedule::named("in-order"), Some(Schedule::InOrder));
        assert_eq!(Schedule::named("random:7"), Some(Schedule::Random(7)));
        for wrong in ["", "random", "random:", "random:-1", "in-order:1", "dice:1"] {
            assert_eq!(Schedule::named(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn every_block_runs_once() {
        for count in [1, 2, 3, 12, 64, 97, 1000] {
            for seed in 0..5 {
                let order = Schedule::Random(seed).of_launch(3);
                let mut blocks: Vec<_> = (0..count).map(|it| order.block(it, count)).collect();
                blocks.sort_unstable();
                assert_eq!(blocks, (0..count).collect::<Vec<_>>());
            }
        }
        assert_eq!(LaunchOrder::IN_ORDER.block(5, 9), 5);
    }

    #[test]
    fn seeds_and_launches_differ() {
        let order = |seed, launch| {
            let order = Schedule::Random(seed).of_launch(launch);
            (0..100).map(|it| order.block(it, 100)).collect::<Vec<_>>()
        };
        assert_eq!(order(1, 1), order(1, 1));
        assert_ne!(order(1, 1), order(2, 1));
        assert_ne!(order(1, 1), order(1, 2));
    }
}

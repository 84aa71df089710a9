//! Benchmark of the mapping table's ordered map: `SortedBlocks` next to the standard library's `BTreeMap`.
//!
//! `cargo bench -p host-api --bench sorted_blocks` prints nanoseconds per operation. Each figure is the minimum of many
//! short rounds, so other work on the machine counts little. docs/measurements.md has the figures.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

#[path = "../src/mapping/sorted_blocks.rs"]
#[allow(dead_code, reason = "the table uses all of it")]
mod sorted_blocks;

use sorted_blocks::SortedBlocks;

/// Bytes from one range to the next, and mapped bytes of them.
const STRIDE: u64 = 4096;
const MAPPED: u64 = 4000;
const FIRST: u64 = 0x7f00_0000_0000;
/// Operations per round, and rounds.
const OPERATIONS: usize = 10_000;
const ROUNDS: usize = 300;

/// Like the mapping table's slots: a pointer and three counts.
struct Slot {
    mapping: Arc<u64>,
    dynamic: u32,
    _hold: u32,
    _pins: u32,
}

/// The operations of the mapping table on its map.
trait Ranges: Default {
    /// Adds a range.
    fn insert(&mut self, range: Range<u64>, slot: Slot);
    /// Removes the range that begins at `key`.
    fn remove(&mut self, key: u64) -> Option<Slot>;
    /// The slot of the range that contains `address`.
    fn find(&mut self, address: u64) -> Option<&mut Slot>;
    /// Begin of the first range after `address`, if no range contains that.
    fn next_after(&self, address: u64) -> Option<u64>;
}

impl Ranges for SortedBlocks<Slot> {
    fn insert(&mut self, range: Range<u64>, slot: Slot) {
        SortedBlocks::insert(self, range, slot);
    }

    fn remove(&mut self, key: u64) -> Option<Slot> {
        let position = self.position(key)?;
        Some(SortedBlocks::remove(self, position))
    }

    fn find(&mut self, address: u64) -> Option<&mut Slot> {
        let position = self.last_at_most(address)?;
        (address < self.end(position)).then(|| self.value_mut(position))
    }

    fn next_after(&self, address: u64) -> Option<u64> {
        let before = self.last_at_most(address);
        if before.is_some_and(|position| address < self.end(position)) {
            return None;
        }
        let next = self.next(before)?;
        Some(*self.value(next).mapping)
    }
}

impl Ranges for BTreeMap<u64, (u64, Slot)> {
    fn insert(&mut self, range: Range<u64>, slot: Slot) {
        BTreeMap::insert(self, range.start, (range.end, slot));
    }

    fn remove(&mut self, key: u64) -> Option<Slot> {
        BTreeMap::remove(self, &key).map(|(_, slot)| slot)
    }

    fn find(&mut self, address: u64) -> Option<&mut Slot> {
        let (_, (end, slot)) = self.range_mut(..=address).next_back()?;
        (address < *end).then_some(slot)
    }

    fn next_after(&self, address: u64) -> Option<u64> {
        let before = self.range(..=address).next_back();
        if before.is_some_and(|(_, (end, _))| address < *end) {
            return None;
        }
        let (_, (_, slot)) = self.range(address + 1..).next()?;
        Some(*slot.mapping)
    }
}

/// Pseudo-random numbers, the same in every run (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) % limit
    }
}

fn slot(begin: u64) -> Slot {
    Slot {
        mapping: Arc::new(begin),
        dynamic: 1,
        _hold: 0,
        _pins: 0,
    }
}

fn filled<M: Ranges>(count: u64) -> M {
    let mut map = M::default();
    for index in 0..count {
        let begin = FIRST + index * STRIDE;
        map.insert(begin..begin + MAPPED, slot(begin));
    }
    map
}

/// Nanoseconds per operation, the minimum of the rounds.
fn least(mut round: impl FnMut()) -> f64 {
    let times = (0..ROUNDS).map(|_| {
        let begin = Instant::now();
        round();
        begin.elapsed().as_nanos() as f64 / OPERATIONS as f64
    });
    times.fold(f64::INFINITY, f64::min)
}

/// The figures of one kind of map with `count` ranges: find a random address; find the same address three times in a
/// row, as a construct does; find out that an address is not mapped; remove and insert a random range.
fn measure<M: Ranges>(count: u64) -> [f64; 4] {
    let mut map: M = filled(count);
    let mut random = Random(1);
    let find = least(|| {
        for _ in 0..OPERATIONS {
            let address = FIRST + random.below(count) * STRIDE + 8;
            let slot = black_box(&mut map).find(address).expect("mapped");
            slot.dynamic = slot.dynamic.wrapping_add(1);
        }
    });
    let again = least(|| {
        for _ in 0..OPERATIONS {
            let address = FIRST + random.below(count) * STRIDE + 8;
            for _ in 0..3 {
                let slot = black_box(&mut map).find(black_box(address));
                let slot = slot.expect("mapped");
                slot.dynamic = slot.dynamic.wrapping_add(1);
            }
        }
    });
    let absent = least(|| {
        for _ in 0..OPERATIONS {
            let address = FIRST + random.below(count - 1) * STRIDE + MAPPED;
            black_box(black_box(&map).next_after(address)).expect("one follows");
        }
    });
    let change = least(|| {
        for _ in 0..OPERATIONS {
            let begin = FIRST + random.below(count) * STRIDE;
            let slot = map.remove(begin).expect("mapped");
            map.insert(begin..begin + MAPPED, slot);
        }
    });
    [find, again, absent, change]
}

fn main() {
    let titles = ["find", "find, 3 times", "absent", "unmap and map"];
    println!(
        "{:>8}  {:<14}{:>14}{:>10}",
        "ranges", "ns each", "SortedBlocks", "BTreeMap"
    );
    for count in [10, 100, 1000, 10_000, 100_000] {
        let blocks = measure::<SortedBlocks<Slot>>(count);
        let tree = measure::<BTreeMap<u64, (u64, Slot)>>(count);
        for ((title, blocks), tree) in titles.iter().zip(blocks).zip(tree) {
            println!("{count:>8}  {title:<14}{blocks:>14.1}{tree:>10.1}");
        }
    }
}

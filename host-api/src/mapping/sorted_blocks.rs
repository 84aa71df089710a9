//! An ordered map from disjoint ranges of addresses to values, in blocks of sorted arrays: a B-tree with two levels.
//!
//! The most frequent operation of the mapping table is to find the last range that begins at or below an address, among
//! up to hundreds of thousands. This map does two binary searches in arrays of addresses; the first array stays in the
//! L1 cache. A general B-tree follows five or six pointers, most of them to memory in no cache. With 100 000 ranges
//! look-ups in a `BTreeMap` take about three times as long (docs/measurements.md, "The mapping table's ordered map";
//! benches/sorted_blocks.rs). An insertion moves at most half a block.

use std::cell::Cell;
use std::ops::Range;

/// Capacity of a block. Its keys fill eight cache lines, of which a search touches three. With a million entries, the
/// first keys of all blocks still fit into the L2 cache.
const CAPACITY: usize = 64;

#[derive(Debug)]
struct Block<V> {
    keys: Vec<u64>,
    /// Ends of the ranges. They have an array of their own, so that a look-up does not load values into the cache.
    ends: Vec<u64>,
    values: Vec<V>,
}

/// The map.
#[derive(Debug)]
pub struct SortedBlocks<V> {
    /// First key of each block.
    firsts: Vec<u64>,
    /// The blocks, none of them empty, with ascending keys.
    blocks: Vec<Block<V>>,
    /// The result of the last look-up. A construct looks up the same addresses several times.
    recent: Cell<Position>,
}

/// Where an entry is; valid until the map changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    block: usize,
    index: usize,
}

impl Position {
    /// The first entry, if there is one.
    const FIRST: Position = Position { block: 0, index: 0 };

    /// The place behind it in its block.
    fn behind(self) -> Position {
        let index = self.index + 1;
        Position { index, ..self }
    }
}

impl<V> Default for SortedBlocks<V> {
    fn default() -> Self {
        SortedBlocks {
            firsts: Vec::new(),
            blocks: Vec::new(),
            recent: Cell::new(Position::FIRST),
        }
    }
}

impl<V> SortedBlocks<V> {
    /// The last entry whose key is at most `key`.
    pub fn last_at_most(&self, key: u64) -> Option<Position> {
        let block = self.block_of(key)?;
        let keys = &self.blocks[block].keys;
        let recent = self.recent.get();
        let begins = |index: usize| keys.get(index).is_some_and(|first| *first <= key);
        if block == recent.block && begins(recent.index) && !begins(recent.index + 1) {
            return Some(recent);
        }
        let index = keys.partition_point(|other| *other <= key) - 1;
        let found = Position { block, index };
        self.recent.set(found);
        Some(found)
    }

    /// The last block that begins with at most `key`.
    fn block_of(&self, key: u64) -> Option<usize> {
        let recent = self.recent.get().block;
        let begins = |block: usize| self.firsts.get(block).is_some_and(|first| *first <= key);
        if begins(recent) && !begins(recent + 1) {
            return Some(recent);
        }
        let firsts = self.firsts.partition_point(|first| *first <= key);
        firsts.checked_sub(1)
    }

    /// The entry after `position`; the first one after `None`.
    pub fn next(&self, position: Option<Position>) -> Option<Position> {
        let next = match position {
            None => Position::FIRST,
            Some(Position { block, index }) if index + 1 < self.blocks[block].keys.len() => {
                Position {
                    block,
                    index: index + 1,
                }
            }
            Some(Position { block, .. }) => Position {
                block: block + 1,
                index: 0,
            },
        };
        (next.block < self.blocks.len()).then_some(next)
    }

    /// The entry with exactly this key.
    pub fn position(&self, key: u64) -> Option<Position> {
        self.last_at_most(key)
            .filter(|position| self.blocks[position.block].keys[position.index] == key)
    }

    /// Where the range at a position ends.
    pub fn end(&self, position: Position) -> u64 {
        self.blocks[position.block].ends[position.index]
    }

    /// The value at a position.
    pub fn value(&self, position: Position) -> &V {
        &self.blocks[position.block].values[position.index]
    }

    /// The value at a position, to change it.
    pub fn value_mut(&mut self, position: Position) -> &mut V {
        &mut self.blocks[position.block].values[position.index]
    }

    /// Every value, by key.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.blocks.iter().flat_map(|block| &block.values)
    }

    /// Adds an entry. The key must not be there yet.
    pub fn insert(&mut self, Range { start: key, end }: Range<u64>, value: V) {
        let Some(last) = self.blocks.len().checked_sub(1) else {
            self.push_block(key, end, value);
            return;
        };
        let before = self.last_at_most(key);
        let Position { block, index } = before.map_or(Position::FIRST, Position::behind);
        if self.blocks[block].keys.len() < CAPACITY {
            self.insert_at(Position { block, index }, key, end, value);
        } else if block == last && index == CAPACITY {
            // Programs often map ascending addresses, so full blocks stay full.
            self.push_block(key, end, value);
        } else {
            self.split(block);
            let position = match index.checked_sub(CAPACITY / 2) {
                None | Some(0) => Position { block, index },
                Some(index) => Position {
                    block: block + 1,
                    index,
                },
            };
            self.insert_at(position, key, end, value);
        }
    }

    /// Takes an entry out.
    pub fn remove(&mut self, position: Position) -> V {
        let Position { block, index } = position;
        let part = &mut self.blocks[block];
        part.keys.remove(index);
        part.ends.remove(index);
        let value = part.values.remove(index);
        if part.keys.is_empty() {
            self.blocks.remove(block);
            self.firsts.remove(block);
        } else {
            self.firsts[block] = part.keys[0];
            self.join(block);
            if block > 0 {
                self.join(block - 1);
            }
        }
        value
    }

    fn insert_at(&mut self, Position { block, index }: Position, key: u64, end: u64, value: V) {
        let part = &mut self.blocks[block];
        part.keys.insert(index, key);
        part.ends.insert(index, end);
        part.values.insert(index, value);
        self.firsts[block] = part.keys[0];
    }

    fn push_block(&mut self, key: u64, end: u64, value: V) {
        self.firsts.push(key);
        self.blocks.push(Block {
            keys: vec![key],
            ends: vec![end],
            values: vec![value],
        });
    }

    /// Moves the upper half of a full block to a new one after it.
    fn split(&mut self, block: usize) {
        let part = &mut self.blocks[block];
        let upper = Block {
            keys: part.keys.split_off(CAPACITY / 2),
            ends: part.ends.split_off(CAPACITY / 2),
            values: part.values.split_off(CAPACITY / 2),
        };
        self.firsts.insert(block + 1, upper.keys[0]);
        self.blocks.insert(block + 1, upper);
    }

    /// Joins a block with the next one if both together are small, so that removals leave no trail of tiny blocks.
    fn join(&mut self, block: usize) {
        let length = |block: usize| self.blocks.get(block).map(|part| part.keys.len());
        let (Some(here), Some(next)) = (length(block), length(block + 1)) else {
            return;
        };
        if here + next > CAPACITY / 2 {
            return;
        }
        let mut next = self.blocks.remove(block + 1);
        self.firsts.remove(block + 1);
        self.blocks[block].keys.append(&mut next.keys);
        self.blocks[block].ends.append(&mut next.ends);
        self.blocks[block].values.append(&mut next.values);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    impl<V> SortedBlocks<V> {
        fn check(&self) {
            assert_eq!(self.firsts.len(), self.blocks.len());
            for (first, block) in self.firsts.iter().zip(&self.blocks) {
                assert_eq!(Some(first), block.keys.first());
                assert_eq!(block.keys.len(), block.values.len());
                assert_eq!(block.keys.len(), block.ends.len());
                assert!(block.keys.len() <= CAPACITY);
            }
            let keys: Vec<u64> = self
                .blocks
                .iter()
                .flat_map(|block| block.keys.clone())
                .collect();
            assert!(keys.is_sorted_by(|a, b| a < b));
        }
    }

    fn same(map: &SortedBlocks<u64>, model: &BTreeMap<u64, u64>) {
        map.check();
        assert!(map.values().eq(model.values()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Compares with the standard library's map: insert where absent, remove where present.
        #[test]
        fn behaves_like_an_ordered_map(steps in proptest::collection::vec((0u64..1024, 0u8..3), 0..2000)) {
            let (mut map, mut model) = (SortedBlocks::default(), BTreeMap::new());
            for (key, what) in steps {
                let position = map.position(key);
                prop_assert_eq!(position.map(|position| *map.value(position)), model.get(&key).copied());
                match position {
                    None if what < 2 => {
                        map.insert(key..key + 1, key * 7);
                        model.insert(key, key * 7);
                    }
                    Some(position) if what > 0 => {
                        prop_assert_eq!(Some(map.remove(position)), model.remove(&key));
                    }
                    _ => {}
                }
                let before = map.last_at_most(key);
                if let Some(before) = before {
                    prop_assert_eq!(map.end(before), map.value(before) / 7 + 1);
                }
                let expected = model.range(..=key).next_back().map(|(_, value)| *value);
                prop_assert_eq!(before.map(|position| *map.value(position)), expected);
                let after = map.next(before).map(|position| *map.value(position));
                prop_assert_eq!(after, model.range(key + 1..).next().map(|(_, value)| *value));
            }
            same(&map, &model);
        }
    }

    #[test]
    fn ascending_keys_fill_blocks_and_deleting_empties_them() {
        let mut map = SortedBlocks::default();
        let count = 10 * CAPACITY as u64;
        (0..count).for_each(|key| map.insert(key..key + 1, ()));
        assert_eq!(map.blocks.len(), 10);
        for key in (0..count).filter(|key| key % 100 != 0) {
            let position = map.position(key).unwrap();
            map.remove(position);
        }
        map.check();
        assert!(map.blocks.len() <= 1);
        for key in (0..count).step_by(100) {
            *map.value_mut(map.position(key).unwrap()) = ();
            map.remove(map.position(key).unwrap());
        }
        assert!(map.blocks.is_empty() && map.next(None).is_none());
    }
}

//! What the program has allocated, by address: it says of an address which kind of memory is there.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use plugin_api::MemoryKind;

/// A block of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Its first address.
    pub begin: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Where it is.
    pub kind: MemoryKind,
    /// The number of its device.
    pub device: usize,
    /// The number of the context that it goes with.
    pub context: u64,
}

/// Every allocation of the process.
#[derive(Default)]
pub struct Allocations(Mutex<BTreeMap<u64, Allocation>>);

impl Allocations {
    /// Adds one.
    pub fn add(&self, allocation: Allocation) {
        self.0.lock().insert(allocation.begin, allocation);
    }

    /// Adds one unless its address is known: what is known of it may say more.
    pub fn add_unknown(&self, allocation: Allocation) {
        let mut table = self.0.lock();
        table.entry(allocation.begin).or_insert(allocation);
    }

    /// The one that begins at this address, which leaves the table if `wanted` says so.
    pub fn remove(
        &self,
        begin: u64,
        wanted: impl FnOnce(&Allocation) -> bool,
    ) -> Option<Allocation> {
        let mut table = self.0.lock();
        let found = table.get(&begin).copied().filter(|found| wanted(found))?;
        table.remove(&begin);
        Some(found)
    }

    /// The one that has this address in it.
    pub fn find(&self, address: u64) -> Option<Allocation> {
        let table = self.0.lock();
        let (_, found) = table.range(..=address).next_back()?;
        (address - found.begin < found.size).then_some(*found)
    }

    /// Whether one has an address between these two, which count.
    pub fn overlaps(&self, first: u64, last: u64) -> bool {
        let table = self.0.lock();
        let nearest = table.range(..=last).next_back();
        nearest.is_some_and(|(_, found)| found.begin + (found.size - 1) >= first)
    }

    /// Those of a context, which leave the table.
    pub fn take_of(&self, context: u64) -> Vec<Allocation> {
        let mut table = self.0.lock();
        let all = table.values();
        let taken: Vec<_> = all.filter(|one| one.context == context).copied().collect();
        table.retain(|_, one| one.context != context);
        taken
    }

    /// Bytes allocated in the memory of a device.
    pub fn bytes_of(&self, device: usize) -> u64 {
        let table = self.0.lock();
        let all = table.values().filter(|one| one.device == device);
        all.map(|one| one.size).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_in_their_blocks() {
        let allocations = Allocations::default();
        let block = |begin, size, device| Allocation {
            begin,
            size,
            kind: MemoryKind::Device,
            device,
            context: device as u64,
        };
        allocations.add(block(256, 100, 0));
        allocations.add(block(512, 8, 1));
        assert_eq!(allocations.find(355), Some(block(256, 100, 0)));
        assert_eq!(allocations.find(356), None);
        assert_eq!(allocations.find(255), None);
        assert!(allocations.overlaps(0, 256) && allocations.overlaps(355, 400));
        assert!(!allocations.overlaps(356, 511));
        assert_eq!(allocations.bytes_of(0), 100);
        assert_eq!(allocations.remove(300, |_| true), None);
        assert_eq!(allocations.remove(256, |_| false), None);
        assert_eq!(allocations.remove(256, |_| true), Some(block(256, 100, 0)));
        assert_eq!(allocations.take_of(1), [block(512, 8, 1)]);
        assert_eq!(allocations.find(512), None);
    }
}

//! Memory of graphs: a node that allocates has the same address in every launch, so the memory is there from the start.

use std::collections::BTreeMap;

use parking_lot::Mutex;

/// Memory that is given back when the last graph that has it is gone.
pub struct GraphMemory(Option<Box<dyn FnOnce() + Send + Sync>>);

impl GraphMemory {
    /// Memory that `release` gives back.
    pub fn new(release: impl FnOnce() + Send + Sync + 'static) -> GraphMemory {
        GraphMemory(Some(Box::new(release)))
    }
}

impl Drop for GraphMemory {
    fn drop(&mut self) {
        if let Some(release) = self.0.take() {
            release();
        }
    }
}

/// Which memory belongs to graphs.
#[derive(Default)]
pub struct GraphMemories(Mutex<Table>);

#[derive(Default)]
struct Table {
    /// Device and size, by address.
    blocks: BTreeMap<u64, (usize, u64)>,
    /// Most bytes of each device at a time.
    highest: BTreeMap<usize, u64>,
}

impl Table {
    fn bytes(&self, device: usize) -> u64 {
        let blocks = self.blocks.values().filter(|(owner, _)| *owner == device);
        blocks.map(|(_, size)| size).sum()
    }
}

impl GraphMemories {
    /// Adds a block.
    pub fn add(&self, address: u64, device: usize, size: u64) {
        let mut table = self.0.lock();
        table.blocks.insert(address, (device, size));
        let bytes = table.bytes(device);
        let highest = table.highest.entry(device).or_default();
        *highest = bytes.max(*highest);
    }

    /// Removes a block.
    pub fn remove(&self, address: u64) {
        self.0.lock().blocks.remove(&address);
    }

    /// Whether a block begins here.
    pub fn has(&self, address: u64) -> bool {
        self.0.lock().blocks.contains_key(&address)
    }

    /// Bytes of a device: now, and at most.
    pub fn of(&self, device: usize) -> (u64, u64) {
        let table = self.0.lock();
        let highest = table.highest.get(&device).copied();
        (table.bytes(device), highest.unwrap_or_default())
    }
}

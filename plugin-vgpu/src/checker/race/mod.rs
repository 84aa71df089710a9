//! Races: accesses to the same memory, one of them a write, by threads that nothing orders.
//!
//! What orders two accesses: barriers and `syncwarp` (`block_clock`), atomic operations that acquire what others have
//! released, with fences or by themselves (`releases`), and the end of a kernel before another one begins. Two atomic
//! operations do not race. The memory model is that of C11 as PTX has it (PTX ISA, "Memory Consistency Model"); the
//! treatment of fences follows ThreadSanitizer's.
//!
//! There is one multiprocessor while races are looked for, so accesses come one after the other.

mod block_clock;
mod cells;
mod order;
mod releases;
mod thread_set;

use vgpu_abi::AccessKind;

use super::launch::Access;
use cells::Cells;
pub use cells::Past;
pub use order::{Meeting, Order};
pub use thread_set::ThreadSet;

/// A past access that nothing orders with the present one.
#[derive(Clone, Copy, Debug)]
pub struct Conflict {
    /// The access.
    pub past: Past,
    /// Whether it was a write.
    pub write: bool,
    /// Number of its launch.
    pub launch: u32,
    /// Its block, by its index in the launch.
    pub block: u64,
    /// Its thread.
    pub thread: u16,
}

/// The accesses of a device's kernels, and their order.
pub struct Races {
    cells: Cells,
    /// What orders them.
    pub order: Order,
}

impl Races {
    /// Nothing has happened yet.
    pub fn new() -> Races {
        Races {
            cells: Cells::default(),
            order: Order::new(),
        }
    }

    /// Memory has another owner: past accesses to it do not matter.
    pub fn forget(&mut self, start: u64, len: u64) {
        self.cells.forget(start, len);
    }

    /// An access of a thread of the present block. Gives a past access that it races with.
    pub fn access(&mut self, thread: u16, access: &Access) -> Option<Conflict> {
        let &Access {
            site,
            kind,
            size,
            address,
            value,
        } = access;
        let Races { cells, order } = self;
        let atomic = kind.has(AccessKind::ATOMIC);
        let shared = !kind.has(AccessKind::ORDER);
        if atomic {
            order.acquire_at(thread, kind, address);
        }
        let mut found = None;
        if shared && !order.is_exhausted() {
            let now = order.now(thread);
            let value = kind.has(AccessKind::VALUE).then_some(value);
            let past = Past::new(now, site, atomic).writing(value);
            cells.each(address, size, |cell| {
                if found.is_none() {
                    found = order.conflict(now, past, kind, cell);
                }
                match kind.has(AccessKind::WRITE) {
                    true => cell.written(past),
                    false => cell.read(past),
                }
            });
        }
        if atomic && kind.has(AccessKind::WRITE) {
            order.release_at(thread, kind, address);
        }
        found
    }
}

#[cfg(test)]
mod tests;

//! Memory: allocations from pools, variables of executables, and host memory that was locked. All of it but the last
//! lies in the virtual GPUs' address window, which host and agents can access. Which agents *may* is kept here.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use plugin_api::{Device as _, DevicePtr, Error, MemoryKind};

use crate::agent;
use crate::call::{refuse, tell};
use crate::pool::{GRANULE, Pool};
use crate::status::{Failure, Outcome};

/// How memory came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `hsa_amd_memory_pool_allocate`
    Pool,
    /// `hsa_amd_memory_lock`
    Locked,
    /// A variable of a loaded code object.
    Variable,
}

/// A block of memory.
#[derive(Clone, Debug)]
pub struct Block {
    /// Its first address.
    pub start: u64,
    /// Bytes.
    pub size: u64,
    /// How it came to be.
    pub kind: Kind,
    /// The agent that it belongs to.
    pub owner: usize,
    /// The flags of its pool.
    pub flags: u32,
    /// The agents that may access it.
    pub access: BTreeSet<usize>,
    /// The virtual GPU's own block.
    allocated: DevicePtr,
    /// Copies and kernels that use it now have a clone.
    uses: Arc<()>,
}

impl Block {
    fn is_in_use(&self) -> bool {
        Arc::strong_count(&self.uses) > 1
    }
}

/// The blocks.
#[derive(Default)]
pub struct Memory {
    blocks: BTreeMap<u64, Block>,
    locked: Vec<Block>,
}

/// All memory.
pub fn memory() -> MutexGuard<'static, Memory> {
    static MEMORY: Mutex<Memory> = Mutex::new(Memory {
        blocks: BTreeMap::new(),
        locked: Vec::new(),
    });
    MEMORY.lock()
}

/// A use of a block by something that runs. Meanwhile it must not be freed.
pub struct InUse(#[expect(dead_code, reason = "it counts by existing")] Arc<()>);

impl Memory {
    /// Allocates from a pool. Only its agent has access.
    pub fn allocate(&mut self, pool: &Pool, size: u64) -> Outcome<u64> {
        let size = size.next_multiple_of(GRANULE);
        let machine = agent::all()?[pool.owner].1.machine()?;
        let allocated = machine.alloc(size + GRANULE, MemoryKind::Device);
        let allocated = allocated.map_err(|error| match error {
            Error::OutOfMemory { .. } => Failure::ERROR_OUT_OF_RESOURCES,
            other => refuse(Failure::ERROR, &other.to_string()),
        })?;
        let start = allocated.0.next_multiple_of(GRANULE);
        let block = Block {
            start,
            size,
            kind: Kind::Pool,
            owner: pool.owner,
            flags: pool.flags,
            access: BTreeSet::from([pool.owner]),
            allocated,
            uses: Arc::default(),
        };
        self.blocks.insert(start, block);
        Ok(start)
    }

    /// Frees what [`Memory::allocate`] gave.
    pub fn free(&mut self, address: u64) -> Outcome {
        let block = self.blocks.get(&address);
        let Some(block) = block.filter(|block| block.kind == Kind::Pool) else {
            let what = format!("{address:#x} is freed, which is not allocated (freed twice?)");
            return Err(refuse(Failure::ERROR_INVALID_ALLOCATION, &what));
        };
        if block.is_in_use() {
            let what = format!("{address:#x} is freed while a copy or kernel uses it");
            return Err(refuse(Failure::ERROR_INVALID_ALLOCATION, &what));
        }
        let (owner, allocated) = (block.owner, block.allocated);
        self.blocks.remove(&address);
        let machine = agent::all()?[owner].1.machine()?;
        machine.free(allocated).map_err(|error| {
            tell(&error.to_string());
            Failure::ERROR_RESOURCE_FREE
        })
    }

    /// Locks host memory for these agents. They use its own address.
    pub fn lock(&mut self, start: u64, size: u64, access: BTreeSet<usize>) {
        self.locked.push(Block {
            start,
            size,
            kind: Kind::Locked,
            owner: 0,
            flags: 0,
            access,
            allocated: DevicePtr::NULL,
            uses: Arc::default(),
        });
    }

    /// Undoes one [`Memory::lock`].
    pub fn unlock(&mut self, start: u64) -> Outcome {
        let own = |block: &Block| block.start == start;
        if !self.locked.iter().any(own) {
            let what = format!("{start:#x} is unlocked, which is not locked (unlocked twice?)");
            return Err(refuse(Failure::ERROR_INVALID_ARGUMENT, &what));
        }
        // Several threads may have locked the same memory.
        let idle = |block: &Block| own(block) && !block.is_in_use();
        let Some(at) = self.locked.iter().position(idle) else {
            let what = format!("{start:#x} is unlocked while a copy uses it");
            return Err(refuse(Failure::ERROR_INVALID_ALLOCATION, &what));
        };
        self.locked.remove(at);
        Ok(())
    }

    /// Adds a variable of an agent's code.
    pub fn register(&mut self, start: u64, size: u64, owner: usize) {
        let block = Block {
            start,
            size,
            kind: Kind::Variable,
            owner,
            flags: 0,
            access: BTreeSet::from([owner]),
            allocated: DevicePtr::NULL,
            uses: Arc::default(),
        };
        self.blocks.insert(start, block);
    }

    /// Removes a variable.
    pub fn unregister(&mut self, start: u64) {
        self.blocks.remove(&start);
    }

    /// The block that `length` bytes at `address` lie in.
    pub fn enclosing(&mut self, address: u64, length: u64) -> Option<&mut Block> {
        let end = address.checked_add(length)?;
        let inside = |block: &Block| block.start <= address && end <= block.start + block.size;
        let locked = self.locked.iter_mut().filter(|block| inside(block));
        let locked = locked.min_by_key(|block| block.size);
        let enclosing = self.blocks.range_mut(..=address).next_back();
        let allocated = enclosing.map(|(_, block)| block);
        allocated.filter(|block| inside(block)).or(locked)
    }

    /// The same, for `agent`, which must have access. The block is in use until the result is dropped.
    pub fn used_by(&mut self, address: u64, length: u64, agent: usize) -> Result<InUse, String> {
        let Some(block) = self.enclosing(address, length) else {
            return Err(format!(
                "{length} bytes at {address:#x} are not in an allocation"
            ));
        };
        if !block.access.contains(&agent) {
            let start = block.start;
            return Err(format!(
                "agent {agent} has no access to {address:#x} (the allocation at {start:#x}): \
                 hsa_amd_agents_allow_access"
            ));
        }
        Ok(InUse(block.uses.clone()))
    }

    /// The allocations and locks that there are, as text.
    pub fn leaks(&self) -> impl Iterator<Item = String> {
        let blocks = self.blocks.values().chain(&self.locked);
        let blocks = blocks.filter(|block| block.kind != Kind::Variable);
        blocks.map(|block| {
            let Block {
                start, size, owner, ..
            } = block;
            match block.kind {
                Kind::Locked => format!("{size} bytes of locked host memory at {start:#x}"),
                _ => format!("{size} bytes of agent {owner} at {start:#x}"),
            }
        })
    }
}

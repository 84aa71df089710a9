//! Pools of memory: who allocates from which, and how much. The device allocates at once, so a pool only counts.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::error::{Code, Result};

/// A pool of a device's memory.
#[derive(Default)]
pub struct Pool {
    /// The number of the device.
    pub device: usize,
    /// Whether it is the device's own, which nobody destroys.
    pub is_default: bool,
    used: AtomicU64,
    highest: AtomicU64,
    /// Whether freed memory may be used again in these ways (`cudaMemPoolReuse…`), and how much is kept.
    settings: Mutex<[u64; 4]>,
}

/// `cudaMemPoolReuseFollowEventDependencies`, the first setting.
const FIRST_SETTING: i32 = 1;
/// `cudaMemPoolAttrReservedMemCurrent`, `…High`, `cudaMemPoolAttrUsedMemCurrent`, `…High`.
const RESERVED: i32 = 5;
const RESERVED_HIGHEST: i32 = 6;
const USED: i32 = 7;
const USED_HIGHEST: i32 = 8;

impl Pool {
    /// A pool that nothing was allocated from.
    pub fn new(device: usize, is_default: bool) -> Arc<Pool> {
        Arc::new(Pool {
            device,
            is_default,
            settings: Mutex::new([1, 1, 1, 0]),
            ..Pool::default()
        })
    }

    /// Whether an attribute is an `int`; others have 64 bits.
    pub fn is_flag(attribute: i32) -> bool {
        (FIRST_SETTING..FIRST_SETTING + 3).contains(&attribute)
    }

    /// An attribute's value (`cudaMemPoolAttr`).
    pub fn attribute(&self, attribute: i32) -> Result<u64> {
        match attribute {
            1..=4 => Ok(self.settings.lock()[(attribute - FIRST_SETTING) as usize]),
            RESERVED | USED => Ok(self.used.load(Ordering::Relaxed)),
            RESERVED_HIGHEST | USED_HIGHEST => Ok(self.highest.load(Ordering::Relaxed)),
            _ => Err(Code::INVALID_VALUE),
        }
    }

    /// Sets an attribute. The highest counts can be set to 0: they begin anew.
    pub fn set_attribute(&self, attribute: i32, value: u64) -> Result<()> {
        match attribute {
            1..=4 => self.settings.lock()[(attribute - FIRST_SETTING) as usize] = value,
            RESERVED_HIGHEST | USED_HIGHEST if value == 0 => {
                let used = self.used.load(Ordering::Relaxed);
                self.highest.store(used, Ordering::Relaxed);
            }
            _ => return Err(Code::INVALID_VALUE),
        }
        Ok(())
    }
}

/// The pool of each block that came from one.
#[derive(Default)]
pub struct Pooled(Mutex<HashMap<u64, (Arc<Pool>, u64)>>);

impl Pooled {
    /// Notes a block.
    pub fn add(&self, address: u64, pool: Arc<Pool>, size: u64) {
        let used = pool.used.fetch_add(size, Ordering::Relaxed) + size;
        pool.highest.fetch_max(used, Ordering::Relaxed);
        self.0.lock().insert(address, (pool, size));
    }

    /// The pool of a block.
    pub fn pool(&self, address: u64) -> Option<Arc<Pool>> {
        let table = self.0.lock();
        table.get(&address).map(|(pool, _)| pool.clone())
    }

    /// A block is freed.
    pub fn remove(&self, address: u64) {
        if let Some((pool, size)) = self.0.lock().remove(&address) {
            pool.used.fetch_sub(size, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pools_count_what_came_from_them() {
        let (pool, pooled) = (Pool::new(0, false), Pooled::default());
        pooled.add(256, pool.clone(), 100);
        pooled.add(512, pool.clone(), 50);
        pooled.remove(256);
        pooled.remove(256);
        assert_eq!(
            (pool.attribute(USED), pool.attribute(USED_HIGHEST)),
            (Ok(50), Ok(150))
        );
        assert_eq!(pool.set_attribute(USED_HIGHEST, 0), Ok(()));
        assert_eq!(pool.attribute(USED_HIGHEST), Ok(50));
        assert_eq!(pool.set_attribute(USED, 0), Err(Code::INVALID_VALUE));
        assert_eq!(pool.set_attribute(4, 1 << 20), Ok(()));
        assert_eq!(pool.attribute(4), Ok(1 << 20));
    }
}

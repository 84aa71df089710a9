//! Freed memory that is not used again for a while, so that whoever still uses it is found.

use std::collections::{HashMap, VecDeque};

use plugin_api::DevicePtr;

/// Freed allocations, in the order in which they were freed.
#[derive(Default)]
pub struct Quarantine {
    order: VecDeque<DevicePtr>,
    sizes: HashMap<DevicePtr, u64>,
    bytes: u64,
}

impl Quarantine {
    /// Adds an allocation of so many bytes.
    pub fn push(&mut self, ptr: DevicePtr, bytes: u64) {
        self.order.push_back(ptr);
        self.sizes.insert(ptr, bytes);
        self.bytes += bytes;
    }

    /// Takes the one that was freed first.
    pub fn pop(&mut self) -> Option<DevicePtr> {
        let ptr = self.order.pop_front()?;
        self.bytes -= self.sizes.remove(&ptr).unwrap_or(0);
        Some(ptr)
    }

    /// Whether an allocation that begins there is in it.
    pub fn has(&self, ptr: DevicePtr) -> bool {
        self.sizes.contains_key(&ptr)
    }

    /// The bytes of all.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_in_first_out() {
        let mut quarantine = Quarantine::default();
        let [a, b] = [DevicePtr(256), DevicePtr(512)];
        quarantine.push(a, 10);
        quarantine.push(b, 20);
        assert!(quarantine.has(a) && quarantine.has(b) && quarantine.bytes() == 30);
        assert_eq!(quarantine.pop(), Some(a));
        assert!(!quarantine.has(a) && quarantine.bytes() == 20);
        assert_eq!((quarantine.pop(), quarantine.pop()), (Some(b), None));
    }
}

//! The launches that a stream may be running. A GPU does not report which launch failed, so these are the
//! candidates.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use parking_lot::{Mutex, MutexGuard};

/// Most launches that are remembered between two waits. Older ones ended long ago.
const MAX_LAUNCHES: usize = 256;

/// A launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchInFlight {
    /// The kernel's name.
    pub kernel: Arc<str>,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads per block.
    pub block: [u32; 3],
}

/// The launches of one stream since it was last known to be empty.
#[derive(Default)]
pub struct InFlight(Mutex<VecDeque<LaunchInFlight>>);

impl InFlight {
    fn lock(&self) -> MutexGuard<'_, VecDeque<LaunchInFlight>> {
        self.0.lock()
    }

    /// Adds a launch that is about to be enqueued.
    pub fn launched(&self, launch: LaunchInFlight) {
        let mut launches = self.lock();
        if launches.len() == MAX_LAUNCHES {
            launches.pop_front();
        }
        launches.push_back(launch);
    }

    /// All launches are complete.
    pub fn ended(&self) {
        self.lock().clear();
    }

    /// The launches that may be running.
    pub fn launches(&self) -> Vec<LaunchInFlight> {
        self.lock().iter().cloned().collect()
    }
}

/// The launches of all streams of a device.
#[derive(Default)]
pub struct LaunchesInFlight(Mutex<Vec<Weak<InFlight>>>);

impl LaunchesInFlight {
    /// A list for a new stream.
    pub fn list(&self) -> Arc<InFlight> {
        let list = Arc::new(InFlight::default());
        let mut all = self.0.lock();
        all.retain(|other| other.strong_count() > 0);
        all.push(Arc::downgrade(&list));
        list
    }

    /// Every launch that may still be running.
    pub fn launches(&self) -> Vec<LaunchInFlight> {
        let all = self.0.lock();
        let live = all.iter().filter_map(Weak::upgrade);
        live.flat_map(|list| list.launches()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_remembered() {
        let running = InFlight::default();
        for index in 0..MAX_LAUNCHES as u32 + 2 {
            running.launched(LaunchInFlight {
                kernel: "k".into(),
                grid: [index, 1, 1],
                block: [1; 3],
            });
        }
        let launches = running.launches();
        assert_eq!((launches.len(), launches[0].grid[0]), (MAX_LAUNCHES, 2));
        let all = LaunchesInFlight::default();
        let list = all.list();
        list.launched(launches[0].clone());
        assert_eq!(all.launches(), [launches[0].clone()]);
        drop(list);
        assert!(all.launches().is_empty());
        running.ended();
        assert!(running.launches().is_empty());
    }
}

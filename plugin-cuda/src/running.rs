//! Which kernels a stream may be running. A GPU does not say which one failed; these are the candidates.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// More than this many launches without waiting are not remembered: the oldest are long over.
const MOST: usize = 256;

/// A launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flight {
    /// The kernel's name.
    pub kernel: Arc<str>,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads per block.
    pub block: [u32; 3],
}

/// The launches of one stream since somebody last found it empty.
#[derive(Default)]
pub struct Running(Mutex<VecDeque<Flight>>);

impl Running {
    fn lock(&self) -> MutexGuard<'_, VecDeque<Flight>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A launch is enqueued.
    pub fn launched(&self, flight: Flight) {
        let mut flights = self.lock();
        if flights.len() == MOST {
            flights.pop_front();
        }
        flights.push_back(flight);
    }

    /// All of them are complete.
    pub fn ended(&self) {
        self.lock().clear();
    }

    /// What may be running.
    pub fn flights(&self) -> Vec<Flight> {
        self.lock().iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_are_remembered() {
        let running = Running::default();
        for index in 0..MOST as u32 + 2 {
            running.launched(Flight {
                kernel: "k".into(),
                grid: [index, 1, 1],
                block: [1; 3],
            });
        }
        let flights = running.flights();
        assert_eq!((flights.len(), flights[0].grid[0]), (MOST, 2));
        running.ended();
        assert!(running.flights().is_empty());
    }
}

//! Multiprocessors in reserve, for grids whose blocks wait for blocks that have not begun.
//!
//! A GPU has more blocks of a grid at work than it has multiprocessors, and programs rely on it: blocks poll memory
//! that later blocks of the same grid write. Here a multiprocessor runs one block at a time. So a block that has waited
//! for a while calls for more workers, each with a multiprocessor of its own, as long as blocks are left.

use std::sync::{Arc, Weak};
use std::time::Duration;

use crate::grid::Grid;
use crate::machine::Machine;

/// How long a block waits before it calls, and between two calls.
pub const PATIENCE: Duration = Duration::from_millis(10);
/// Most workers in reserve of a machine. With them, as many blocks are at work as on a middle-sized GPU.
pub const MOST: u32 = 126;

/// Where the blocks of a grid call for workers.
pub struct Reserve {
    machine: Weak<Machine>,
    grid: Weak<Grid>,
}

impl Reserve {
    /// The reserve of a grid.
    pub fn new(machine: &Arc<Machine>, grid: &Weak<Grid>) -> Reserve {
        Reserve {
            machine: Arc::downgrade(machine),
            grid: grid.clone(),
        }
    }

    /// Calls for another worker, if there is a block for it.
    pub fn call(&self) {
        if let (Some(machine), Some(grid)) = (self.machine.upgrade(), self.grid.upgrade())
            && grid.blocks_left()
        {
            machine.reinforce(grid);
        }
    }
}

//! Which thread this is, and how many there are.

use core::arch::nvptx;

/// A position or an extent in three dimensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimensions {
    /// The first dimension, in which threads of a warp follow each other.
    pub x: u32,
    /// The second.
    pub y: u32,
    /// The third.
    pub z: u32,
}

/// Reads the three special registers of a position or an extent.
macro_rules! registers {
    ($x:ident, $y:ident, $z:ident) => {
        // SAFETY: reading a special register has no precondition.
        unsafe {
            Dimensions {
                x: nvptx::$x() as u32,
                y: nvptx::$y() as u32,
                z: nvptx::$z() as u32,
            }
        }
    };
}

/// The thread's position in its block.
#[inline(always)]
pub fn thread_index() -> Dimensions {
    registers!(_thread_idx_x, _thread_idx_y, _thread_idx_z)
}

/// The block's position in the grid.
#[inline(always)]
pub fn block_index() -> Dimensions {
    registers!(_block_idx_x, _block_idx_y, _block_idx_z)
}

/// Threads of a block.
#[inline(always)]
pub fn block_size() -> Dimensions {
    registers!(_block_dim_x, _block_dim_y, _block_dim_z)
}

/// Blocks of the grid.
#[inline(always)]
pub fn grid_size() -> Dimensions {
    registers!(_grid_dim_x, _grid_dim_y, _grid_dim_z)
}

/// The thread's number among all of the grid in the first dimension.
#[inline(always)]
pub fn global_index() -> usize {
    block_index().x as usize * block_size().x as usize + thread_index().x as usize
}

/// Threads of the grid in the first dimension: the step of a loop in which they share more elements than there are
/// threads.
#[inline(always)]
pub fn global_size() -> usize {
    grid_size().x as usize * block_size().x as usize
}

//! Where a thread is in the grid, and the mode that the block's shape tells.

use super::assembly;

/// Whether this is an SPMD kernel: its block extends along x, a generic kernel's along y (docs/abi.md).
#[inline(always)]
pub fn is_spmd() -> bool {
    assembly::omptarget_arch_threads_y() == 1
}

/// Whether the block has the shape of a generic kernel's. It is not written as the negation of [`is_spmd`], so that the
/// optimiser does not merge the two questions and lose what [`assume_mode`] says of one.
#[inline(always)]
pub fn is_generic_shape() -> bool {
    assembly::omptarget_arch_threads_x() == 1
}

/// Tells the optimiser what [`is_spmd`] answers from here on. Special registers have no memory
/// behind them, so this holds across barriers and calls, and folds every later question.
#[inline(always)]
pub fn assume_mode(spmd: bool) {
    // SAFETY: the host launches kernels in the shape docs/abi.md prescribes, and `kernel` traps
    // before it comes here if the shape contradicts the mode.
    unsafe {
        core::hint::assert_unchecked(is_spmd() == spmd);
        if spmd {
            core::hint::assert_unchecked(assembly::omptarget_arch_thread_y() == 0);
        } else {
            core::hint::assert_unchecked(assembly::omptarget_arch_thread_x() == 0);
            core::hint::assert_unchecked(assembly::omptarget_arch_threads_x() == 1);
        }
    }
}

/// This thread's number in its block.
#[inline(always)]
pub fn thread_id() -> u32 {
    // The block has one dimension; in the other, every index is 0.
    assembly::omptarget_arch_thread_x() + assembly::omptarget_arch_thread_y()
}

/// Threads of the block, the master's warp included.
#[inline(always)]
pub fn block_threads() -> u32 {
    assembly::omptarget_arch_threads_x() * assembly::omptarget_arch_threads_y()
}

/// This block's number: the OpenMP team number.
#[inline(always)]
pub fn block_id() -> u32 {
    assembly::omptarget_arch_block()
}

/// Blocks of the grid: the OpenMP number of teams.
#[inline(always)]
pub fn block_count() -> u32 {
    assembly::omptarget_arch_blocks()
}

/// Where this thread is in its block, in each dimension.
#[inline(always)]
pub fn thread_index() -> [u32; 3] {
    [
        assembly::omptarget_arch_thread_x(),
        assembly::omptarget_arch_thread_y(),
        assembly::omptarget_arch_thread_z(),
    ]
}

/// Threads of a block, in each dimension.
#[inline(always)]
pub fn block_shape() -> [u32; 3] {
    [
        assembly::omptarget_arch_threads_x(),
        assembly::omptarget_arch_threads_y(),
        assembly::omptarget_arch_threads_z(),
    ]
}

/// Where this block is in the grid, in each dimension.
#[inline(always)]
pub fn block_index() -> [u32; 3] {
    [
        assembly::omptarget_arch_block(),
        assembly::omptarget_arch_block_y(),
        assembly::omptarget_arch_block_z(),
    ]
}

/// Blocks of the grid, in each dimension.
#[inline(always)]
pub fn grid_shape() -> [u32; 3] {
    [
        assembly::omptarget_arch_blocks(),
        assembly::omptarget_arch_blocks_y(),
        assembly::omptarget_arch_blocks_z(),
    ]
}

/// The multiprocessor the block runs on, now; a block can be moved.
#[inline(always)]
pub fn processor() -> u32 {
    assembly::omptarget_arch_processor()
}

//! How much of a device a launch fills.

use std::ffi::{c_int, c_void};

use cudart::entry::functions::{
    cudaOccupancyAvailableDynamicSMemPerBlock, cudaOccupancyMaxActiveBlocksPerMultiprocessor,
};
use cudart::error::{Code, Result, without_trace};

use crate::entry::{outcome, place};
use crate::status::answer;
use crate::{contexts, modules};

/// How much dynamic shared memory a block of so many threads needs.
pub type SharedOfBlock = Option<unsafe extern "C" fn(c_int) -> usize>;

/// How many blocks of a kernel a multiprocessor holds at a time.
fn resident(function: *mut c_void, threads: c_int, shared: usize) -> Result<c_int> {
    let mut blocks = 0;
    // SAFETY: the address is valid.
    outcome(without_trace(|| unsafe {
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, function, threads, shared)
    }))?;
    Ok(blocks)
}

/// The block size with which a multiprocessor holds the most threads, and the grid that fills the device.
///
/// # Safety
/// The addresses are null or valid, and the function may be called.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxPotentialBlockSize(
    grid: *mut c_int,
    block: *mut c_int,
    function: *mut c_void,
    shared_of_block: SharedOfBlock,
    shared: usize,
    limit: c_int,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        cuOccupancyMaxPotentialBlockSizeWithFlags(
            grid,
            block,
            function,
            shared_of_block,
            shared,
            limit,
            0,
        )
    }
}

/// The same with flags for GPUs whose caches limit it.
///
/// # Safety
/// As for [`cuOccupancyMaxPotentialBlockSize`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxPotentialBlockSizeWithFlags(
    grid: *mut c_int,
    block: *mut c_int,
    function: *mut c_void,
    shared_of_block: SharedOfBlock,
    shared: usize,
    limit: c_int,
    flags: u32,
) -> i32 {
    let ask = || {
        let context = contexts::current()?;
        modules::kernel(function as usize)?;
        if flags > 1 {
            return Err(Code::INVALID_VALUE);
        }
        // SAFETY: caller.
        let (grid, block) = unsafe { (place(grid)?, place(block)?) };
        let info = context.raw.info();
        let most = info.max_threads_per_block as c_int;
        let most = if limit > 0 { limit.min(most) } else { most };
        let mut best = (0, 0, 0);
        for threads in (1..=most)
            .rev()
            .filter(|threads| *threads == most || threads % 32 == 0)
        {
            // SAFETY: caller.
            let shared = shared_of_block.map_or(shared, |shared| unsafe { shared(threads) });
            let blocks = resident(function, threads, shared)?;
            if blocks * threads > best.0 {
                best = (blocks * threads, threads, blocks);
            }
        }
        let (_, threads, blocks) = best;
        *block = threads;
        *grid = blocks * info.multiprocessors as c_int;
        Ok(())
    };
    answer(ask())
}

/// How many blocks of a kernel a multiprocessor holds at a time.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
    blocks: *mut c_int,
    function: *mut c_void,
    threads: c_int,
    shared: usize,
) -> i32 {
    // SAFETY: caller.
    unsafe {
        cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, 0)
    }
}

/// The same with flags for GPUs whose caches limit it.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    blocks: *mut c_int,
    function: *mut c_void,
    threads: c_int,
    shared: usize,
    flags: u32,
) -> i32 {
    let ask = || {
        contexts::current()?;
        modules::kernel(function as usize)?;
        // SAFETY: caller.
        let place = unsafe { place(blocks)? };
        if flags > 1 {
            return Err(Code::INVALID_VALUE);
        }
        *place = resident(function, threads, shared)?;
        Ok(())
    };
    answer(ask())
}

/// How much dynamic shared memory each block may have, if a multiprocessor is to hold so many.
///
/// # Safety
/// The address is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuOccupancyAvailableDynamicSMemPerBlock(
    bytes: *mut usize,
    function: *mut c_void,
    blocks: c_int,
    threads: c_int,
) -> i32 {
    let ask = || {
        contexts::current()?;
        modules::kernel(function as usize)?;
        // SAFETY: caller.
        outcome(without_trace(|| unsafe {
            cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, threads)
        }))
    };
    answer(ask())
}

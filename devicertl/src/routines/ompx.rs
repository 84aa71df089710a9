//! `ompx_*`: what clang's `ompx.h` declares for kernels in the style of CUDA, `target teams ompx_bare` (Doerfert et
//! al., "Breaking the Vendor Lock"; no OpenMP standard). Indices are the hardware's own.

use crate::arch;

fn along(shape: [u32; 3], dimension: i32) -> i32 {
    match dimension {
        0 => shape[0] as i32,
        1 => shape[1] as i32,
        _ => shape[2] as i32,
    }
}

/// `int (int dimension)`: the thread's index in its block (`ompx.h` of clang).
#[unsafe(no_mangle)]
pub extern "C" fn ompx_thread_id(dimension: i32) -> i32 {
    along(arch::thread_index(), dimension)
}

/// `int (int dimension)`: threads of a block (`ompx.h` of clang).
#[unsafe(no_mangle)]
pub extern "C" fn ompx_block_dim(dimension: i32) -> i32 {
    along(arch::block_shape(), dimension)
}

/// `int (int dimension)`: the block's index in the grid (`ompx.h` of clang).
#[unsafe(no_mangle)]
pub extern "C" fn ompx_block_id(dimension: i32) -> i32 {
    along(arch::block_index(), dimension)
}

/// `int (int dimension)`: blocks of the grid (`ompx.h` of clang).
#[unsafe(no_mangle)]
pub extern "C" fn ompx_grid_dim(dimension: i32) -> i32 {
    along(arch::grid_shape(), dimension)
}

/// `void (int ordering)`: a barrier for the block (`ompx.h` of clang). It orders memory as strongly as any `ordering`
/// asks.
#[unsafe(no_mangle)]
pub extern "C" fn ompx_sync_block(_ordering: i32) {
    arch::block_barrier();
}

/// `void ()`: a barrier for the block, with acquire and release (`ompx.h` of clang).
#[unsafe(no_mangle)]
pub extern "C" fn ompx_sync_block_acq_rel() {
    arch::block_barrier();
}

/// `void (int ordering)`: a barrier for the block to which threads may come from different places, as they may to all
/// our barriers (`ompx.h` of clang).
#[unsafe(no_mangle)]
pub extern "C" fn ompx_sync_block_divergent(_ordering: i32) {
    arch::block_barrier();
}

/// `u64 (u64 lanes, int predicate)`: those of the lanes whose predicate is not 0 (`ompx.h` of clang).
#[unsafe(no_mangle)]
pub extern "C" fn ompx_ballot_sync(lanes: u64, predicate: i32) -> u64 {
    arch::ballot(lanes, predicate != 0)
}

fn shuffle_wide(lanes: u64, value: u64, delta: u32, width: i32) -> u64 {
    let half = |part: u32| arch::shuffle_down(lanes, part, delta, width as u32);
    u64::from(half(value as u32)) | u64::from(half((value >> 32) as u32)) << 32
}

/// `int (u64 lanes, int value, unsigned delta, int width)`: the value of the lane `delta` further on (`ompx.h` of
/// clang).
#[unsafe(no_mangle)]
pub extern "C" fn ompx_shfl_down_sync_i(lanes: u64, value: i32, delta: u32, width: i32) -> i32 {
    arch::shuffle_down(lanes, value as u32, delta, width as u32) as i32
}

/// The same for `float` (`ompx.h` of clang).
#[unsafe(no_mangle)]
pub extern "C" fn ompx_shfl_down_sync_f(lanes: u64, value: f32, delta: u32, width: i32) -> f32 {
    f32::from_bits(arch::shuffle_down(
        lanes,
        value.to_bits(),
        delta,
        width as u32,
    ))
}

/// The same for `long` (`ompx.h` of clang).
#[unsafe(no_mangle)]
pub extern "C" fn ompx_shfl_down_sync_l(lanes: u64, value: i64, delta: u32, width: i32) -> i64 {
    shuffle_wide(lanes, value as u64, delta, width) as i64
}

/// The same for `double` (`ompx.h` of clang).
#[unsafe(no_mangle)]
pub extern "C" fn ompx_shfl_down_sync_d(lanes: u64, value: f64, delta: u32, width: i32) -> f64 {
    f64::from_bits(shuffle_wide(lanes, value.to_bits(), delta, width))
}

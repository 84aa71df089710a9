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

/// `ompx_thread_id(dimension)`: the thread's index in its block.
#[unsafe(no_mangle)]
pub extern "C" fn ompx_thread_id(dimension: i32) -> i32 {
    along(arch::thread_index(), dimension)
}

/// `ompx_block_dim(dimension)`: threads of a block.
#[unsafe(no_mangle)]
pub extern "C" fn ompx_block_dim(dimension: i32) -> i32 {
    along(arch::block_shape(), dimension)
}

/// `ompx_block_id(dimension)`: the block's index in the grid.
#[unsafe(no_mangle)]
pub extern "C" fn ompx_block_id(dimension: i32) -> i32 {
    along(arch::block_index(), dimension)
}

/// `ompx_grid_dim(dimension)`: blocks of the grid.
#[unsafe(no_mangle)]
pub extern "C" fn ompx_grid_dim(dimension: i32) -> i32 {
    along(arch::grid_shape(), dimension)
}

/// `ompx_sync_block(ordering)`: a barrier for the block. It orders memory as strongly as any `ordering` asks.
#[unsafe(no_mangle)]
pub extern "C" fn ompx_sync_block(_ordering: i32) {
    arch::block_barrier();
}

/// `ompx_sync_block_acq_rel()`.
#[unsafe(no_mangle)]
pub extern "C" fn ompx_sync_block_acq_rel() {
    arch::block_barrier();
}

/// `ompx_sync_block_divergent(ordering)`: threads may come from different places, as they may to all our barriers.
#[unsafe(no_mangle)]
pub extern "C" fn ompx_sync_block_divergent(_ordering: i32) {
    arch::block_barrier();
}

/// `ompx_ballot_sync(lanes, predicate)`: those of the lanes whose predicate is not 0.
#[unsafe(no_mangle)]
pub extern "C" fn ompx_ballot_sync(lanes: u64, predicate: i32) -> u64 {
    arch::ballot(lanes, predicate != 0)
}

fn shuffle_wide(lanes: u64, value: u64, delta: u32, width: i32) -> u64 {
    let half = |part: u32| arch::shuffle_down(lanes, part, delta, width as u32);
    u64::from(half(value as u32)) | u64::from(half((value >> 32) as u32)) << 32
}

/// `ompx_shfl_down_sync_i(lanes, value, delta, width)`: the value of the lane `delta` further on.
#[unsafe(no_mangle)]
pub extern "C" fn ompx_shfl_down_sync_i(lanes: u64, value: i32, delta: u32, width: i32) -> i32 {
    arch::shuffle_down(lanes, value as u32, delta, width as u32) as i32
}

/// The same for `float`.
#[unsafe(no_mangle)]
pub extern "C" fn ompx_shfl_down_sync_f(lanes: u64, value: f32, delta: u32, width: i32) -> f32 {
    f32::from_bits(arch::shuffle_down(
        lanes,
        value.to_bits(),
        delta,
        width as u32,
    ))
}

/// The same for `long`.
#[unsafe(no_mangle)]
pub extern "C" fn ompx_shfl_down_sync_l(lanes: u64, value: i64, delta: u32, width: i32) -> i64 {
    shuffle_wide(lanes, value as u64, delta, width) as i64
}

/// The same for `double`.
#[unsafe(no_mangle)]
pub extern "C" fn ompx_shfl_down_sync_d(lanes: u64, value: f64, delta: u32, width: i32) -> f64 {
    f64::from_bits(shuffle_wide(lanes, value.to_bits(), delta, width))
}

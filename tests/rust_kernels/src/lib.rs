//! Kernels in Rust for the tests of the crate omptarget: what `omptarget-kernel` offers, and what goes wrong.

#![no_std]
#![feature(abi_ptx)]

use core::sync::atomic::{AtomicU32, Ordering};

use omptarget_kernel::math::Math;
use omptarget_kernel::{
    barrier, block_index, block_size, dynamic_shared, dynamic_shared_size, global_index, grid_size,
    lane_index, shuffle_down, shuffle_from, shuffle_up, shuffle_xor, thread_index,
};

/// A structure that the host passes by value.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Plane {
    normal: [f32; 3],
    count: u32,
    offset: f64,
}

/// # Safety
/// `out` has five elements.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn by_value(small: u8, plane: Plane, large: i64, out: *mut f64) {
    let [x, y, z] = plane.normal.map(f64::from);
    let values = [
        x + y * 10.0 + z * 100.0,
        plane.offset,
        plane.count.into(),
        small.into(),
        large as f64,
    ];
    // SAFETY: caller.
    unsafe { out.cast::<[f64; 5]>().write(values) };
}

/// Reverses each block's part of `data` through dynamic shared memory.
///
/// # Safety
/// `data` has an element for each thread, and dynamic shared memory has one for each thread of a block.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn reverse(data: *mut u32, bytes: *mut u32) {
    let (thread, threads) = (thread_index().x as usize, block_size().x as usize);
    let tile = dynamic_shared::<u32>();
    // SAFETY: caller; the barrier stands between the writes of an element and its reads.
    unsafe {
        *tile.add(thread) = *data.add(global_index());
        barrier();
        *data.add(global_index()) = *tile.add(threads - 1 - thread);
        if global_index() == 0 {
            *bytes = dynamic_shared_size() as u32;
        }
    }
}

/// # Safety
/// `x` has 32 elements and `out` 4 times as many; one warp is launched.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn shuffles(x: *const f32, out: *mut f32) {
    let lane = lane_index() as usize;
    // SAFETY: caller.
    unsafe {
        let own = *x.add(lane);
        *out.add(lane) = shuffle_down(own, 1);
        *out.add(32 + lane) = shuffle_up(own, 2);
        *out.add(64 + lane) = shuffle_xor(own, 5);
        *out.add(96 + lane) = shuffle_from(own, 7);
    }
}

/// # Safety
/// `x` has `n` elements and `out` 8 times as many.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn mathematics(n: usize, x: *const f64, out: *mut f64) {
    let i = global_index();
    if i >= n {
        return;
    }
    // SAFETY: caller.
    unsafe {
        let x = *x.add(i);
        let single = (x as f32).sin().mul_add(2.0, (x as f32).sqrt());
        let results = [
            x.sqrt(),
            x.exp(),
            x.ln(),
            x.sin(),
            x.powf(1.5),
            x.atan2(2.0),
            x.round(),
            single.into(),
        ];
        out.cast::<[f64; 8]>().add(i).write(results);
    }
}

/// Writes the position of each thread of a grid in three dimensions.
///
/// # Safety
/// `out` has an element for each thread.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn positions(out: *mut [u32; 6]) {
    let (thread, block, threads, blocks) =
        (thread_index(), block_index(), block_size(), grid_size());
    let block_number = (block.z * blocks.y + block.y) * blocks.x + block.x;
    let thread_number = (thread.z * threads.y + thread.y) * threads.x + thread.x;
    let number = block_number * threads.x * threads.y * threads.z + thread_number;
    // SAFETY: caller.
    unsafe {
        *out.add(number as usize) = [thread.x, thread.y, thread.z, block.x, block.y, block.z]
    };
}

/// Counts threads.
///
/// # Safety
/// `counter` has an element that only atomic operations change.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn count(counter: *const u32) {
    // SAFETY: caller.
    let counter = unsafe { AtomicU32::from_ptr(counter.cast_mut()) };
    counter.fetch_add(1, Ordering::Relaxed);
}

/// Doubles each element, and adds one.
///
/// # Safety
/// `x` has `n` elements.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn step(n: usize, x: *mut u32) {
    let i = global_index();
    if i < n {
        // SAFETY: caller.
        unsafe { *x.add(i) = (*x.add(i)).wrapping_mul(2).wrapping_add(1) };
    }
}

/// Takes no parameters.
#[unsafe(no_mangle)]
pub extern "ptx-kernel" fn nothing() {}

/// Reads an element that the slice may not have: a panic.
///
/// # Safety
/// `x` has `n` elements.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn indexed(n: usize, x: *mut u32, index: usize) {
    // SAFETY: caller.
    let x = unsafe { core::slice::from_raw_parts_mut(x, n) };
    x[0] = x[index]; // the panic
}

/// Writes where no buffer is.
///
/// # Safety
/// The address may be written.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn wild(address: usize) {
    // SAFETY: caller.
    unsafe { (address as *mut u32).write(1) };
}

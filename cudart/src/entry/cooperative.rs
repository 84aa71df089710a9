//! Cooperative launches: all blocks of the grid run at the same time, so that they may wait for each other.

use std::ffi::{c_int, c_void};

use crate::abi::Dim3;
use crate::entry::functions::cudaOccupancyMaxActiveBlocksPerMultiprocessor;
use crate::error::{Code, SUCCESS, answer};
use crate::launch::{Configuration, launch};
use crate::runtime::runtime;

/// Launches a kernel whose blocks synchronise with each other.
///
/// # Safety
/// There is an argument for each parameter of the kernel.
pub unsafe extern "C" fn cudaLaunchCooperativeKernel(
    stub: *const c_void,
    grid: Dim3,
    block: Dim3,
    arguments: *const *const u8,
    shared: usize,
    stream: *mut c_void,
) -> i32 {
    let product = |counts: [u32; 3]| counts.map(u64::from).iter().product::<u64>();
    let (blocks, threads) = (product(grid.counts()), product(block.counts()));
    let mut resident: c_int = 0;
    let threads = c_int::try_from(threads).unwrap_or(c_int::MAX);
    // SAFETY: the address is valid.
    let asked = unsafe {
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&mut resident, stub, threads, shared)
    };
    if asked != SUCCESS {
        return asked;
    }
    let room = |multiprocessors: u32| u64::from(multiprocessors) * resident as u64;
    match runtime().device() {
        Ok(device) if blocks > room(device.raw.info().multiprocessors) => {
            answer(Err(Code::COOPERATIVE_TOO_LARGE))
        }
        Ok(_) => {
            let configuration = Configuration {
                grid: grid.counts(),
                block: block.counts(),
                shared,
                stream: stream as usize,
                cooperative: true,
            };
            // SAFETY: caller.
            answer(unsafe { launch(runtime(), stub as usize, configuration, arguments) })
        }
        Err(code) => answer(Err(code)),
    }
}

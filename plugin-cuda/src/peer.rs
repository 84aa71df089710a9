//! Access of one GPU to another GPU's memory.
//!
//! The driver copies between any two GPUs, through host memory if necessary. If the hardware lets one GPU reach
//! the other's memory, the copy is direct once peer access is enabled.

use std::collections::HashSet;
use std::ffi::c_int;

use parking_lot::Mutex;
use plugin_api::Result;

use crate::driver::{CuDevice, CuResult};
use crate::gpu::Gpu;

/// The GPUs that a GPU has been given peer access to, where that is possible.
#[derive(Default)]
pub struct Peers(Mutex<HashSet<CuDevice>>);

impl Peers {
    /// Lets `gpu` use the memory of `other`, if it can. The driver is asked once per pair.
    pub fn enable(&self, gpu: &Gpu, other: &Gpu) -> Result<()> {
        let mut known = self.0.lock();
        if !known.insert(other.device) {
            return Ok(());
        }
        let mut can: c_int = 0;
        let peer = other.enter()?.context;
        let _entered = gpu.enter()?;
        // SAFETY: `can` is writable, both devices exist.
        gpu.check(unsafe {
            gpu.driver
                .device_can_access_peer(&mut can, gpu.device, other.device)
        })?;
        if can == 0 {
            return Ok(());
        }
        // SAFETY: the other device's context is retained as long as the plugin lives.
        let enabled = unsafe { gpu.driver.ctx_enable_peer_access(peer, 0) };
        match enabled {
            // CUDA code in the process has done it already.
            Err(failure) if failure.result == CuResult::PEER_ACCESS_ALREADY_ENABLED => Ok(()),
            enabled => gpu.check(enabled),
        }
    }
}

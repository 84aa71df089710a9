//! Memory of the host that copies use: pinned memory as it is, other memory locked meanwhile.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::Arc;

use plugin_api::Result;

use crate::driver::{HsaPointerInfo, POINTER_HSA};
use crate::gpu::Gpu;

/// Locked memory of the host. It is unlocked when this is dropped.
struct LockedMemory {
    gpu: Arc<Gpu>,
    host: *mut c_void,
}

// SAFETY: only the address is kept, and the runtime takes it from any thread.
unsafe impl Send for LockedMemory {}

impl LockedMemory {
    /// Locks `size` bytes, at least one, for the device; also the address that the device uses. `None`: the runtime
    /// cannot lock it, as with some memory that may only be read.
    ///
    /// # Safety
    /// The bytes belong to the caller until this is dropped.
    unsafe fn lock(
        gpu: &Arc<Gpu>,
        host: *mut c_void,
        size: usize,
    ) -> Option<(LockedMemory, *mut c_void)> {
        let mut device = std::ptr::null_mut();
        let mut agent = gpu.agent;
        // SAFETY: caller. Both variables are writable.
        let locked = unsafe {
            gpu.runtime
                .driver
                .memory_lock(host, size, &mut agent, 1, &mut device)
        };
        if let Err(failure) = locked {
            log::debug!("{} failed: {:#x}", failure.call, failure.result.0);
            return None;
        }
        let locked = LockedMemory {
            gpu: gpu.clone(),
            host,
        };
        Some((locked, device))
    }
}

impl Drop for LockedMemory {
    fn drop(&mut self) {
        // SAFETY: locked once. If the program has freed the memory meanwhile, the lock still counts.
        let unlocked = unsafe { self.gpu.runtime.driver.memory_unlock(self.host) };
        if let Err(failure) = unlocked {
            log::debug!("{} failed: {:#x}", failure.call, failure.result.0);
        }
    }
}

/// The device's address of pinned memory, and what must live as long as copies use it.
pub type Pinned = (*mut u8, Vec<Box<dyn Send>>);

/// Memory of the host that copies may use: its address for the device, and what must live until they are complete.
/// `None`: the runtime cannot lock it.
///
/// # Safety
/// The bytes belong to the caller as long as what must live does.
pub unsafe fn pinned(gpu: &Arc<Gpu>, host: *mut u8, len: usize) -> Result<Option<Pinned>> {
    let known = known_memory(gpu, host.addr() as u64)?;
    if let Some(known) = known.filter(|known| known.rest >= len as u64) {
        let device = std::ptr::with_exposed_provenance_mut(known.device as usize);
        return Ok(Some((device, Vec::new())));
    }
    // SAFETY: caller.
    let locked = unsafe { LockedMemory::lock(gpu, host.cast(), len) };
    Ok(locked.map(|(locked, device)| {
        let kept: Vec<Box<dyn Send>> = vec![Box::new(locked)];
        (device.cast(), kept)
    }))
}

/// An allocation that the runtime knows.
pub struct KnownMemory {
    /// The device's address for the address that was asked about.
    pub device: u64,
    /// Bytes from there to the end.
    pub rest: u64,
}

/// What the runtime knows about `address`.
pub fn known_memory(gpu: &Gpu, address: u64) -> Result<Option<KnownMemory>> {
    let mut info = MaybeUninit::<HsaPointerInfo>::zeroed();
    // SAFETY: zero is a value of every field.
    let mut info = unsafe {
        (&raw mut (*info.as_mut_ptr()).size).write(size_of::<HsaPointerInfo>() as u32);
        info.assume_init()
    };
    // SAFETY: `info` is writable for as many bytes as it says. The runtime only looks the address up.
    gpu.check(unsafe {
        gpu.runtime.driver.pointer_info(
            std::ptr::without_provenance(address as usize),
            &mut info,
            None,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
        )
    })?;
    // What other code has locked may be locked for another device.
    if info.kind != POINTER_HSA {
        return Ok(None);
    }
    let (agent_base, host_base) = (info.agent_base.addr() as u64, info.host_base.addr() as u64);
    let inside = |base: u64| {
        let offset = address.checked_sub(base)?;
        (offset < info.bytes as u64).then_some(offset)
    };
    let found = inside(agent_base).or_else(|| inside(host_base));
    Ok(found.map(|offset| KnownMemory {
        device: agent_base + offset,
        rest: info.bytes as u64 - offset,
    }))
}

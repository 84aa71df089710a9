//! What the blocks of one launch synchronise with (cooperative groups). It lies in device memory until the launch ends.

use plugin_api::{DevicePtr, Result};
use vgpu_abi::GridWorkspace;

use crate::memory::Memory;

/// A launch's workspace.
pub struct Workspace<'a> {
    memory: &'a Memory,
    address: DevicePtr,
}

impl<'a> Workspace<'a> {
    /// Makes one.
    pub fn new(memory: &'a Memory) -> Result<Workspace<'a>> {
        let size = size_of::<GridWorkspace>() as u32;
        let address = memory.alloc(size.into())?;
        // SAFETY: so many bytes were allocated there, suitably aligned. Nothing else uses them.
        unsafe { (address.0 as *mut GridWorkspace).write(GridWorkspace { size, barrier: 0 }) };
        memory.note_written(address, size as usize);
        Ok(Workspace { memory, address })
    }

    /// Its device address.
    pub fn address(&self) -> u64 {
        self.address.0
    }
}

impl Drop for Workspace<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.memory.free(self.address) {
            log::error!("freeing the workspace of a launch: {error}");
        }
    }
}

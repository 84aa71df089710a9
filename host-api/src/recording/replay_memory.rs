//! Device memory in which LLVM's tool replays a kernel (docs/abi.md, section 13). The tool asks for the address at
//! which the memory was recorded. A device may give another address; pointers into the memory are then moved.

use parking_lot::{Mutex, MutexGuard};
use plugin_api::{Device, DevicePtr, MemoryKind};

use crate::report::error::{Error, Result};

/// The replay memory of one device.
#[derive(Default)]
pub struct ReplayMemory(Mutex<Option<Reserved>>);

/// Reserved device memory.
pub struct Reserved {
    address: DevicePtr,
    size: u64,
    /// The address at which it was recorded.
    recorded: u64,
    /// Whether to save it after a replay.
    pub save_output: bool,
}

impl ReplayMemory {
    /// Reserves `size` bytes that were recorded at `recorded` (0: anywhere) and frees the former reservation. Returns
    /// how far pointers must be lowered.
    pub fn reserve(
        &self,
        device: &dyn Device,
        size: u64,
        recorded: u64,
        save_output: bool,
    ) -> Result<u64> {
        let mut reserved = self.0.lock();
        if recorded.checked_add(size).is_none() {
            return Err(Error::Routine(format!(
                "{size} bytes at {recorded:#x} are not a valid range of memory"
            )));
        }
        if let Some(former) = reserved.take() {
            device
                .free(former.address)
                .map_err(failed("freeing the memory of the previous replay"))?;
        }
        let address = device
            .alloc(size.max(1), MemoryKind::Device)
            .map_err(failed(&format!("reserving {size} bytes for replays")))?;
        let recorded = if recorded == 0 { address.0 } else { recorded };
        *reserved = Some(Reserved {
            address,
            size,
            recorded,
            save_output,
        });
        Ok(recorded.wrapping_sub(address.0))
    }

    /// The memory, for one replay.
    pub fn in_use(&self) -> MutexGuard<'_, Option<Reserved>> {
        self.0.lock()
    }
}

impl Reserved {
    /// Fills the memory with its recorded content and moves pointers into it.
    pub fn fill(&self, device: &dyn Device, content: &[u8]) -> Result<()> {
        if content.len() as u64 > self.size {
            return Err(Error::Routine(format!(
                "{} bytes of memory do not fit into the {} that were reserved for replays",
                content.len(),
                self.size
            )));
        }
        let mut content = content.to_vec();
        move_pointers(&mut content, self.recorded, self.address.0, self.size);
        // SAFETY: `content` is readable for its length.
        let written = unsafe { device.write(self.address, content.as_ptr(), content.len()) };
        written.map_err(failed("copying recorded memory to the device"))
    }

    /// The first `size` bytes, with pointers into the memory as they were recorded.
    pub fn content(&self, device: &dyn Device, size: usize) -> Result<Vec<u8>> {
        let mut content = vec![0; size];
        // SAFETY: `content` is writable for its length.
        let read = unsafe { device.read(content.as_mut_ptr(), self.address, size) };
        read.map_err(failed("copying replayed memory to the host"))?;
        move_pointers(&mut content, self.address.0, self.recorded, self.size);
        Ok(content)
    }
}

/// Moves aligned words that point into the `size` bytes at `from` to the same offset at `to`.
fn move_pointers(content: &mut [u8], from: u64, to: u64, size: u64) {
    for word in content.as_chunks_mut::<8>().0 {
        let offset = u64::from_le_bytes(*word).wrapping_sub(from);
        if offset < size {
            *word = to.wrapping_add(offset).to_le_bytes();
        }
    }
}

fn failed(what: &str) -> impl FnOnce(plugin_api::Error) -> Error {
    let what = what.to_owned();
    |source| Error::Device { what, source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fake_device::FakeDevice;

    #[test]
    fn pointers_move_there_and_back() {
        let fake = FakeDevice::new(1 << 20);
        let memory = ReplayMemory::default();
        let offset = memory.reserve(&*fake, 64, 0x7000, true).unwrap();
        let guard = memory.in_use();
        let reserved = guard.as_ref().unwrap();
        let words = [0x7000u64, 0x703f, 0x7040, 0x6fff, 5];
        let content: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        reserved.fill(&*fake, &content).unwrap();
        let at = |index: u64| fake.peek_pointer(DevicePtr(reserved.address.0 + 8 * index));
        let moved = |word: u64| word.wrapping_sub(offset);
        assert_eq!(
            [at(0), at(1), at(2), at(3), at(4)],
            [moved(0x7000), moved(0x703f), 0x7040, 0x6fff, 5]
        );
        assert_eq!(reserved.content(&*fake, content.len()).unwrap(), content);
        assert!(reserved.fill(&*fake, &[0; 65]).is_err());
    }

    #[test]
    fn reserving_again_replaces_and_absurd_sizes_are_refused() {
        let fake = FakeDevice::new(1 << 20);
        let memory = ReplayMemory::default();
        assert_eq!(memory.reserve(&*fake, 0, 0, false).unwrap(), 0);
        memory.reserve(&*fake, 4096, 0, false).unwrap();
        assert_eq!(fake.live(), 1);
        assert!(memory.reserve(&*fake, u64::MAX, 0x1000, false).is_err());
        assert!(memory.in_use().is_some(), "what was reserved stays");
        assert!(memory.reserve(&*fake, 1 << 40, 0x1000, false).is_err());
        assert!(memory.in_use().is_none());
        assert_eq!(fake.live(), 0);
    }
}

//! Replays a recorded launch.

use std::sync::Arc;
use std::time::{Duration, Instant};

use plugin_api::{Device, DevicePtr, Kernel, Launch, LoadOptions, MemoryKind, Module};

use crate::file::{Area, Place, Recording};

/// How far outside the block a pointer may lie. OpenMP passes the base address of an array of which only a
/// section is mapped.
const BASE_REACH: u64 = 4 << 30;

/// Why a launch cannot be replayed.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The kernel or variable does not exist.
    #[error("the recorded image does not define {0}")]
    Missing(String),
    /// A variable has another size.
    #[error("{name} has {found} bytes in the image, {recorded} in the recording")]
    Size {
        /// The variable.
        name: String,
        /// In the image.
        found: u64,
        /// In the recording.
        recorded: u64,
    },
    /// There are more teams than the recorded buffer for reductions was made for.
    #[error(
        "the kernel reduces across teams; the recorded memory serves at most the recorded {0} teams"
    )]
    Teams(u32),
    /// The device reports an error, or the kernel failed.
    #[error("{0}")]
    Device(#[from] plugin_api::Error),
}

/// An area whose bytes differ from the recording after the replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What it is: a variable's name, or `allocation N`.
    pub area: String,
    /// Its size.
    pub size: u64,
    /// How many bytes differ.
    pub bytes: u64,
    /// The first of them.
    pub first: u64,
}

/// A recording on a device.
pub struct Replay<'a> {
    recording: &'a Recording,
    device: Arc<dyn Device>,
    kernel: Arc<dyn Kernel>,
    module: Arc<dyn Module>,
    /// The current address of each area.
    addresses: Vec<u64>,
    block: Option<DevicePtr>,
}

impl<'a> Replay<'a> {
    /// Loads the image and allocates the block.
    pub fn new(
        recording: &'a Recording,
        device: Arc<dyn Device>,
    ) -> Result<Replay<'a>, ReplayError> {
        let image = recording.format.image(&recording.image);
        let module = device.load(&image, &LoadOptions::default())?;
        let kernel = module
            .kernel(&recording.kernel)
            .ok_or_else(|| ReplayError::Missing(format!("the kernel {}", recording.kernel)))?;
        let block = match block_size(&recording.areas) {
            0 => None,
            size => Some(device.alloc(size, MemoryKind::Device)?),
        };
        let mut replay = Replay {
            recording,
            device,
            kernel,
            module,
            addresses: Vec::new(),
            block,
        };
        for area in &recording.areas {
            let address = replay.place(area)?;
            replay.addresses.push(address);
        }
        Ok(replay)
    }

    fn place(&self, area: &Area) -> Result<u64, ReplayError> {
        let (name, block) = match &area.place {
            Place::Block(offset) => return Ok(self.block.unwrap_or_default().0 + offset),
            Place::Variable { name, .. } => (name, area.size),
        };
        let found = self.module.global(name);
        let found = found.ok_or_else(|| ReplayError::Missing(format!("the variable {name}")))?;
        if found.size != block {
            return Err(ReplayError::Size {
                name: name.clone(),
                found: found.size,
                recorded: area.size,
            });
        }
        Ok(found.address.0)
    }

    /// The most teams that the recorded memory is large enough for. `None`: any number.
    fn max_teams(&self) -> Result<Option<u32>, ReplayError> {
        /// `ReductionDataSize` in a kernel environment (docs/abi.md, section 1).
        const REDUCTION_DATA_SIZE: u64 = 20;
        let name = format!("{}_kernel_environment", self.recording.kernel);
        let Some(environment) = self.module.global(&name) else {
            return Ok(None);
        };
        let mut size = [0; 4];
        if environment.size >= REDUCTION_DATA_SIZE + 4 {
            let field = DevicePtr(environment.address.0 + REDUCTION_DATA_SIZE);
            // SAFETY: `size` is writable for its length.
            unsafe { self.device.read(size.as_mut_ptr(), field, size.len())? };
        }
        let size = u32::from_le_bytes(size);
        if size == 0 {
            return Ok(None);
        }
        let teams = self.recording.grid.iter().product();
        if !self.device.info().record_per_team {
            return Ok(Some(teams));
        }
        let records = self.buffer_size().unwrap_or_default() / u64::from(size);
        Ok(Some(teams.min(records.try_into().unwrap_or(u32::MAX))))
    }

    /// Bytes of the launch's buffer for reductions, which the launch environment names (docs/abi.md, section 4).
    fn buffer_size(&self) -> Option<u64> {
        const BUFFER: u64 = 8;
        let environment = self.recording.arguments.first()?;
        let memory = self.recorded(environment.checked_add(BUFFER)?)?;
        let buffer = u64::from_le_bytes(*memory.first_chunk()?);
        let memory = self.recorded(buffer)?;
        Some(memory.len() as u64)
    }

    /// What was recorded at an address before the launch, up to the end of its area.
    fn recorded(&self, address: u64) -> Option<&'a [u8]> {
        let mut rest = self.recording.before.as_slice();
        for area in &self.recording.areas {
            let (bytes, others) = rest.split_at(area.size as usize);
            rest = others;
            let start = match area.place {
                Place::Block(offset) => self.recording.base + offset,
                Place::Variable { address, .. } => address,
            };
            if (start..start + area.size).contains(&address) {
                return Some(&bytes[(address - start) as usize..]);
            }
        }
        None
    }

    /// Lanes per warp of the kernel.
    pub fn warp_size(&self) -> u32 {
        self.kernel.info().warp_size
    }

    /// Restores the memory and runs the kernel, with its recorded shape or another one. Gives the kernel's time.
    pub fn run(&self, grid: [u32; 3], block: [u32; 3]) -> Result<Duration, ReplayError> {
        if let Some(most) = self.max_teams()?
            && grid.iter().product::<u32>() > most
        {
            return Err(ReplayError::Teams(most));
        }
        self.restore()?;
        let arguments = &self.recording.arguments;
        let arguments: Vec<u64> = arguments.iter().map(|word| self.relocated(*word)).collect();
        let launch = Launch {
            grid,
            block,
            dynamic_shared: self.recording.dynamic_shared,
            cooperative: false,
            args: &arguments,
        };
        let begin = Instant::now();
        self.kernel.launch(&launch)?;
        Ok(begin.elapsed())
    }

    /// The differences from the recording after [`Replay::run`].
    pub fn differences(&self) -> Result<Vec<Difference>, ReplayError> {
        let mut differences = Vec::new();
        for (index, expected) in self.contents(&self.recording.after).enumerate() {
            let found = self.read(index, expected.len())?;
            let unequal = |(_, (a, b)): &(usize, (&u8, &u8))| a != b;
            let mut unequal = found.iter().zip(&expected).enumerate().filter(unequal);
            let Some((first, _)) = unequal.next() else {
                continue;
            };
            let area = &self.recording.areas[index];
            differences.push(Difference {
                area: match &area.place {
                    Place::Block(_) => format!("allocation {index}"),
                    Place::Variable { name, .. } => name.clone(),
                },
                size: area.size,
                bytes: 1 + unequal.count() as u64,
                first: first as u64,
            });
        }
        Ok(differences)
    }

    fn restore(&self) -> Result<(), ReplayError> {
        for (index, bytes) in self.contents(&self.recording.before).enumerate() {
            // Unchanged areas are not written, because they may be constant.
            if self.read(index, bytes.len())? != bytes {
                let address = DevicePtr(self.addresses[index]);
                // SAFETY: `bytes` is readable for its length.
                unsafe { self.device.write(address, bytes.as_ptr(), bytes.len())? };
            }
        }
        Ok(())
    }

    fn read(&self, index: usize, size: usize) -> Result<Vec<u8>, ReplayError> {
        let mut bytes = vec![0; size];
        let address = DevicePtr(self.addresses[index]);
        // SAFETY: `bytes` is writable for its length.
        unsafe { self.device.read(bytes.as_mut_ptr(), address, size)? };
        Ok(bytes)
    }

    /// The areas' bytes from `all`, with pointers relocated.
    fn contents(&self, all: &'a [u8]) -> impl Iterator<Item = Vec<u8>> {
        let mut rest = all;
        self.recording.areas.iter().map(move |area| {
            let (bytes, others) = rest.split_at(area.size as usize);
            rest = others;
            let mut bytes = bytes.to_vec();
            for word in bytes.as_chunks_mut::<8>().0 {
                *word = self.relocated(u64::from_le_bytes(*word)).to_le_bytes();
            }
            bytes
        })
    }

    /// Relocates a pointer into recorded memory to the replay's memory. Any other word stays the same.
    fn relocated(&self, word: u64) -> u64 {
        for (area, now) in self.recording.areas.iter().zip(&self.addresses) {
            if let Place::Variable { address, .. } = area.place
                && (address..address + area.size.max(1)).contains(&word)
            {
                return now + (word - address);
            }
        }
        let Some(block) = self.block else {
            return word;
        };
        let base = self.recording.base;
        let end = base + block_size(&self.recording.areas);
        if (base.saturating_sub(BASE_REACH)..end.saturating_add(BASE_REACH)).contains(&word) {
            return word.wrapping_sub(base).wrapping_add(block.0);
        }
        word
    }
}

impl Drop for Replay<'_> {
    fn drop(&mut self) {
        if let Some(block) = self.block {
            // The device allocated it. An error could not be reported here.
            let _freed = self.device.free(block);
        }
    }
}

/// Bytes from the start of the block to the end of its last allocation.
fn block_size(areas: &[Area]) -> u64 {
    let end = |area: &Area| match area.place {
        Place::Block(offset) => offset + area.size.max(1),
        Place::Variable { .. } => 0,
    };
    areas.iter().map(end).max().unwrap_or(0)
}

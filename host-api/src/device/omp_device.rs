//! One OpenMP device: a plugin's device with its number, its mapping table and what it has loaded.

use std::sync::Arc;

use plugin_api::Device;

use crate::device::program::{LoadTarget, Program};
use crate::device::reduction_buffer::ReductionBuffers;
use crate::device::stream_pool::StreamPool;
use crate::mapping::table::MappingTable;
use crate::recording::replay_memory::ReplayMemory;

/// A device as OpenMP sees it.
pub struct OmpDevice {
    /// Its OpenMP device number.
    pub number: usize,
    /// Its unique identifier, stable from run to run on the same machine.
    pub uid: std::ffi::CString,
    /// The device itself.
    pub device: Arc<dyn Device>,
    /// What is mapped on it.
    pub table: MappingTable,
    /// What it has loaded.
    pub program: Program,
    /// Launch environments for cross-team reductions.
    pub reductions: ReductionBuffers,
    /// Idle streams.
    pub streams: StreamPool,
    /// Its memory for replays.
    pub replay_memory: ReplayMemory,
    unified_shared_memory: bool,
}

impl OmpDevice {
    /// Device `number`, with nothing mapped or loaded.
    pub fn new(
        number: usize,
        uid: std::ffi::CString,
        device: Arc<dyn Device>,
        unified_shared_memory: bool,
    ) -> OmpDevice {
        OmpDevice {
            number,
            uid,
            device,
            table: MappingTable::default(),
            program: Program::default(),
            reductions: ReductionBuffers::default(),
            streams: StreamPool::default(),
            replay_memory: ReplayMemory::default(),
            unified_shared_memory,
        }
    }

    /// Whether host memory is used in place (`requires unified_shared_memory`).
    pub fn unified_shared_memory(&self) -> bool {
        self.unified_shared_memory
    }

    /// The part of the device that loading and unloading use.
    pub fn load_target(&self) -> LoadTarget<'_> {
        LoadTarget {
            number: self.number,
            device: &*self.device,
            table: &self.table,
            unified_shared_memory: self.unified_shared_memory,
        }
    }

    /// Its name, for messages.
    pub fn name(&self) -> &str {
        &self.device.info().name
    }
}

/// Where a construct or routine works.
#[derive(Clone, Copy)]
pub enum Target<'a> {
    /// The host.
    Host,
    /// A device that has everything registered loaded.
    Device(&'a OmpDevice),
}

impl Target<'_> {
    /// Its name in messages.
    pub fn side(&self) -> String {
        match self {
            Target::Host => "host".into(),
            Target::Device(device) => format!("device {}", device.number),
        }
    }
}

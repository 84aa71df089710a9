//! The target regions of a device by id. Every launch looks one up; only loading and unloading change them.
//!
//! A shared lock and a shared reference count make the processor's cores compete for one cache line, even if nobody
//! writes the table. Two threads that launch small regions would together be no faster than one. So there are several
//! copies of the table, each with its own locks and counts. Threads are spread over the copies.

use std::array;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use parking_lot::RwLock;
use plugin_api::Kernel;

use crate::device::device_runtime::DeviceRuntime;
use crate::device::kernel_environment::KernelEnvironment;
use crate::thread_number::ThreadNumber;

/// Copies of the table.
const COPIES: usize = 16;

/// A target region on this device.
#[derive(Clone)]
pub struct Region {
    /// The kernel's symbol.
    pub name: String,
    /// The kernel.
    pub kernel: Arc<dyn Kernel>,
    /// What the compiler knows of it.
    pub environment: KernelEnvironment,
    /// What the kernel's image was linked with.
    pub device_runtime: DeviceRuntime,
    /// Whether the user was warned that its teams get fewer threads than asked for.
    pub warned_of_cut: Arc<AtomicBool>,
}

/// The regions.
pub struct Regions {
    copies: [Copy; COPIES],
}

/// On its own pair of cache lines: processors fetch them in pairs.
#[derive(Default)]
#[repr(align(128))]
struct Copy(RwLock<HashMap<u64, Arc<PaddedRegion>>>);

/// A region whose reference count shares no cache line with that of another copy.
#[repr(align(128))]
pub struct PaddedRegion(Region);

impl std::ops::Deref for PaddedRegion {
    type Target = Region;

    fn deref(&self) -> &Region {
        &self.0
    }
}

impl Default for Regions {
    fn default() -> Regions {
        Regions {
            copies: array::from_fn(|_| Copy::default()),
        }
    }
}

impl Regions {
    /// The region with this id.
    pub fn get(&self, id: u64) -> Option<Arc<PaddedRegion>> {
        let copy = ThreadNumber::of_this_thread().0 as usize % COPIES;
        let table = self.copies[copy].0.read();
        table.get(&id).cloned()
    }

    /// Adds a region.
    pub fn insert(&self, id: u64, region: &Region) {
        for copy in &self.copies {
            let mut table = copy.0.write();
            table.insert(id, Arc::new(PaddedRegion(region.clone())));
        }
    }

    /// Takes regions out.
    pub fn remove(&self, ids: &[u64]) {
        for copy in &self.copies {
            let mut table = copy.0.write();
            ids.iter().for_each(|id| drop(table.remove(id)));
        }
    }
}

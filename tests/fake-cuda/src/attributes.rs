//! Properties of devices (`CUdevice_attribute`). They are those of an H100 where the virtual GPU has none.

use crate::call::settings;
use crate::device::{DEFAULT_SHARED, Device, description};
use crate::result::{Failure, Outcome};

/// Shared memory of a block with opt-in, as on an H100 and on the virtual GPU.
const MAX_SHARED: u32 = 227 << 10;

/// The value of a property. Properties that are not listed are invalid.
pub fn value(device: &Device, attribute: i32) -> Outcome<i32> {
    let value = match attribute {
        // MAX_THREADS_PER_BLOCK, MAX_GRID_DIM_X … Z
        1 => 1024,
        5 => i32::MAX as u32,
        6 | 7 => 65_535,
        // MAX_SHARED_MEMORY_PER_BLOCK, …_PER_MULTIPROCESSOR, …_OPTIN
        8 => DEFAULT_SHARED,
        81 => MAX_SHARED + (1 << 10),
        97 => MAX_SHARED,
        // WARP_SIZE, MULTIPROCESSOR_COUNT
        10 => 32,
        16 => description()?.multiprocessors,
        // CLOCK_RATE in kHz: a tick of the virtual GPU's clock is a nanosecond.
        13 => 1_000_000,
        // MAX_REGISTERS_PER_BLOCK, …_PER_MULTIPROCESSOR
        12 | 82 => 65_536,
        // MAX_THREADS_PER_MULTIPROCESSOR, MAX_BLOCKS_PER_MULTIPROCESSOR
        39 => 2048,
        106 => 32,
        // UNIFIED_ADDRESSING, MANAGED_MEMORY, CONCURRENT_MANAGED_ACCESS, COOPERATIVE_LAUNCH, CAN_MAP_HOST_MEMORY
        41 | 83 | 89 | 95 | 19 => 1,
        // COMPUTE_CAPABILITY_MAJOR, …_MINOR
        75 => device.capability.0.into(),
        76 => device.capability.1.into(),
        // CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM
        91 => 1,
        // PAGEABLE_MEMORY_ACCESS
        88 => settings()?.pageable.into(),
        // MEMORY_POOLS_SUPPORTED
        115 => settings()?.pools.into(),
        _ => {
            eprintln!("fake CUDA driver: device attribute {attribute} is not emulated");
            return Err(Failure::INVALID_VALUE);
        }
    };
    i32::try_from(value).map_err(|_| Failure::INVALID_VALUE)
}

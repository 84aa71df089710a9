//! The properties of a GPU that the driver reports without a context.

use std::ffi::{CStr, c_char, c_int};

use plugin_api::DeviceInfo;

use crate::arch::Arch;
use crate::driver::{CuDevice, CuDeviceAttribute, Driver, Failure, Outcome};

/// The properties of a GPU.
#[derive(Clone, Debug)]
pub struct Properties {
    /// The properties that all devices have.
    pub info: DeviceInfo,
    /// Registers that a block may have.
    pub registers: u32,
    /// Its architecture.
    pub arch: Arch,
    /// Shared memory of a block without opt-in, bytes.
    pub default_shared_memory: u32,
    /// Whether there is memory that migrates between host and device.
    pub managed_memory: bool,
    /// Whether kernels may dereference any host pointer.
    pub host_pointers: bool,
    /// Whether kernels use memory that the program has registered under the host's address.
    pub registered_pointers: bool,
    /// Whether allocations come from a pool.
    pub memory_pools: bool,
}

impl Properties {
    /// Queries the driver.
    pub fn of(driver: &Driver, device: CuDevice) -> Result<Properties, Failure> {
        let attribute = |attribute| {
            let mut value: c_int = 0;
            // SAFETY: `value` is writable, the device exists.
            unsafe { driver.device_get_attribute(&mut value, attribute, device) }?;
            Ok(u32::try_from(value).unwrap_or(0))
        };
        use CuDeviceAttribute as Ask;
        let arch = Arch::of_capability(
            attribute(Ask::COMPUTE_CAPABILITY_MAJOR)?,
            attribute(Ask::COMPUTE_CAPABILITY_MINOR)?,
        );
        let mut memory = 0usize;
        // SAFETY: `memory` is writable, the device exists.
        unsafe { driver.device_total_mem(&mut memory, device) }?;
        let default_shared_memory = attribute(Ask::MAX_SHARED_MEMORY_PER_BLOCK)?;
        Ok(Properties {
            registers: attribute(Ask::MAX_REGISTERS_PER_BLOCK)?,
            info: DeviceInfo {
                name: name(|text, length| {
                    // SAFETY: `text` is writable for `length` bytes.
                    unsafe { driver.device_get_name(text, length, device) }
                })?,
                arch: arch.to_string(),
                multiprocessors: attribute(Ask::MULTIPROCESSOR_COUNT)?,
                warp_size: attribute(Ask::WARP_SIZE)?,
                max_threads_per_block: attribute(Ask::MAX_THREADS_PER_BLOCK)?,
                max_blocks: [
                    attribute(Ask::MAX_GRID_DIM_X)?,
                    attribute(Ask::MAX_GRID_DIM_Y)?,
                    attribute(Ask::MAX_GRID_DIM_Z)?,
                ],
                max_shared_memory: attribute(Ask::MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?
                    .max(default_shared_memory),
                total_memory: memory as u64,
                // Device code knows the frequency of `%globaltimer`.
                clock_frequency: 0,
                max_iterations_per_thread: 0,
                max_iterations_in_rows: 0,
                record_per_team: false,
                shares_cpus: false,
            },
            arch,
            default_shared_memory,
            managed_memory: attribute(Ask::MANAGED_MEMORY)? != 0,
            host_pointers: attribute(Ask::PAGEABLE_MEMORY_ACCESS)? != 0,
            registered_pointers: attribute(Ask::HOST_POINTERS_OF_REGISTERED_MEMORY)? != 0,
            memory_pools: attribute(Ask::MEMORY_POOLS_SUPPORTED)? != 0,
        })
    }
}

fn name(ask: impl FnOnce(*mut c_char, c_int) -> Outcome) -> Result<String, Failure> {
    let mut text = [0u8; 256];
    ask(text.as_mut_ptr().cast(), text.len() as c_int)?;
    let name = CStr::from_bytes_until_nul(&text).unwrap_or_default();
    Ok(name.to_string_lossy().into_owned())
}

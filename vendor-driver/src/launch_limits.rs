//! The limits of a launch.

use plugin_api::{DeviceInfo, Error, KernelInfo, Launch};

/// Why the device cannot do such a launch: which limit, its value, and the value asked for.
pub fn launch_problem(
    device: &DeviceInfo,
    kernel: &KernelInfo,
    launch: &Launch<'_>,
) -> Option<String> {
    let threads = product(launch.block);
    if product(launch.grid) == 0 || threads == 0 {
        return Some(format!(
            "a grid of {:?} blocks of {:?} threads has no thread",
            launch.grid, launch.block
        ));
    }
    let mut sides = launch.grid.iter().zip(device.max_blocks);
    if sides.any(|(blocks, most)| *blocks > most) {
        return Some(format!(
            "{:?} blocks; the limit is {:?}",
            launch.grid, device.max_blocks
        ));
    }
    if threads > u64::from(kernel.max_threads) {
        return Some(format!(
            "{threads} threads per block; this kernel's limit is {}",
            kernel.max_threads
        ));
    }
    let shared = u64::from(launch.dynamic_shared) + u64::from(kernel.static_shared);
    if shared > u64::from(device.max_shared_memory) {
        return Some(format!(
            "{shared} bytes of shared memory per block; the device has {}",
            device.max_shared_memory
        ));
    }
    let words: usize = kernel.parameters.iter().map(|each| each.words()).sum();
    if launch.args.len() < words {
        return Some(format!(
            "{} arguments of 8 bytes; the kernel takes {words}",
            launch.args.len()
        ));
    }
    None
}

/// The error for a launch that the device cannot do.
pub fn invalid_launch(kernel: &KernelInfo, why: String) -> Error {
    Error::InvalidLaunch {
        kernel: kernel.name.clone(),
        why,
    }
}

fn product(dimensions: [u32; 3]) -> u64 {
    dimensions
        .iter()
        .map(|&count| u64::from(count))
        .fold(1, u64::saturating_mul)
}

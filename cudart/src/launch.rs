//! Kernel launches: limits, and arguments as words.

use std::sync::LazyLock;

use plugin_api::{DeviceInfo, Launch, Parameter};

use crate::cuda_device::LoadedKernel;
use crate::error::{Code, Result, report};
use crate::front::front;
use crate::runtime::Runtime;

/// Most threads of a block in its dimensions.
pub const MAX_BLOCK: [u32; 3] = [1024, 1024, 64];

/// What a program says of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Configuration {
    /// Blocks per dimension.
    pub grid: [u32; 3],
    /// Threads of a block per dimension.
    pub block: [u32; 3],
    /// Dynamic shared memory, in bytes.
    pub shared: usize,
    /// The stream's handle.
    pub stream: usize,
    /// Whether blocks wait for each other.
    pub cooperative: bool,
}

/// Enqueues a kernel.
///
/// # Safety
/// `arguments` has the address of an argument for each parameter of the kernel.
pub unsafe fn launch(
    runtime: &Runtime,
    stub: usize,
    configuration: Configuration,
    arguments: *const *const u8,
) -> Result<()> {
    let Configuration {
        grid,
        block,
        shared,
        stream,
        cooperative,
    } = configuration;
    let own = runtime.stream(stream)?;
    own.device.check()?;
    if own.device.number != runtime.device()?.number {
        return Err(Code::INVALID_HANDLE);
    }
    let symbol = runtime
        .registry
        .kernel(stub)
        .ok_or(Code::INVALID_FUNCTION)?;
    let kernel = own.device.kernel(&runtime.registry, &symbol)?;
    if let Some(why) = kernel.raw.refusal() {
        report(
            &format!("kernel {} cannot run", kernel.raw.info().name),
            &why,
        );
        return Err(Code::INVALID_FUNCTION);
    }
    check(own.device.raw.info(), &kernel, grid, block, shared)?;
    // SAFETY: caller.
    let words = unsafe { words(&kernel.raw.info().parameters, arguments) };
    let launch = Launch {
        grid,
        block,
        // The limit is smaller.
        dynamic_shared: shared as u32,
        cooperative,
        args: &words,
    };
    if reports_launches() {
        report_launch(&kernel, &launch);
    }
    own.device
        .enqueue_kernel(&own.stream, stub, &kernel.raw, &launch)
}

/// The bit of `LIBOMPTARGET_INFO` for kernels and how they are launched.
const KERNELS: i64 = 0x10;

/// Whether the user wants to see each launch.
fn reports_launches() -> bool {
    static WANTED: LazyLock<bool> = LazyLock::new(|| {
        let text = std::env::var("LIBOMPTARGET_INFO").unwrap_or_default();
        let text = text.trim();
        let bits = match text.strip_prefix("0x") {
            Some(digits) => i64::from_str_radix(digits, 16),
            None => text.parse(),
        };
        bits.is_ok_and(|bits| bits & KERNELS != 0)
    });
    *WANTED
}

/// Tells the user of a launch, and what the device remarks on it.
fn report_launch(kernel: &LoadedKernel, launch: &Launch<'_>) {
    let shape = |[x, y, z]: [u32; 3]| format!("{x} x {y} x {z}");
    let (blocks, threads) = (shape(launch.grid), shape(launch.block));
    let remark = kernel.raw.remark(launch);
    let remark = remark.map_or_else(String::new, |remark| format!(", {remark}"));
    let what = format!("kernel {}", kernel.raw.info().name);
    report(
        &what,
        &format_args!("{blocks} blocks of {threads} threads{remark}"),
    );
}

/// Whether the device and the kernel allow such a launch.
fn check(
    info: &DeviceInfo,
    kernel: &LoadedKernel,
    grid: [u32; 3],
    block: [u32; 3],
    shared: usize,
) -> Result<()> {
    let within = |counts: [u32; 3], limits: [u32; 3]| {
        let mut pairs = counts.iter().zip(limits);
        pairs.all(|(&count, limit)| (1..=limit).contains(&count))
    };
    if !within(grid, info.max_blocks) || !within(block, MAX_BLOCK) {
        return Err(Code::INVALID_CONFIGURATION);
    }
    let threads: u32 = block.iter().product();
    if threads > info.max_threads_per_block {
        return Err(Code::INVALID_CONFIGURATION);
    }
    let own = kernel.raw.info();
    if !own.bound.allows(block) {
        return Err(front().beyond_bounds);
    }
    // Registers.
    if threads > own.max_threads {
        return Err(Code::OUT_OF_RESOURCES);
    }
    match shared > kernel.max_dynamic() as usize {
        true => Err(Code::INVALID_VALUE),
        false => Ok(()),
    }
}

/// The words of a launch.
///
/// # Safety
/// `arguments` has the address of an argument for each parameter.
unsafe fn words(parameters: &[Parameter], arguments: *const *const u8) -> Vec<u64> {
    let mut words = Vec::with_capacity(parameters.len());
    for (index, parameter) in parameters.iter().enumerate() {
        // SAFETY: there is an address for each parameter, and the argument has the parameter's size (caller).
        let bytes =
            unsafe { std::slice::from_raw_parts(*arguments.add(index), parameter.size as usize) };
        words.extend(bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        }));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_become_words() {
        let parameters = [(0, 1), (8, 12)].map(|(offset, size)| Parameter { offset, size });
        let (byte, structure) = (7u8, [1u32, 2, 3]);
        let arguments = [&raw const byte, structure.as_ptr().cast()];
        // SAFETY: both are as large as the parameters.
        let words = unsafe { words(&parameters, arguments.as_ptr()) };
        assert_eq!(words, [7, 0x2_0000_0001, 3]);
    }
}

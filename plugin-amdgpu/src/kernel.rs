//! Kernels.

use std::sync::Arc;

use plugin_api::{Kernel, KernelInfo, Launch, LaunchBound, Result, Stream};
use vendor_driver::{best_block, invalid_launch, launch_problem};

use crate::driver::{Dispatch, HsaSymbol, HsaSymbolInfo};
use crate::metadata::{Hidden, KernelMetadata};
use crate::module::Loaded;
use crate::occupancy::{ComputeUnit, resident_blocks};
use crate::queue::{NewPacket, halves};
use crate::signal::Signal;
use crate::stream::AmdStream;

/// Candidate block sizes. Clang compiles regions for 256 threads when a program specifies none.
const BLOCK_SIZES: [u32; 3] = [256, 512, 1024];

/// A kernel of a loaded image.
pub struct AmdKernel {
    info: KernelInfo,
    name: Arc<str>,
    metadata: KernelMetadata,
    /// What dispatch packets name.
    object: u64,
    /// Bytes of the arguments.
    arguments: u32,
    /// Private memory of a thread, bytes.
    private_segment: u32,
    /// Keeps the code loaded.
    code: Arc<Loaded>,
}

impl AmdKernel {
    /// The kernel with this symbol.
    pub fn new(
        code: &Arc<Loaded>,
        name: &str,
        symbol: HsaSymbol,
        metadata: &KernelMetadata,
    ) -> Result<AmdKernel> {
        let gpu = &code.gpu;
        let number = |attribute| -> Result<u32> {
            let mut value = 0u32;
            // SAFETY: the symbol is loaded, and the value has the attribute's size.
            gpu.check(unsafe {
                gpu.runtime
                    .driver
                    .symbol_get_info(symbol, attribute, (&raw mut value).cast())
            })?;
            Ok(value)
        };
        let (mut object, mut calls) = (0u64, 0u8);
        let driver = gpu.runtime.driver;
        // SAFETY: the symbol is loaded, and the values have the attributes' sizes.
        gpu.check(unsafe {
            driver
                .symbol_get_info(
                    symbol,
                    HsaSymbolInfo::KERNEL_OBJECT,
                    (&raw mut object).cast(),
                )
                .and_then(|()| {
                    driver.symbol_get_info(
                        symbol,
                        HsaSymbolInfo::DYNAMIC_CALLSTACK,
                        (&raw mut calls).cast(),
                    )
                })
        })?;
        let own_private = number(HsaSymbolInfo::PRIVATE_SEGMENT_SIZE)?;
        let stack = if calls != 0 { gpu.settings.stack } else { 0 };
        let static_shared = number(HsaSymbolInfo::GROUP_SEGMENT_SIZE)?;
        let device = &gpu.properties.info;
        let max_threads = match metadata.max_threads {
            0 => device.max_threads_per_block,
            most => most.min(device.max_threads_per_block),
        };
        log::debug!(
            "kernel {name}: {} vector and {} scalar registers, {static_shared} bytes of shared and {own_private} of \
             private memory, at most {max_threads} threads per block",
            metadata.vector_registers,
            metadata.scalar_registers,
        );
        let unit = compute_unit(code);
        let resident = |threads| {
            let blocks =
                resident_blocks(unit, &gpu.properties.arch, metadata, threads, static_shared);
            Ok::<u32, plugin_api::Error>(blocks)
        };
        Ok(AmdKernel {
            info: KernelInfo {
                name: name.to_owned(),
                parameters: metadata.parameters.clone(),
                max_threads,
                bound: match metadata.max_threads {
                    0 => LaunchBound::None,
                    most => LaunchBound::AtMost(most),
                },
                warp_size: match metadata.wave_size {
                    0 => device.warp_size,
                    lanes => lanes,
                },
                default_threads: best_block(&BLOCK_SIZES, max_threads, resident)?,
                static_shared,
            },
            name: name.into(),
            metadata: metadata.clone(),
            object,
            arguments: number(HsaSymbolInfo::KERNARG_SEGMENT_SIZE)?,
            private_segment: own_private.saturating_add(stack),
            code: code.clone(),
        })
    }

    /// The kernel's name, shared.
    pub fn name(&self) -> Arc<str> {
        self.name.clone()
    }

    /// What keeps the code loaded.
    pub fn code(&self) -> Arc<Loaded> {
        self.code.clone()
    }

    /// Checks the limits of a launch.
    pub fn check(&self, launch: &Launch<'_>) -> Result<()> {
        let properties = &self.code.gpu.properties;
        let problem = launch_problem(&properties.info, &self.info, launch).or_else(|| {
            let sides = launch.grid.iter().zip(launch.block);
            let items = |(blocks, threads): (&u32, u32)| u64::from(*blocks) * u64::from(threads);
            let mut limits = sides.map(items).zip(properties.max_grid);
            let beyond = limits.any(|(items, most)| items > u64::from(most));
            beyond.then(|| {
                format!(
                    "{:?} blocks of {:?} threads; the limit is {:?} threads",
                    launch.grid, launch.block, properties.max_grid
                )
            })
        });
        match problem {
            Some(why) => Err(invalid_launch(&self.info, why)),
            None => Ok(()),
        }
    }

    /// Bytes of the arguments, at least one.
    pub fn arguments_size(&self) -> usize {
        self.arguments.max(1) as usize
    }

    /// Writes the arguments of a launch that was checked.
    ///
    /// # Safety
    /// `place` is writable for [`AmdKernel::arguments_size`] bytes.
    pub unsafe fn write_arguments(&self, launch: &Launch<'_>, place: *mut u8) {
        // SAFETY: caller.
        let bytes = unsafe {
            place.write_bytes(0, self.arguments_size());
            std::slice::from_raw_parts_mut(place, self.arguments_size())
        };
        let mut next = 0;
        for parameter in &self.info.parameters {
            let words = &launch.args[next..next + parameter.words()];
            next += parameter.words();
            let value: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            put(bytes, parameter.offset, &value[..parameter.size as usize]);
        }
        for argument in &self.metadata.hidden {
            let value = hidden_value(argument.kind, launch).to_le_bytes();
            put(
                bytes,
                argument.offset,
                &value[..argument.size.min(8) as usize],
            );
        }
    }

    /// The packet of a launch that was checked. With `in_order` it begins when all packets before it are complete.
    pub fn packet(
        &self,
        launch: &Launch<'_>,
        arguments: *const u8,
        completion: &Signal,
        in_order: bool,
    ) -> NewPacket {
        let [bx, by, bz] = launch.block;
        let [gx, gy, gz] = launch.grid;
        let dispatch = Dispatch {
            // At most 1024 of each.
            workgroup: [bx as u16, by as u16, bz as u16],
            reserved0: 0,
            grid: [gx * bx, gy * by, gz * bz],
            private_segment: self.private_segment,
            group_segment: self.info.static_shared + launch.dynamic_shared,
            kernel: halves(self.object),
            arguments: halves(arguments.expose_provenance() as u64),
            reserved1: [0; 2],
            completion: halves(completion.handle.0),
        };
        NewPacket::dispatch(dispatch, in_order)
    }
}

fn compute_unit(code: &Loaded) -> ComputeUnit {
    let properties = &code.gpu.properties;
    ComputeUnit {
        waves: properties.max_waves,
        simds: properties.simds,
        shared: properties.info.max_shared_memory,
    }
}

/// Copies a value to its place in the arguments, if that is within them.
fn put(arguments: &mut [u8], offset: u32, value: &[u8]) {
    let start = offset as usize;
    if let Some(place) = arguments.get_mut(start..start + value.len()) {
        place.copy_from_slice(value);
    }
}

/// The value of an implicit argument.
fn hidden_value(kind: Hidden, launch: &Launch<'_>) -> u64 {
    match kind {
        Hidden::BlockCount(index) => launch.grid[index].into(),
        Hidden::GroupSize(index) => launch.block[index].into(),
        // All blocks are full.
        Hidden::Remainder(_) | Hidden::Other => 0,
        Hidden::GridDimensions => 3,
        Hidden::DynamicSharedSize => launch.dynamic_shared.into(),
    }
}

impl Kernel for AmdKernel {
    fn info(&self) -> &KernelInfo {
        &self.info
    }

    fn resident_blocks(&self, threads: u32, dynamic_shared: u32) -> Option<u32> {
        let shared = self.info.static_shared.saturating_add(dynamic_shared);
        Some(resident_blocks(
            compute_unit(&self.code),
            &self.code.gpu.properties.arch,
            &self.metadata,
            threads,
            shared,
        ))
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        let stream = AmdStream::new(&self.code.gpu)?;
        stream.run(self, launch)?;
        stream.synchronize()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn implicit_arguments() {
        let launch = Launch {
            grid: [7, 2, 1],
            block: [64, 4, 1],
            dynamic_shared: 99,
            cooperative: false,
            args: &[],
        };
        let value = |kind| hidden_value(kind, &launch);
        assert_eq!(value(Hidden::BlockCount(0)), 7);
        assert_eq!(value(Hidden::GroupSize(1)), 4);
        assert_eq!(value(Hidden::Remainder(0)), 0);
        assert_eq!(
            (
                value(Hidden::GridDimensions),
                value(Hidden::DynamicSharedSize)
            ),
            (3, 99)
        );
        let mut arguments = [0u8; 8];
        put(&mut arguments, 2, &[1, 2]);
        put(&mut arguments, 7, &[3, 4]);
        assert_eq!(arguments, [0, 0, 1, 2, 0, 0, 0, 0]);
    }
}

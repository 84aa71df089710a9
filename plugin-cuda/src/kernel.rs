//! Kernels.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use plugin_api::{Kernel, KernelInfo, Launch, LaunchBound, Parameter, Result, Stream};
use vendor_driver::{best_block, invalid_launch, launch_problem};

use crate::driver::{CuFunction, CuFunctionAttribute, CuResult, CuStream};
use crate::gpu::Gpu;
use crate::module::Loaded;
use crate::properties::Properties;
use crate::stream::CudaStream;

/// Launch shapes per kernel whose occupancy is remembered.
const SHAPES: usize = 16;

/// Candidate block sizes. Clang compiles regions for 128 threads when a program specifies none.
const BLOCK_SIZES: [u32; 4] = [128, 256, 512, 1024];

/// A kernel of a loaded image.
pub struct CudaKernel {
    info: KernelInfo,
    name: Arc<str>,
    function: CuFunction,
    /// Whether the kernel has opted in to all shared memory of a block.
    opted_in: AtomicBool,
    /// How many blocks a multiprocessor holds, by threads and dynamic shared memory. Programs launch a few shapes
    /// often.
    resident: Mutex<Vec<((u32, u32), u32)>>,
    /// Keeps the code loaded.
    code: Arc<Loaded>,
}

/// What the program declared, as far as it is known: a driver gives one number for that and for what registers allow.
/// If another warp's would be there, they are not the limit. A thread's are counted in eights ("CUDA C++ Programming
/// Guide", Compute Capabilities).
fn launch_bound(device: &Properties, max_threads: u32, registers: u32) -> LaunchBound {
    let larger = max_threads.saturating_add(device.info.warp_size);
    let needed = larger.saturating_mul(registers.next_multiple_of(8));
    match larger <= device.info.max_threads_per_block && needed <= device.registers {
        true => LaunchBound::AtMost(max_threads),
        false => LaunchBound::None,
    }
}

impl CudaKernel {
    /// The kernel of this name. `listed` are its parameters, if the image lists them.
    pub fn new(
        code: &Arc<Loaded>,
        name: &str,
        function: CuFunction,
        listed: Option<&[Parameter]>,
    ) -> Result<CudaKernel> {
        let gpu = &code.gpu;
        let _entered = gpu.enter()?;
        let ask = |attribute| -> Result<u32> {
            let mut value: c_int = 0;
            // SAFETY: `value` is writable, the function is loaded.
            gpu.check(unsafe {
                gpu.driver
                    .func_get_attribute(&mut value, attribute, function)
            })?;
            Ok(u32::try_from(value).unwrap_or(0))
        };
        let max_threads = ask(CuFunctionAttribute::MAX_THREADS_PER_BLOCK)?.max(1);
        let static_shared = ask(CuFunctionAttribute::SHARED_SIZE_BYTES)?;
        let registers = ask(CuFunctionAttribute::NUM_REGS)?;
        let bound = launch_bound(&gpu.properties, max_threads, registers);
        log::debug!(
            "kernel {name}: {} registers, {static_shared} bytes of shared and {} of local memory, \
             at most {max_threads} threads per block",
            registers,
            ask(CuFunctionAttribute::LOCAL_SIZE_BYTES)?,
        );
        let parameters = match listed {
            Some(listed) => listed.to_vec(),
            None => parameters(gpu, function)?.unwrap_or_default(),
        };
        let resident = |threads| resident_blocks(gpu, function, threads, 0);
        Ok(CudaKernel {
            info: KernelInfo {
                name: name.to_owned(),
                parameters,
                max_threads,
                bound,
                warp_size: gpu.properties.info.warp_size,
                default_threads: best_block(&BLOCK_SIZES, max_threads, resident)?,
                static_shared,
            },
            name: name.into(),
            function,
            opted_in: AtomicBool::new(false),
            resident: Mutex::default(),
            code: code.clone(),
        })
    }

    /// The kernel's name, shared.
    pub fn name(&self) -> Arc<str> {
        self.name.clone()
    }

    /// Enqueues a launch on a stream of the device, whose context is current.
    pub fn enqueue(&self, launch: &Launch<'_>, stream: CuStream) -> Result<()> {
        if let Some(why) = launch_problem(&self.code.gpu.properties.info, &self.info, launch) {
            return Err(invalid_launch(&self.info, why));
        }
        self.opt_in_shared_memory(launch.dynamic_shared)?;
        let mut parameters = self.arguments(launch);
        let ([gx, gy, gz], [bx, by, bz]) = (launch.grid, launch.block);
        let gpu = &self.code.gpu;
        let (function, shared, addresses) = (
            self.function,
            launch.dynamic_shared,
            parameters.as_mut_ptr(),
        );
        // SAFETY: the function is loaded. At each address the driver reads as many bytes as the parameter has
        // before it returns. The addresses point at the words of the launch.
        let launched = unsafe {
            if launch.cooperative {
                gpu.driver.launch_cooperative_kernel(
                    function, gx, gy, gz, bx, by, bz, shared, stream, addresses,
                )
            } else {
                gpu.driver.launch_kernel(
                    function,
                    gx,
                    gy,
                    gz,
                    bx,
                    by,
                    bz,
                    shared,
                    stream,
                    addresses,
                    null_mut(),
                )
            }
        };
        match launched {
            Err(failure) if failure.result == CuResult::LAUNCH_OUT_OF_RESOURCES => {
                Err(invalid_launch(
                    &self.info,
                    format!(
                        "blocks of {} threads with {} bytes of shared memory need more registers than a \
                     multiprocessor has",
                        u64::from(bx) * u64::from(by) * u64::from(bz),
                        u64::from(launch.dynamic_shared) + u64::from(self.info.static_shared),
                    ),
                ))
            }
            launched => gpu.check(launched),
        }
    }

    /// A launch that needs more than the default shared memory must opt in (CUDA programming guide, "Shared
    /// memory").
    fn opt_in_shared_memory(&self, dynamic_shared: u32) -> Result<()> {
        let gpu = &self.code.gpu;
        let properties = &gpu.properties;
        let usual = properties.default_shared_memory;
        let own = self.info.static_shared;
        if dynamic_shared.saturating_add(own) <= usual || self.opted_in.load(Ordering::Relaxed) {
            return Ok(());
        }
        let most = properties.info.max_shared_memory.saturating_sub(own);
        let attribute = CuFunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // Opts in to all of it, so that launches with different sizes do not interfere.
        // SAFETY: the function is loaded.
        gpu.check(unsafe {
            gpu.driver
                .func_set_attribute(self.function, attribute, most as c_int)
        })?;
        self.opted_in.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// The addresses of the arguments: the first word of each parameter.
    fn arguments(&self, launch: &Launch<'_>) -> Vec<*mut c_void> {
        let word = |index: usize| (&raw const launch.args[index]).cast_mut().cast::<c_void>();
        if self.info.parameters.is_empty() {
            return (0..launch.args.len()).map(word).collect();
        }
        let mut next = 0;
        let addresses = self.info.parameters.iter().map(|parameter| {
            let first = next;
            next += parameter.words();
            word(first)
        });
        addresses.collect()
    }
}

impl Kernel for CudaKernel {
    fn info(&self) -> &KernelInfo {
        &self.info
    }

    fn resident_blocks(&self, threads: u32, dynamic_shared: u32) -> Option<u32> {
        let shape = (threads, dynamic_shared);
        let mut known = self.resident.lock();
        if let Some((_, blocks)) = known.iter().find(|(other, _)| *other == shape) {
            return Some(*blocks);
        }
        let gpu = &self.code.gpu;
        let _entered = gpu.enter().ok()?;
        self.opt_in_shared_memory(dynamic_shared).ok()?;
        let blocks = resident_blocks(gpu, self.function, threads, dynamic_shared).ok()?;
        if known.len() == SHAPES {
            known.clear();
        }
        known.push((shape, blocks));
        Some(blocks)
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        let stream = CudaStream::new(&self.code.gpu, None)?;
        stream.run(self, launch)?;
        stream.synchronize()
    }
}

fn resident_blocks(
    gpu: &Gpu,
    function: CuFunction,
    threads: u32,
    dynamic_shared: u32,
) -> Result<u32> {
    let mut blocks: c_int = 0;
    let threads = c_int::try_from(threads).unwrap_or(c_int::MAX);
    // SAFETY: `blocks` is writable, the function is loaded.
    gpu.check(unsafe {
        gpu.driver.occupancy_max_active_blocks(
            &mut blocks,
            function,
            threads,
            dynamic_shared as usize,
        )
    })?;
    Ok(u32::try_from(blocks).unwrap_or(0))
}

/// A kernel's parameters as a newer driver reports them. `None`: the driver does not report them.
///
/// The last inquiry fails, because the driver does not say how many there are. compute-sanitizer takes that for an
/// error of the program. So this is for images that do not list their parameters.
fn parameters(gpu: &Gpu, function: CuFunction) -> Result<Option<Vec<Parameter>>> {
    let mut parameters = Vec::new();
    loop {
        let (mut offset, mut size) = (0, 0);
        // SAFETY: both variables are writable, the function is loaded.
        let asked = unsafe {
            gpu.driver
                .func_get_param_info(function, parameters.len(), &mut offset, &mut size)
        };
        match asked {
            None => return Ok(None),
            Some(Err(failure)) if failure.result == CuResult::INVALID_VALUE => {
                return Ok(Some(parameters));
            }
            Some(outcome) => gpu.check(outcome)?,
        }
        // Parameters take a few kilobytes at most.
        parameters.push(Parameter {
            offset: offset as u32,
            size: size as u32,
        });
    }
}

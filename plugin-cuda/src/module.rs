//! Loaded images.

use std::ffi::CString;
use std::sync::Arc;

use codegen::{Compiler, PtxOptions};
use device_image::{FatKind, Image, ImageKind};
use plugin_api::{DevicePtr, Error, Global, Kernel, LoadOptions, Module, Result, Stage};
use vendor_driver::{KernelTable, TRAP_RECORD_VARIABLE, compile_error};

use crate::driver::{CuFunction, CuModule, CuResult};
use crate::fat_binary;
use crate::gpu::Gpu;
use crate::init_array;
use crate::jit;
use crate::kernel::CudaKernel;
use crate::memory::Memory;
use crate::names::{Names, ptx_name};
use crate::ptx;
use crate::synchronous;

/// Code in the device's context. Unloaded with its last kernel.
pub struct Loaded {
    /// The device.
    pub gpu: Arc<Gpu>,
    handle: CuModule,
}

impl Drop for Loaded {
    fn drop(&mut self) {
        if let Ok(_entered) = self.gpu.enter() {
            // SAFETY: loaded once, and no kernel of it is in use any more.
            let unloaded = unsafe { self.gpu.driver.module_unload(self.handle) };
            if let Err(failure) = unloaded {
                log::debug!("{} failed: {}", failure.call, failure.result.0);
            }
        }
    }
}

/// A loaded image. Its destructors run when it is dropped.
pub struct CudaModule {
    code: Arc<Loaded>,
    names: Names,
    kernels: KernelTable<CudaKernel>,
    memory: Arc<Memory>,
    stages: Vec<Stage>,
}

/// The stage in which the driver's compiler assembles PTX.
const ASSEMBLE: &str = "assemble and load";

impl CudaModule {
    /// Loads an image that the device can run, and runs its constructors.
    pub fn load(
        gpu: &Arc<Gpu>,
        memory: &Arc<Memory>,
        image: &Image<'_>,
        options: &LoadOptions,
    ) -> Result<CudaModule> {
        let properties = &gpu.properties;
        if options.unified_shared_memory && !properties.host_pointers {
            return Err(Error::Load(format!(
                "the program requires unified_shared_memory, and kernels on {} cannot follow host pointers \
                 (that takes a GPU of sm_75 or newer with the driver's open kernel modules and Linux 6.1.24, \
                 or Grace Hopper)",
                properties.info.name
            )));
        }
        let mut stages = Vec::new();
        let (handle, names) = match image.kind {
            ImageKind::Bitcode => {
                let text = Stage::of("compile to PTX", &mut stages, || compile(gpu, image))?;
                load_ptx(gpu, &text, &mut stages)?
            }
            ImageKind::Ptx => load_ptx(gpu, &text_of(image.bytes), &mut stages)?,
            ImageKind::Object => load_machine_code(gpu, image.bytes, &mut stages)?,
            ImageKind::Fatbinary => {
                let unpack = || fat_binary::code(image, properties.arch);
                let code = Stage::of("unpack", &mut stages, unpack)?;
                match code.kind {
                    FatKind::Ptx => load_ptx(gpu, &text_of(&code.bytes), &mut stages)?,
                    FatKind::Cubin => load_machine_code(gpu, &code.bytes, &mut stages)?,
                }
            }
        };
        let mut module = CudaModule {
            code: Arc::new(Loaded {
                gpu: gpu.clone(),
                handle,
            }),
            names,
            kernels: KernelTable::default(),
            memory: memory.clone(),
            stages: Vec::new(),
        };
        Stage::of("initialise", &mut stages, || {
            module.install_trap_record()?;
            init_array::run(&module, memory, &init_array::CONSTRUCTORS)
        })?;
        module.stages = stages;
        Ok(module)
    }

    /// Tells the image's device runtime where to leave the reason for a trap.
    fn install_trap_record(&self) -> Result<()> {
        let gpu = &self.code.gpu;
        let variable = self.global(TRAP_RECORD_VARIABLE);
        let Some(variable) = variable.filter(|variable| variable.size == 8) else {
            return Ok(());
        };
        let record = gpu.enter()?.trap_record.device;
        synchronous::write(gpu, variable.address, &record.to_le_bytes())
    }

    /// The device.
    pub fn gpu(&self) -> &Arc<Gpu> {
        &self.code.gpu
    }

    /// Names of the visible constants.
    pub fn constants(&self) -> impl Iterator<Item = &str> {
        self.names.constants.iter().map(String::as_str)
    }

    /// Whether the image lists a kernel of this name.
    pub fn lists_kernel(&self, name: &str) -> bool {
        self.names.kernels.contains(&ptx_name(name))
    }

    /// The kernel of this name. `None`: the image has none.
    pub fn find_kernel(&self, name: &str) -> Result<Option<Arc<CudaKernel>>> {
        let gpu = &self.code.gpu;
        let symbol = CString::new(ptx_name(name)).unwrap_or_default();
        let mut function = CuFunction::NULL;
        let entered = gpu.enter()?;
        // SAFETY: `function` is writable, the module is loaded, the name is a C string.
        let found = unsafe {
            gpu.driver
                .module_get_function(&mut function, self.code.handle, symbol.as_ptr())
        };
        drop(entered);
        if found.is_err_and(|failure| failure.result == CuResult::NOT_FOUND) {
            return Ok(None);
        }
        gpu.check(found)?;
        let known = self.names.parameters.get(&*symbol.to_string_lossy());
        let known = known.map(Vec::as_slice);
        Ok(Some(Arc::new(CudaKernel::new(
            &self.code, name, function, known,
        )?)))
    }
}

fn load_ptx(gpu: &Gpu, text: &str, stages: &mut Vec<Stage>) -> Result<(CuModule, Names)> {
    let handle = Stage::of(ASSEMBLE, stages, || jit::load_ptx(gpu, text))?;
    Ok((handle, ptx::names(text)))
}

fn load_machine_code(
    gpu: &Gpu,
    bytes: &[u8],
    stages: &mut Vec<Stage>,
) -> Result<(CuModule, Names)> {
    let names = Names::of_cubin(bytes)?;
    let handle = Stage::of("load", stages, || jit::load_binary(gpu, bytes))?;
    Ok((handle, names))
}

/// The text of a PTX image, which may end with zeros.
fn text_of(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.trim_end_matches('\0').to_owned()
}

/// Optimisation level for bitcode. The level that clang was given has been applied already where the image was
/// linked.
const LEVEL: u8 = 2;

/// Compiles bitcode to PTX for the device.
pub fn compile(gpu: &Gpu, image: &Image<'_>) -> Result<String> {
    let options = PtxOptions {
        arch: gpu.properties.arch.to_string(),
        level: LEVEL,
    };
    Compiler::locate()
        .and_then(|compiler| compiler.ptx(image.bytes, &options))
        .map_err(compile_error)
}

impl Module for CudaModule {
    fn stages(&self) -> &[Stage] {
        &self.stages
    }

    fn global(&self, name: &str) -> Option<Global> {
        let gpu = &self.code.gpu;
        let symbol = CString::new(ptx_name(name)).ok()?;
        let (mut address, mut size) = (0, 0);
        let _entered = gpu.enter().ok()?;
        // SAFETY: both variables are writable, the module is loaded, the name is a C string.
        let found = unsafe {
            gpu.driver
                .module_get_global(&mut address, &mut size, self.code.handle, symbol.as_ptr())
        };
        if let Err(failure) = found {
            if failure.result != CuResult::NOT_FOUND {
                log::error!("variable {name}: {}", gpu.error(failure));
            }
            return None;
        }
        Some(Global {
            address: DevicePtr(address),
            size: size as u64,
        })
    }

    fn globals(&self) -> Vec<(String, Global)> {
        let names = self.names.variables.iter();
        names
            .filter_map(|name| Some((name.clone(), self.global(name)?)))
            .collect()
    }

    fn kernel(&self, name: &str) -> Option<Arc<dyn Kernel>> {
        self.kernels.kernel(name, || self.find_kernel(name))
    }
}

impl Drop for CudaModule {
    fn drop(&mut self) {
        if self.code.gpu.enter().is_err() {
            return;
        }
        if let Err(error) = init_array::run(self, &self.memory, &init_array::DESTRUCTORS) {
            log::error!("{error}");
        }
    }
}

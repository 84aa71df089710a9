//! Loaded images.

use std::ffi::CString;
use std::ptr::{null, null_mut};
use std::sync::{Arc, OnceLock};

use codegen::{CodeObjectOptions, Compiler};
use device_image::{Image, ImageKind};
use parking_lot::Mutex;
use plugin_api::{DevicePtr, Error, Global, Kernel, LoadOptions, Module, Result, Stage};
use vendor_driver::{KernelTable, TRAP_RECORD_VARIABLE, compile_error};

use crate::code_object::CodeObject;
use crate::driver::{
    HsaExecutable, HsaReader, HsaStatus, HsaSymbol, HsaSymbolInfo, PROFILE_FULL, ROUNDING_DEFAULT,
};
use crate::gpu::Gpu;
use crate::heap::{self, Heap};
use crate::init_array;
use crate::kernel::AmdKernel;
use crate::output::{self, Output};
use crate::synchronous;

/// Code on the device. Unloaded with its last kernel.
pub struct Loaded {
    /// The device.
    pub gpu: Arc<Gpu>,
    executable: HsaExecutable,
    reader: HsaReader,
    /// The code object. The runtime reads it as long as the executable lives.
    _bytes: Vec<u8>,
    /// Addresses of the variables that were asked for.
    globals: Mutex<Vec<u64>>,
    services: OnceLock<Services>,
}

/// What kernels of an image need of the host.
#[derive(Default)]
struct Services {
    _heap: Option<Heap>,
    output: Option<Output>,
}

impl Drop for Loaded {
    fn drop(&mut self) {
        drop(self.services.take());
        self.gpu.memory.remove_globals(&self.globals.lock());
        if self.gpu.in_use().is_none() {
            return;
        }
        let driver = self.gpu.runtime.driver;
        // SAFETY: loaded once, and no kernel of it is in use any more.
        let unloaded = unsafe {
            driver
                .executable_destroy(self.executable)
                .and(driver.reader_destroy(self.reader))
        };
        if let Err(failure) = unloaded {
            log::debug!("{} failed: {:#x}", failure.call, failure.result.0);
        }
    }
}

impl Loaded {
    /// Loads a code object.
    fn new(gpu: &Arc<Gpu>, bytes: Vec<u8>) -> Result<Loaded> {
        gpu.opened()?;
        let driver = gpu.runtime.driver;
        let (mut reader, mut executable) = (HsaReader::NULL, HsaExecutable::NULL);
        // SAFETY: the bytes live longer than the reader, and both variables are writable.
        gpu.check(unsafe {
            driver.reader_create(bytes.as_ptr().cast(), bytes.len(), &mut reader)
        })?;
        // SAFETY: as above.
        let created = unsafe {
            driver.executable_create(PROFILE_FULL, ROUNDING_DEFAULT, null(), &mut executable)
        };
        if let Err(failure) = created {
            // SAFETY: created above.
            let _destroyed = unsafe { driver.reader_destroy(reader) };
            return Err(gpu.error(failure));
        }
        // Unloads when it is dropped, whatever happens.
        let loaded = Loaded {
            gpu: gpu.clone(),
            executable,
            reader,
            _bytes: bytes,
            globals: Mutex::default(),
            services: OnceLock::new(),
        };
        let mut invalid = 0;
        // SAFETY: executable and reader are new, and `invalid` is writable.
        let outcome = unsafe {
            driver
                .executable_load(executable, gpu.agent, reader, null(), null_mut())
                .and_then(|()| driver.executable_freeze(executable, null()))
                .and_then(|()| driver.executable_validate(executable, &mut invalid))
        };
        match outcome {
            Ok(()) if invalid == 0 => Ok(loaded),
            Ok(()) => Err(Error::Load(format!(
                "the AMD driver finds the machine code for {} invalid",
                gpu.properties.arch
            ))),
            Err(failure) => {
                gpu.alive()?;
                let (name, text) = driver.describe(failure.result);
                Err(Error::Load(format!(
                    "the AMD driver refuses the machine code for {}: {} gives {name} ({text})",
                    gpu.properties.arch, failure.call
                )))
            }
        }
    }

    /// Provides what the image's kernels need.
    fn provide_services(&self) -> Result<()> {
        let mut services = Services::default();
        if let Some(variable) = self.variable(heap::VARIABLE)? {
            services._heap = Some(Heap::new(&self.gpu, variable.address)?);
        }
        if let Some(variable) = self.variable(output::VARIABLE)? {
            services.output = Some(Output::new(&self.gpu, variable.address)?);
        }
        if let Some(variable) = self.variable(TRAP_RECORD_VARIABLE)? {
            let record = self.gpu.opened()?.trap_record.address();
            synchronous::write(&self.gpu, variable.address, &record.to_le_bytes())?;
        }
        // A code object is loaded once.
        let _first = self.services.set(services);
        Ok(())
    }

    /// The buffer of the image's output, if it has any.
    pub fn output(&self) -> Option<&Output> {
        self.services.get()?.output.as_ref()
    }

    /// The symbol of this name. `None`: the code has none.
    fn symbol(&self, name: &str) -> Result<Option<HsaSymbol>> {
        let Ok(name) = CString::new(name) else {
            return Ok(None);
        };
        let mut symbol = HsaSymbol::NULL;
        // SAFETY: `symbol` is writable, the executable is loaded, the name is a C string.
        let found = unsafe {
            self.gpu.runtime.driver.executable_get_symbol(
                self.executable,
                name.as_ptr(),
                &self.gpu.agent,
                &mut symbol,
            )
        };
        match found {
            Err(failure) if failure.result == HsaStatus::INVALID_SYMBOL_NAME => Ok(None),
            found => {
                self.gpu.check(found)?;
                Ok(Some(symbol))
            }
        }
    }

    /// The variable of this name. `None`: the code has none.
    pub fn variable(&self, name: &str) -> Result<Option<Global>> {
        let Some(symbol) = self.symbol(name)? else {
            return Ok(None);
        };
        let driver = self.gpu.runtime.driver;
        let (mut address, mut size) = (0u64, 0u32);
        // SAFETY: the symbol is loaded, and the values have the attributes' sizes.
        self.gpu.check(unsafe {
            driver
                .symbol_get_info(
                    symbol,
                    HsaSymbolInfo::VARIABLE_ADDRESS,
                    (&raw mut address).cast(),
                )
                .and_then(|()| {
                    driver.symbol_get_info(
                        symbol,
                        HsaSymbolInfo::VARIABLE_SIZE,
                        (&raw mut size).cast(),
                    )
                })
        })?;
        self.gpu.memory.add_global(address, size.into());
        self.globals.lock().push(address);
        Ok(Some(Global {
            address: DevicePtr(address),
            size: size.into(),
        }))
    }
}

/// A loaded image. Its destructors run when it is dropped.
pub struct AmdModule {
    code: Arc<Loaded>,
    described: CodeObject,
    kernels: KernelTable<AmdKernel>,
    stages: Vec<Stage>,
}

impl AmdModule {
    /// Loads an image that the device can run, and runs its constructors.
    pub fn load(gpu: &Arc<Gpu>, image: &Image<'_>, options: &LoadOptions) -> Result<AmdModule> {
        let properties = &gpu.properties;
        if options.unified_shared_memory && !properties.host_pointers {
            return Err(Error::Load(format!(
                "the program requires unified_shared_memory, and kernels on {} cannot follow host pointers \
                 (that takes a GPU with page faults that can be retried, and HSA_XNACK=1, or an APU)",
                properties.info.name
            )));
        }
        let mut stages = Vec::new();
        let bytes = match image.kind {
            ImageKind::Bitcode => {
                let compile = || compile(gpu, image);
                Stage::of("compile to machine code", &mut stages, compile)?
            }
            _ => image.bytes.to_vec(),
        };
        let described = CodeObject::parse(&bytes)?;
        let code = Stage::of("load", &mut stages, || Loaded::new(gpu, bytes))?;
        let mut module = AmdModule {
            code: Arc::new(code),
            described,
            kernels: KernelTable::default(),
            stages: Vec::new(),
        };
        Stage::of("initialise", &mut stages, || {
            module.code.provide_services()?;
            init_array::run(&module, init_array::CONSTRUCTORS)
        })?;
        module.stages = stages;
        Ok(module)
    }

    /// The kernel of this name. `None`: the image has none.
    pub fn find_kernel(&self, name: &str) -> Result<Option<Arc<AmdKernel>>> {
        let Some(metadata) = self.described.kernels.get(name) else {
            return Ok(None);
        };
        let Some(symbol) = self.code.symbol(&metadata.symbol)? else {
            return Err(Error::Load(format!(
                "the image describes kernel {name} but does not define it"
            )));
        };
        let kernel = AmdKernel::new(&self.code, name, symbol, metadata)?;
        Ok(Some(Arc::new(kernel)))
    }
}

/// Optimisation level for bitcode. The level that clang was given has been applied already where the image was
/// linked.
const LEVEL: u8 = 2;

/// Compiles bitcode to a code object for the device.
pub fn compile(gpu: &Gpu, image: &Image<'_>) -> Result<Vec<u8>> {
    let options = CodeObjectOptions {
        processor: gpu.properties.arch.to_string(),
        level: LEVEL,
    };
    Compiler::locate()
        .and_then(|compiler| compiler.code_object(image.bytes, &options))
        .map_err(compile_error)
}

impl Module for AmdModule {
    fn stages(&self) -> &[Stage] {
        &self.stages
    }

    fn global(&self, name: &str) -> Option<Global> {
        self.code.variable(name).unwrap_or_else(|error| {
            log::error!("variable {name}: {error}");
            None
        })
    }

    fn globals(&self) -> Vec<(String, Global)> {
        let names = self.described.variables.iter();
        names
            .filter_map(|name| Some((name.clone(), self.global(name)?)))
            .collect()
    }

    fn kernel(&self, name: &str) -> Option<Arc<dyn Kernel>> {
        self.kernels.kernel(name, || self.find_kernel(name))
    }
}

impl Drop for AmdModule {
    fn drop(&mut self) {
        if self.code.gpu.in_use().is_none() {
            return;
        }
        if let Err(error) = init_array::run(self, init_array::DESTRUCTORS) {
            log::error!("{error}");
        }
    }
}

//! Modules: finds the bitcode of a module and loads it.

use std::collections::HashMap;
use std::sync::Arc;

use device_image::Image;
use parking_lot::Mutex;
use plugin_api::{Device as _, Error, Kernel, LoadOptions};

use crate::call::settings;
use crate::context::Context;
use crate::cubin;
use crate::ptxas;
use crate::result::{Failure, Outcome};
use fake_driver::handle::{self, Handle};
use fake_driver::images::Images;
use fake_driver::pointer;

/// The start of the first line of PTX. The SHA-256 of its image follows (`codegen::PROVENANCE`).
const PROVENANCE: &str = "// omptarget: of the image with SHA-256 ";

/// A loaded module.
pub struct Module {
    /// Its context.
    pub context: Arc<Context>,
    /// Its counterpart on the virtual GPU.
    pub loaded: Arc<dyn plugin_api::Module>,
    /// The handles of its functions, by name.
    functions: Mutex<HashMap<String, Handle>>,
}

/// A kernel of a module.
pub struct Function {
    /// Its module, which stays loaded as long as the kernel runs.
    pub module: Arc<Module>,
    /// Its counterpart on the virtual GPU.
    pub kernel: Arc<dyn Kernel>,
    /// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`
    pub dynamic_shared: Mutex<u32>,
}

impl Module {
    /// Loads PTX or machine code. The assembler's messages go to `log`.
    pub fn load(context: Arc<Context>, image: *const u8, log: &mut String) -> Outcome<Arc<Module>> {
        let bitcode = match cubin::is_elf(image) {
            true => of_machine_code(cubin::whole(image)?, &context)?,
            false => of_ptx(pointer::text(image.cast())?, &context, log)?,
        };
        let options = LoadOptions {
            unified_shared_memory: settings()?.pageable,
        };
        let images = Image::parse(&bitcode).map_err(|_| Failure::INVALID_IMAGE)?;
        let loaded = context.gpu.load(&images[0], &options).map_err(|error| {
            eprintln!("fake CUDA driver: {error}");
            // A fault in a constructor counts as a kernel's fault.
            match error {
                Error::Fault(_) => Failure::LAUNCH_FAILED,
                _ => Failure::INVALID_IMAGE,
            }
        })?;
        for (_, global) in loaded.globals() {
            context.memory().register(global.address.0, global.size);
        }
        Ok(Arc::new(Module {
            context,
            loaded,
            functions: Mutex::default(),
        }))
    }

    /// The handle of a kernel.
    pub fn function(self: &Arc<Self>, name: &str) -> Outcome<Handle> {
        let mut functions = self.functions.lock();
        if let Some(known) = functions.get(name) {
            return Ok(*known);
        }
        let kernel = self.loaded.kernel(name).ok_or(Failure::NOT_FOUND)?;
        let function = Function {
            module: self.clone(),
            kernel,
            dynamic_shared: Mutex::new(crate::device::DEFAULT_SHARED),
        };
        let handle = handle::add(Arc::new(function));
        functions.insert(name.to_owned(), handle);
        Ok(handle)
    }

    /// Invalidates the handles of its functions, and removes its variables. Running kernels keep the code.
    pub fn unload(&self) {
        for (_, function) in self.functions.lock().drain() {
            let _was_known = handle::remove::<Function>(function);
        }
        for (_, global) in self.loaded.globals() {
            self.context.memory().unregister(global.address.0);
        }
    }
}

fn report(what: &str) -> Failure {
    eprintln!("fake CUDA driver: {what}");
    Failure::INVALID_IMAGE
}

/// The files of `FAKE_CUDA_BITCODE`.
fn images() -> Outcome<Images> {
    let folder = settings()?.bitcode.as_deref();
    let folder = folder.ok_or_else(|| report("FAKE_CUDA_BITCODE is not set"))?;
    Images::read(folder).map_err(|why| report(&why))
}

/// The bitcode that PTX was compiled from. The first line names it, unless a tool has removed the comments.
fn of_ptx(ptx: &str, context: &Context, log: &mut String) -> Outcome<Vec<u8>> {
    ptxas::check(ptx, &context.device, log)?;
    let first = ptx.lines().next();
    let found = match first.and_then(|line| line.strip_prefix(PROVENANCE)) {
        Some(hash) => images()?.with_hash(hash),
        None => images()?.only_bitcode_beside(ptx.as_bytes()),
    };
    found.map_err(|why| report(&why))
}

/// The bitcode that machine code was compiled from.
fn of_machine_code(file: &[u8], context: &Context) -> Outcome<Vec<u8>> {
    let (major, minor) = cubin::capability(file)?;
    let device = context.device.capability;
    // "Binary compatibility": cubins run on devices of the same major and the same or a later minor capability.
    if major != device.0 || minor > device.1 {
        return Err(Failure::NO_BINARY_FOR_GPU);
    }
    let found = images()?.only_bitcode_beside(file);
    found.map_err(|why| report(&why))
}

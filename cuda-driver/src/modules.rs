//! Modules and libraries: images that a program loads. A kernel's handle stands in the runtime's registry like the host
//! function of a kernel in a program, so that launches, attributes and graphs are those of the runtime's interface.

use std::collections::HashMap;
use std::ffi::CStr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use cudart::allocations::Allocation;
use cudart::cuda_device::{CudaDevice, LoadFailure};
use cudart::error::{Code, Result};
use cudart::handles::Handles;
use cudart::registry::{BinaryId, FatBinary, Symbol};
use cudart::runtime::runtime;
use parking_lot::Mutex;
use plugin_api::{Global, MemoryKind};

use crate::{contexts, image};

/// An image that a program loaded.
pub struct Loaded {
    /// Its number in the registry.
    pub binary: BinaryId,
    /// The context of a module. A library is of no context: its kernels are loaded where they are used.
    pub context: Option<Arc<CudaDevice>>,
    /// Kernels by name.
    kernels: Mutex<HashMap<String, usize>>,
}

/// Handles of kernels begin here. No host function has so high an address.
const FIRST_KERNEL: usize = 0x00f0_0000_0000_0000;

/// Modules or libraries.
type Table = Handles<Arc<Loaded>>;

/// The modules of the process.
pub fn modules() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(Table::default)
}

/// Its libraries.
pub fn libraries() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(Table::default)
}

/// Loads an image: a module into a context, or a library.
pub fn load(
    bytes: Vec<u8>,
    context: Option<Arc<CudaDevice>>,
) -> std::result::Result<Arc<Loaded>, LoadFailure> {
    let texts = image::ptx(&bytes);
    let malformed = image::is_malformed(&bytes);
    let registry = &runtime().registry;
    let binary = registry.add(Ok(FatBinary::from(bytes)));
    // What is wrong with a library is said at once if there is a context to load it into.
    let into = context.clone().or_else(|| contexts::current().ok());
    if let Some(into) = into
        && let Err(failure) = into.load(registry, binary)
    {
        registry.remove(binary);
        return Err(explained(failure, &texts, malformed));
    }
    Ok(Arc::new(Loaded {
        binary,
        context,
        kernels: Mutex::default(),
    }))
}

/// A failure whose reason is a mistake in PTX, or in a fat binary.
fn explained(failure: LoadFailure, texts: &[String], malformed: bool) -> LoadFailure {
    if failure.code == Code::NO_IMAGE && malformed {
        return LoadFailure {
            code: Code::INVALID_IMAGE,
            ..failure
        };
    }
    if failure.code != Code::INVALID_IMAGE {
        return failure;
    }
    let mut texts = texts.iter().filter(|text| ptx::is_ptx(text)).peekable();
    let is_ptx = texts.peek().is_some();
    match texts.find_map(|text| ptx::translate(text).err()) {
        Some(mistake) => LoadFailure {
            code: Code::INVALID_PTX,
            why: mistake.to_string(),
        },
        // Instructions that the device does not have, in every kernel.
        None if is_ptx => LoadFailure {
            code: Code::NOT_SUPPORTED,
            ..failure
        },
        None => failure,
    }
}

impl Loaded {
    /// The same image as a module of a context.
    pub fn module_of(&self, context: Arc<CudaDevice>) -> Arc<Loaded> {
        Arc::new(Loaded {
            binary: self.binary,
            context: Some(context),
            kernels: Mutex::default(),
        })
    }

    fn symbol(&self, name: &CStr) -> Symbol {
        Symbol {
            binary: self.binary,
            name: name.to_string_lossy().into(),
            c_name: name.into(),
        }
    }

    /// The context that a call means: the module's, or the current one.
    fn place(&self) -> Result<Arc<CudaDevice>> {
        self.context.clone().map_or_else(contexts::current, Ok)
    }

    /// The handle of a kernel.
    pub fn kernel(&self, name: &CStr) -> Result<usize> {
        static NEXT: AtomicUsize = AtomicUsize::new(FIRST_KERNEL);
        let symbol = self.symbol(name);
        if let Some(handle) = self.kernels.lock().get(&*symbol.name) {
            return Ok(*handle);
        }
        let registry = &runtime().registry;
        let found = self.place()?.kernel(registry, &symbol);
        found.map_err(|code| match code {
            Code::INVALID_FUNCTION => Code::SYMBOL_NOT_FOUND,
            code => code,
        })?;
        let mut kernels = self.kernels.lock();
        let handle = kernels.entry(symbol.name.to_string()).or_insert_with(|| {
            let handle = NEXT.fetch_add(1, Ordering::Relaxed);
            registry.add_kernel(handle, symbol);
            handle
        });
        Ok(*handle)
    }

    /// A variable.
    pub fn variable(&self, name: &CStr) -> Result<Global> {
        let context = self.place()?;
        let global = context.variable(&runtime().registry, &self.symbol(name))?;
        runtime().variables.add(Allocation {
            begin: global.address.0,
            size: global.size,
            kind: MemoryKind::Device,
            device: context.number,
            context: context.id,
        });
        Ok(global)
    }

    /// Unloads the image. Work that uses it comes to its end first.
    pub fn unload(&self) {
        let runtime = runtime();
        runtime.registry.remove(self.binary);
        for context in contexts::all() {
            // A context that failed has no work any more.
            let _ = context.synchronize_all();
            context.unload(self.binary);
        }
    }
}

/// The kernel of a handle.
pub fn kernel(handle: usize) -> Result<Symbol> {
    let symbol = (handle >= FIRST_KERNEL).then(|| runtime().registry.kernel(handle));
    symbol.flatten().ok_or(Code::INVALID_HANDLE)
}

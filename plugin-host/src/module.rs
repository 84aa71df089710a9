//! A loaded image: a shared object that the dynamic linker opens from memory, and its kernels.

use std::collections::HashMap;
use std::ffi::c_void;
use std::fs::File;
use std::io::Write;
use std::os::fd::AsRawFd;
use std::sync::Arc;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use object::read::elf::ElfFile64;
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};
use plugin_api::{
    DevicePtr, Error, Global, Kernel, KernelInfo, Launch, LaunchBound, Module, Result,
};
use rustix::fs::{MemfdFlags, memfd_create};

use crate::call::{MAX_PARAMETERS, call};

/// A function or variable of the image.
struct Symbol {
    address: u64,
    size: u64,
    is_function: bool,
    /// A variable that stays writable after loading.
    is_writable: bool,
}

/// The open object. Closing it runs its destructors.
struct SharedObject {
    library: Library,
    /// Stays open with the object. The dynamic linker knows objects by their path, which holds the descriptor's
    /// number. It would take the next image under the same number for this one.
    _file: File,
}

/// A loaded image.
pub struct HostModule {
    symbols: HashMap<String, Symbol>,
    object: Arc<SharedObject>,
}

impl HostModule {
    /// Opens `image` and runs its constructors.
    pub fn load(image: &[u8]) -> Result<HostModule> {
        let parsed = ElfFile64::<object::Endianness>::parse(image)
            .map_err(|error| Error::Load(format!("the host image is malformed: {error}")))?;
        let object = open(image)?;
        let mut symbols = HashMap::new();
        for symbol in parsed.dynamic_symbols().filter(ObjectSymbol::is_definition) {
            let Ok(name) = symbol.name() else { continue };
            if !matches!(symbol.kind(), SymbolKind::Text | SymbolKind::Data) {
                continue;
            }
            if let Some(address) = look_up(&object, name) {
                let entry = Symbol {
                    address,
                    size: symbol.size(),
                    is_function: symbol.kind() == SymbolKind::Text,
                    is_writable: is_writable(&parsed, &symbol),
                };
                symbols.insert(name.to_owned(), entry);
            }
        }
        Ok(HostModule {
            symbols,
            object: Arc::new(object),
        })
    }
}

/// Whether a variable stays writable. `.data.rel.ro` and similar sections are protected after loading.
fn is_writable<'a>(image: &impl Object<'a>, symbol: &impl ObjectSymbol<'a>) -> bool {
    let section = symbol.section_index();
    let section = section.and_then(|index| image.section_by_index(index).ok());
    section.is_some_and(|section| [Ok(".data"), Ok(".bss")].contains(&section.name()))
}

/// Opens an image. The dynamic linker needs a file, so the image goes into an anonymous file in memory.
fn open(image: &[u8]) -> Result<SharedObject> {
    let descriptor = memfd_create(c"omptarget image", MemfdFlags::CLOEXEC);
    let descriptor = descriptor.map_err(|errno| Error::System {
        what: "creating a file in memory for the host image".into(),
        source: errno.into(),
    })?;
    let mut file = File::from(descriptor);
    file.write_all(image).map_err(|source| Error::System {
        what: "writing the host image".into(),
        source,
    })?;
    let path = format!("/proc/self/fd/{}", file.as_raw_fd());
    // SAFETY: the object's constructors run, as the program expects.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    let library = library.map_err(|error| {
        Error::Load(format!(
            "the dynamic linker refuses the host image: {}",
            linker_message(&error)
        ))
    })?;
    Ok(SharedObject {
        library,
        _file: file,
    })
}

/// The dynamic linker's message, if there is one.
fn linker_message(error: &libloading::Error) -> String {
    let source = std::error::Error::source(error).map(ToString::to_string);
    source.unwrap_or_else(|| error.to_string())
}

fn look_up(object: &SharedObject, name: &str) -> Option<u64> {
    // SAFETY: the symbol is only used as an address here.
    let symbol = unsafe { object.library.get::<*const c_void>(name.as_bytes()) };
    let address = symbol.ok()?.into_raw();
    (!address.is_null()).then_some(address as u64)
}

impl Module for HostModule {
    fn global(&self, name: &str) -> Option<Global> {
        let symbol = self
            .symbols
            .get(name)
            .filter(|symbol| !symbol.is_function)?;
        Some(Global {
            address: DevicePtr(symbol.address),
            size: symbol.size,
        })
    }

    fn globals(&self) -> Vec<(String, Global)> {
        let variables = self.symbols.iter().filter(|(_, symbol)| symbol.is_writable);
        let globals = variables.map(|(name, symbol)| {
            let address = DevicePtr(symbol.address);
            let size = symbol.size;
            (name.clone(), Global { address, size })
        });
        globals.collect()
    }

    fn kernel(&self, name: &str) -> Option<Arc<dyn Kernel>> {
        let symbol = self.symbols.get(name).filter(|symbol| symbol.is_function)?;
        Some(Arc::new(HostKernel {
            info: KernelInfo {
                name: name.to_owned(),
                // The symbol table does not say how many parameters a function has.
                parameters: Vec::new(),
                max_threads: u32::MAX,
                bound: LaunchBound::None,
                static_shared: 0,
                warp_size: 1,
                default_threads: 1,
            },
            address: symbol.address,
            _object: self.object.clone(),
        }))
    }
}

struct HostKernel {
    info: KernelInfo,
    address: u64,
    /// Keeps the code loaded.
    _object: Arc<SharedObject>,
}

impl Kernel for HostKernel {
    fn info(&self) -> &KernelInfo {
        &self.info
    }

    fn launch(&self, launch: &Launch<'_>) -> Result<()> {
        if launch.args.len() > MAX_PARAMETERS {
            return Err(Error::InvalidLaunch {
                kernel: self.info.name.clone(),
                why: format!(
                    "it has {} parameters, the host device passes at most {MAX_PARAMETERS}",
                    launch.args.len()
                ),
            });
        }
        // SAFETY: clang made the function for exactly these arguments, all pointers and integers.
        unsafe { call(self.address as *const c_void, launch.args) };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    const SOURCE: &str = "
        int counter = 41;
        static int *watched;
        __attribute__((constructor)) static void begin(void) { counter++; }
        __attribute__((destructor)) static void end(void) { if (watched) *watched = 1; }
        void watch(int *flag) { watched = flag; }
        void add(void *environment, long *out, long a, long b) { *out = a + b + counter; }
    ";

    fn image() -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let (source, object) = (folder.path().join("i.c"), folder.path().join("i.so"));
        std::fs::write(&source, SOURCE).unwrap();
        let status = Command::new("clang-22")
            // The compiler's own architecture may be another where an emulator runs this.
            .arg(format!("--target={}-linux-gnu", std::env::consts::ARCH))
            .args(["-fuse-ld=lld", "-shared", "-fPIC", "-o"])
            .args([&object, &source])
            .status()
            .unwrap();
        assert!(status.success());
        std::fs::read(&object).unwrap()
    }

    fn launch(kernel: &dyn Kernel, args: &[u64]) {
        let shape = Launch {
            grid: [1; 3],
            block: [1; 3],
            dynamic_shared: 0,
            cooperative: false,
            args,
        };
        kernel.launch(&shape).unwrap();
    }

    #[test]
    fn constructors_globals_kernels_destructors() {
        let module = HostModule::load(&image()).unwrap();
        let counter = module.global("counter").unwrap();
        assert_eq!(counter.size, 4);
        // SAFETY: a variable of the image, in this process.
        assert_eq!(unsafe { *(counter.address.0 as *const i32) }, 42);
        assert!(module.global("add").is_none() && module.kernel("counter").is_none());
        let mut out = 0i64;
        let add = module.kernel("add").unwrap();
        launch(&*add, &[0, &raw mut out as u64, 3, 5]);
        assert_eq!(out, 50);
        let mut ended = 0i32;
        launch(&*module.kernel("watch").unwrap(), &[&raw mut ended as u64]);
        drop(module);
        assert_eq!(ended, 0, "a kernel keeps its code loaded");
        drop(add);
        assert_eq!(ended, 1);
    }

    #[test]
    fn two_copies_of_an_image_are_two_modules() {
        let bytes = image();
        let (one, two) = (
            HostModule::load(&bytes).unwrap(),
            HostModule::load(&bytes).unwrap(),
        );
        assert_ne!(one.global("counter"), two.global("counter"));
    }

    #[test]
    fn malformed_images_are_refused() {
        assert!(matches!(HostModule::load(b"\x7fELF"), Err(Error::Load(_))));
        let mut bytes = image();
        // The header's table of program headers now lies beyond the file.
        bytes[32..40].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(HostModule::load(&bytes).is_err());
    }
}

//! Runs kernels written in LLVM assembly (`tests/ir`), for forms of device code that clang 22 does not emit:
//! those of other releases and of the papers.
//!
//! A module is linked with the device runtime of `dist/` as in a device link. It is loaded into a virtual GPU through
//! the plugin's own interface, and launched with buffers of numbers. Images that are loaded as they are run on an
//! NVIDIA GPU instead where `OMPTARGET_DEVICES=cuda` (docs/ptx.md, "Tests").

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Once};

use device_image::Image;
use plugin_api::{Device, DevicePtr, Launch, LoadOptions, MemoryKind, Module};
use plugin_vgpu::{Config, Engine, VirtualGpu};

use crate::{Outcome, dist, limited, root};

/// Lanes per warp of images for NVIDIA GPUs. A generic kernel's block has so many threads besides its workers.
const WARP: u32 = 32;

/// How the module is linked with the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// Only linked: the runtime's functions are called.
    Plain,
    /// Optimised as in a device link: the runtime is inlined, and openmp-opt has run on both.
    Optimised,
}

/// The shape of a launch (docs/abi.md, section 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Teams.
    pub teams: u32,
    /// OpenMP threads of a team, without a generic kernel's master.
    pub threads: u32,
    /// Whether the kernel is in generic mode.
    pub generic: bool,
}

impl Shape {
    /// A kernel in generic mode.
    pub fn generic(teams: u32, threads: u32) -> Shape {
        Shape {
            teams,
            threads,
            generic: true,
        }
    }

    /// A kernel in SPMD mode.
    pub fn spmd(teams: u32, threads: u32) -> Shape {
        Shape {
            generic: false,
            ..Shape::generic(teams, threads)
        }
    }

    fn block(self) -> [u32; 3] {
        if self.generic {
            [1, self.threads + WARP, 1]
        } else {
            [self.threads, 1, 1]
        }
    }
}

/// A module on a device of its own.
pub struct Kernels {
    // Declared before the device, and so dropped first: it lies in the device's memory.
    module: Arc<dyn Module>,
    device: Arc<dyn Device>,
}

impl Kernels {
    /// Links and loads `tests/ir/<name>`; the virtual GPU has `multiprocessors`.
    pub fn load(name: &str, link: Link, multiprocessors: u32) -> Kernels {
        Kernels::load_with(name, None, link, multiprocessors)
    }

    /// The same, also linked with another module of the project.
    pub fn load_with(
        name: &str,
        library: Option<&str>,
        link: Link,
        multiprocessors: u32,
    ) -> Kernels {
        let device = Arc::new(small_gpu(multiprocessors, None));
        let library = library.map(|library| root().join(library));
        let bytes = linked(&root().join("tests/ir").join(name), library, link);
        let images = Image::parse(&bytes).expect("llvm-link writes an image");
        let module = device
            .load(&images[0], &LoadOptions::default())
            .unwrap_or_else(|error| panic!("{name} {link:?}: {error}"));
        Kernels { module, device }
    }

    /// Loads an image as it is: PTX, a fat binary.
    pub fn load_image(bytes: &[u8], multiprocessors: u32) -> plugin_api::Result<Kernels> {
        Kernels::load_on(gpu(multiprocessors, None), bytes)
    }

    /// The same on one engine.
    pub fn load_image_on(
        bytes: &[u8],
        multiprocessors: u32,
        engine: Engine,
    ) -> plugin_api::Result<Kernels> {
        Kernels::load_on(gpu(multiprocessors, Some(engine)), bytes)
    }

    fn load_on(device: Arc<dyn Device>, bytes: &[u8]) -> plugin_api::Result<Kernels> {
        let images = Image::parse(bytes).expect("an image");
        let module = device.load(&images[0], &LoadOptions::default())?;
        Ok(Kernels { module, device })
    }

    /// A buffer in device memory.
    pub fn buffer<T: Copy>(&self, content: &[T]) -> Buffer {
        let bytes = size_of_val(content);
        let at = self
            .device
            .alloc(bytes as u64, MemoryKind::Device)
            .expect("device memory");
        // SAFETY: `content` has that many bytes.
        unsafe { self.device.write(at, content.as_ptr().cast(), bytes) }.expect("a copy");
        Buffer { at, bytes }
    }

    /// What a buffer holds.
    pub fn read<T: Copy + Default>(&self, buffer: Buffer) -> Vec<T> {
        let mut content = vec![T::default(); buffer.bytes / size_of::<T>()];
        // SAFETY: `content` has that many bytes; any are valid numbers.
        unsafe {
            self.device
                .read(content.as_mut_ptr().cast(), buffer.at, buffer.bytes)
        }
        .expect("a copy");
        content
    }

    /// Launches a kernel and waits for its end.
    pub fn launch(&self, kernel: &str, shape: Shape, arguments: &[u64]) -> plugin_api::Result<()> {
        self.launch_with(kernel, shape, 0, arguments)
    }

    /// The same with dynamic shared memory, in bytes.
    pub fn launch_with(
        &self,
        kernel: &str,
        shape: Shape,
        dynamic_shared: u32,
        arguments: &[u64],
    ) -> plugin_api::Result<()> {
        let kernel = self
            .module
            .kernel(kernel)
            .unwrap_or_else(|| panic!("the module has no kernel {kernel}"));
        kernel.launch(&Launch {
            grid: [shape.teams, 1, 1],
            block: shape.block(),
            dynamic_shared,
            cooperative: false,
            args: arguments,
        })
    }
}

/// Whether the environment asks for an NVIDIA GPU in the virtual one's place.
pub fn wants_nvidia_gpu() -> bool {
    std::env::var_os("OMPTARGET_DEVICES").is_some_and(|wanted| wanted == "cuda")
}

/// A virtual GPU of its own, or an NVIDIA GPU if the environment wants that.
fn gpu(multiprocessors: u32, engine: Option<Engine>) -> Arc<dyn Device> {
    if !wants_nvidia_gpu() {
        return Arc::new(small_gpu(multiprocessors, engine));
    }
    let found = plugin_cuda::plugin().unwrap_or_else(|why| panic!("no NVIDIA GPU: {why}"));
    let mut devices = found.plugin.devices();
    assert!(!devices.is_empty(), "no NVIDIA GPU: {:?}", found.left_out);
    devices.swap_remove(0)
}

/// A virtual GPU of its own, which compiles with the compiler of `dist/`.
fn small_gpu(multiprocessors: u32, engine: Option<Engine>) -> VirtualGpu {
    use_compiler_of_dist();
    let settings = Config::from_environment().expect("settings that can be read");
    VirtualGpu::new(&Config {
        multiprocessors,
        memory: 64 << 20,
        heap: 8 << 20,
        engine: engine.unwrap_or(settings.engine),
        ..settings
    })
    .expect("a virtual GPU")
}

/// Device memory. It is freed with the device.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    at: DevicePtr,
    bytes: usize,
}

impl Buffer {
    /// The buffer as a kernel's argument.
    pub fn argument(self) -> u64 {
        self.at.0
    }
}

/// Plugins in this process use the compiler of `dist/`.
pub fn use_compiler_of_dist() {
    static DONE: Once = Once::new();
    // SAFETY: whoever reads the variable (the plugin, loading an image) has come through here first.
    DONE.call_once(|| unsafe {
        std::env::set_var("OMPTARGET_CODEGEN", dist("libexec/omptarget-codegen"))
    });
}

/// The module with the parts of the device runtime that it uses, as bitcode.
fn linked(source: &Path, library: Option<PathBuf>, link: Link) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    let mut unpack = llvm("llvm-ar");
    unpack
        .arg("x")
        .arg(dist("lib/nvptx64-nvidia-cuda/libompdevice.a"));
    let members = || {
        let mut members: Vec<PathBuf> = std::fs::read_dir(folder.path())
            .expect("the folder is readable")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        members.sort();
        members
    };
    silent(unpack.current_dir(folder.path()));
    let mut join = llvm("llvm-link");
    join.arg(source)
        .arg("--only-needed")
        .args(library)
        .args(members());
    let (whole, image) = (at("whole.bc"), at("image.bc"));
    silent(join.arg("-o").arg(&whole));
    let passes = match link {
        Link::Plain => "internalize,globaldce",
        Link::Optimised => "internalize,globaldce,lto<O2>",
    };
    let mut optimise = llvm("opt");
    optimise
        .arg(&whole)
        .arg("-o")
        .arg(&image)
        .arg(format!("-passes={passes}"))
        .arg(format!(
            "-internalize-public-api-list={}",
            kernels_of(source).join(",")
        ));
    silent(&mut optimise);
    std::fs::read(image).expect("opt wrote the image")
}

/// The names of the functions that are kernels.
fn kernels_of(source: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(source)
        .unwrap_or_else(|error| panic!("{}: {error}", source.display()));
    let names: Vec<String> = text
        .lines()
        .filter(|line| line.starts_with("define ") && line.contains(" ptx_kernel "))
        .filter_map(|line| line.split('@').nth(1)?.split('(').next())
        .map(str::to_owned)
        .collect();
    assert!(!names.is_empty(), "{}: no kernels", source.display());
    names
}

/// Makes bitcode of the file `name` in `tests/ir`, as it is.
pub fn assemble(name: &str, image: &Path) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("ir").join(name);
    silent(llvm("llvm-as").arg(source).arg("-o").arg(image));
}

/// Links modules of bitcode as a device link does, without a library.
pub fn link(modules: &[&Path], image: &Path) {
    let mut join = llvm("llvm-link");
    // Releases differ in their data layout strings.
    join.arg("--suppress-warnings").args(modules);
    silent(join.arg("-o").arg(image));
}

/// One of LLVM's tools, in clang's version.
/// One of LLVM's tools.
pub fn llvm(tool: &str) -> Command {
    let folder = std::env::var_os("LLVM_BIN").unwrap_or(OsString::from("/usr/lib/llvm-22/bin"));
    limited(&Path::new(&folder).join(tool))
}

/// Runs a tool. It must succeed without a message.
pub fn silent(command: &mut Command) {
    Outcome::of(command.output()).passed(&format!("{command:?}"));
}

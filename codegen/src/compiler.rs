//! The client of `omptarget-codegen`.

use std::ffi::{CStr, OsStr, c_void};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use vgpu_abi::Checks;
use vgpu_abi::artifact::Artifact;
use vgpu_abi::summary::ImageSummary;

use crate::cache::{Cache, Key};
use crate::claim::Claim;
use crate::kernel_compiler::KernelCompiler;
use crate::opencl::{self, Program};
use crate::progress::Progress;
use crate::server::Server;
use crate::{CompileError, CpuLevel, host_cpu, process, requests};

/// The compiler's file name.
const TOOL: &str = "omptarget-codegen";

/// The name of the command, which lies in the same tree.
const COMMAND: &str = "omptarget";

/// What machine code carries of the image that it was made of. The image's SHA-256 follows, in hexadecimal. PTX has it
/// in its first line, a comment; a code object has it in its section `.comment`.
pub const PROVENANCE: &str = "omptarget: of the image with SHA-256 ";

/// What the compiler links into images that have no device runtime: the start of the triple, and the file's path in the
/// folder above the compiler's own.
pub const RUNTIME_LIBRARIES: [(&str, &str); 3] = [
    ("nvptx64", "lib/nvptx64-nvidia-cuda/libompdevice.a"),
    ("nvptx64", "cuda-stub/nvvm/libdevice/libdevice.10.bc"),
    ("amdgcn", "lib/amdgcn-amd-amdhsa/libompdevice.a"),
];

/// What the compiler links into code objects for AMD GPUs that allocate memory or print: the path in the same folder.
pub const SERVICES_LIBRARY: &str = "lib/amdgcn-amd-amdhsa/libompservices.a";

/// What the compiler links into kernels for the virtual GPU that use textures or surfaces: the path in the same folder.
pub const TEXTURE_LIBRARY: &str = "lib/nvptx64-nvidia-cuda/libomptextures.a";

/// How to compile for the virtual GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VgpuOptions {
    /// Optimisation level, 0 to 3.
    pub level: u8,
    /// Whether compiled code checks that its accesses stay in the device window. Off with `requires
    /// unified_shared_memory`.
    pub window_check: bool,
    /// Index of the device window ([`vgpu_abi::WINDOWS`]).
    pub window: u64,
    /// Whether to compile kernels in warp form as well ([`vgpu_abi::artifact::WarpForm`]).
    pub warp_forms: bool,
    /// Whether compiled code counts the instructions of the image that it executes
    /// ([`vgpu_abi::ThreadContext::instructions`]). It counts thread by thread, so there are no warp forms then.
    pub count: bool,
    /// What compiled code checks.
    pub checks: Checks,
    /// What to compile for; `None`: the CPU at hand.
    pub cpu: Option<CpuLevel>,
}

impl Default for VgpuOptions {
    fn default() -> VgpuOptions {
        VgpuOptions {
            level: 2,
            window_check: true,
            window: vgpu_abi::WINDOWS[0],
            warp_forms: false,
            count: false,
            checks: Checks::NONE,
            cpu: None,
        }
    }
}

/// How to compile to PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PtxOptions {
    /// Architecture, e.g. `sm_80`.
    pub arch: String,
    /// Optimisation level, 0 to 3.
    pub level: u8,
}

/// How to compile to a code object for AMD GPUs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeObjectOptions {
    /// Processor and settings, as AMD's target IDs write them after the triple: `gfx90a`, `gfx90a:sramecc+:xnack-`,
    /// `gfx11-generic`. A setting that is not named leaves the code object good for both.
    pub processor: String,
    /// Optimisation level, 0 to 3.
    pub level: u8,
}

/// The compiler and its cache.
#[derive(Clone, Debug)]
pub struct Compiler {
    tool: PathBuf,
    cache: Option<Cache>,
}

impl Compiler {
    /// Finds the compiler: `OMPTARGET_CODEGEN`, else `../libexec/omptarget-codegen` beside the folder of the shared
    /// library (or program) that has this code, else beside that of the running program, else beside that of the
    /// command `omptarget` in `PATH`. The cache is the user's (see `docs/codegen.md`).
    pub fn locate() -> Result<Compiler, CompileError> {
        let candidates = match std::env::var_os("OMPTARGET_CODEGEN").filter(|path| !path.is_empty())
        {
            Some(path) => vec![PathBuf::from(path)],
            None => [own_file(), std::env::current_exe().ok(), command()]
                .into_iter()
                .flatten()
                .flat_map(|file| beside(&file))
                .collect(),
        };
        match candidates.iter().find(|path| path.is_file()) {
            Some(tool) => Ok(Compiler {
                tool: tool.clone(),
                cache: Cache::of_user(),
            }),
            None => Err(CompileError::NotFound {
                searched: candidates,
            }),
        }
    }

    /// A compiler at a known place, with a cache in a known folder or without one.
    pub fn at(tool: impl Into<PathBuf>, cache: Option<(PathBuf, u64)>) -> Compiler {
        Compiler {
            tool: tool.into(),
            cache: cache.map(|(folder, limit)| Cache::new(folder, limit)),
        }
    }

    /// Compiles an image for the virtual GPU, or takes it from the cache.
    pub fn vgpu(&self, bitcode: &[u8], options: &VgpuOptions) -> Result<Artifact, CompileError> {
        self.compiled(&vgpu_job(options), bitcode, |bytes| {
            Ok(Artifact::decode(bytes)?)
        })
    }

    /// Compiles an image for the virtual GPU, or takes it from the cache. Kernels of a large image may be left for
    /// later ([`vgpu_abi::artifact::KernelEntry::group`]); then there is a compiler for these. Where a sandbox forbids
    /// sockets, none are.
    pub fn vgpu_by_group(
        &self,
        bitcode: &[u8],
        options: &VgpuOptions,
    ) -> Result<(Artifact, Option<KernelCompiler>), CompileError> {
        let mut job = vgpu_job(options);
        let key = self.key(&job, bitcode)?;
        if let Some(artifact) = self.cached_artifact(&key) {
            return Ok((artifact, None));
        }
        if let Err(error) = requests::sockets() {
            log::debug!(
                "no sockets for a compiler of kernels, so the image is compiled whole: {error}"
            );
            return Ok((self.vgpu(bitcode, options)?, None));
        }
        job.arguments.push("--by-group".to_owned());
        let mut server = None;
        let compile = || {
            let (bytes, started) = self.serve(&job, bitcode)?;
            server = started;
            Ok(bytes)
        };
        let read = |bytes: &[u8]| Ok(Artifact::decode(bytes)?);
        let artifact = self.cached_or(&key.part("by group"), &job.target, read, compile)?;
        let is_whole = |artifact: &Artifact| {
            artifact
                .manifest
                .kernels
                .iter()
                .all(|it| it.group.is_none())
        };
        let later = (!is_whole(&artifact))
            .then(|| KernelCompiler::new(self.clone(), job, key, bitcode.to_vec(), server));
        Ok((artifact, later))
    }

    /// What the cache has under this key.
    pub(crate) fn cached_artifact(&self, key: &Key) -> Option<Artifact> {
        let bytes = self.cache.as_ref()?.load(key)?;
        Artifact::decode(&bytes).ok()
    }

    /// Starts a process that compiles the image's kernels on request.
    pub(crate) fn serve(
        &self,
        job: &Job,
        bitcode: &[u8],
    ) -> Result<(Vec<u8>, Option<Server>), CompileError> {
        Server::start(
            &self.tool,
            &with_progress(&job.arguments),
            bitcode,
            &job.what(),
        )
    }

    /// Compiles an image to PTX, or takes it from the cache.
    pub fn ptx(&self, bitcode: &[u8], options: &PtxOptions) -> Result<String, CompileError> {
        let arguments = [
            "ptx".to_owned(),
            format!("--arch={}", options.arch),
            format!("-O{}", options.level),
        ];
        let job = Job::new(arguments, &options.arch);
        let bytes = self.machine_code(&job, bitcode, b"// ")?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Compiles an `amdgcn` image to a code object for AMD GPUs (an ELF shared object), or takes it from the cache.
    pub fn code_object(
        &self,
        bitcode: &[u8],
        options: &CodeObjectOptions,
    ) -> Result<Vec<u8>, CompileError> {
        let arguments = [
            "amdgcn".to_owned(),
            format!("--mcpu={}", options.processor),
            format!("-O{}", options.level),
        ];
        let job = Job::new(arguments, &options.processor);
        self.machine_code(&job, bitcode, b"\x7fELF")
    }

    /// Links the modules of an OpenCL program with each other and with the built-in functions, or takes the result from
    /// the cache. `level` is that of the optimisation, 0 to 3.
    pub fn opencl(&self, modules: &[&[u8]], level: u8) -> Result<Program, CompileError> {
        let arguments = ["opencl".to_owned(), format!("-O{level}")];
        let input = opencl::encode_modules(modules);
        self.compiled(&Job::new(arguments, "OpenCL"), &input, Program::decode)
    }

    /// Links OpenCL modules with each other and nothing else.
    pub fn opencl_library(&self, modules: &[&[u8]]) -> Result<Vec<u8>, CompileError> {
        let arguments = ["opencl".to_owned(), "--library".to_owned()];
        let input = opencl::encode_modules(modules);
        self.machine_code(&Job::new(arguments, "OpenCL"), &input, b"BC")
    }

    /// Machine code or PTX from the cache, or from the compiler. `start` is what it begins with.
    fn machine_code(
        &self,
        job: &Job,
        bitcode: &[u8],
        start: &[u8],
    ) -> Result<Vec<u8>, CompileError> {
        self.compiled(job, bitcode, |bytes| {
            // The exit status may be lost (see `process`). Without this start the answer is incomplete.
            if bytes.starts_with(start) {
                return Ok(bytes.to_owned());
            }
            Err(CompileError::Crashed {
                how: "no output".to_owned(),
                detail: None,
            })
        })
    }

    /// The compiler's answer from the cache, or from the compiler, as `read` understands it.
    fn compiled<T>(
        &self,
        job: &Job,
        bitcode: &[u8],
        read: impl Fn(&[u8]) -> Result<T, CompileError>,
    ) -> Result<T, CompileError> {
        let key = self.key(job, bitcode)?;
        self.cached_or(&key, &job.target, read, || {
            process::run(
                &self.tool,
                &with_progress(&job.arguments),
                bitcode,
                &job.what(),
            )
        })
    }

    /// The answer with this key from the cache, or from `compile`, as `read` understands it. Of several processes that
    /// need the same answer at once, one compiles.
    pub(crate) fn cached_or<T>(
        &self,
        key: &Key,
        target: &str,
        read: impl Fn(&[u8]) -> Result<T, CompileError>,
        compile: impl FnOnce() -> Result<Vec<u8>, CompileError>,
    ) -> Result<T, CompileError> {
        let cached = || {
            let bytes = self.cache.as_ref()?.load(key)?;
            read(&bytes).ok()
        };
        if let Some(answer) = cached() {
            return Ok(answer);
        }
        let claim = self.claim(key, target);
        if let Some(answer) = cached() {
            return Ok(answer);
        }
        // Where one could not make the entry, those that waited for it try at the same time, not one after the other.
        let _claim = claim.filter(|claim| !claim.waited());
        let bytes = compile()?;
        let answer = read(&bytes)?;
        if let Some(cache) = &self.cache {
            cache.store(key, &bytes);
        }
        Ok(answer)
    }

    /// Waits until no other process makes the entry.
    fn claim(&self, key: &Key, target: &str) -> Option<Claim> {
        let cache = self.cache.as_ref()?;
        let what = format!("another process compiles the kernels for {target}");
        let _progress = Progress::of(what, || None);
        cache.claim(key)
    }

    /// Summarises an image.
    pub fn inspect(&self, bitcode: &[u8]) -> Result<ImageSummary, CompileError> {
        let what = "reading an image";
        let bytes = process::run(&self.tool, &["inspect".to_owned()], bitcode, what)?;
        Ok(serde_json::from_slice(&bytes)?)
    }

    /// Everything that the result depends on: the compiler and the libraries that it may link (path, size and time of
    /// their files), the interface's version, the host CPU where it matters, the options, the image.
    fn key(&self, job: &Job, bitcode: &[u8]) -> Result<Key, CompileError> {
        let what = || CompileError::system(self.tool.display().to_string());
        let tool = std::fs::metadata(&self.tool).map_err(what())?;
        let mut identity = format!("{} {}", env!("CARGO_PKG_VERSION"), state(&tool));
        let folder = self.tool.parent().and_then(Path::parent);
        let libraries = RUNTIME_LIBRARIES.iter().map(|(_, library)| *library);
        for library in libraries.chain([SERVICES_LIBRARY, TEXTURE_LIBRARY, opencl::BUILTINS]) {
            let file = folder.map(|folder| std::fs::metadata(folder.join(library)));
            identity += &file
                .and_then(Result::ok)
                .map_or(String::new(), |file| state(&file));
        }
        let version = vgpu_abi::VERSION.to_le_bytes();
        let options = job.arguments.join("\0");
        Ok(Key::of(&[
            self.tool.as_os_str().as_bytes(),
            identity.as_bytes(),
            &version,
            &job.cpu,
            options.as_bytes(),
            bitcode,
        ]))
    }
}

/// What the compiler is to do with an image.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// The command line.
    arguments: Vec<String>,
    /// The CPU at hand, where the answer depends on it and the arguments do not tell it.
    cpu: Vec<u8>,
    /// What for, in messages.
    pub target: String,
}

impl Job {
    fn new(arguments: impl Into<Vec<String>>, target: &str) -> Job {
        Job {
            arguments: arguments.into(),
            cpu: Vec::new(),
            target: target.to_owned(),
        }
    }

    /// What is told to who waits.
    fn what(&self) -> String {
        format!("compiling kernels for {}", self.target)
    }
}

/// How images are compiled for the virtual GPU.
fn vgpu_job(options: &VgpuOptions) -> Job {
    // The compiler may have been built for another architecture than this process, where an emulator runs that.
    let mut arguments = vec![
        "vgpu".to_owned(),
        format!("-O{}", options.level),
        format!("--host={}", std::env::consts::ARCH),
        format!("--window={}", options.window),
    ];
    if !options.window_check {
        arguments.push("--no-window-check".to_owned());
    }
    if options.warp_forms && !options.count {
        arguments.push("--warp-forms".to_owned());
    }
    if options.count {
        arguments.push("--count".to_owned());
    }
    arguments.extend(options.checks.names().map(|name| format!("--check={name}")));
    let mut job = Job::new(arguments, "the virtual GPU");
    match options.cpu {
        Some(level) => job.arguments.push(format!("--cpu={}", level.name())),
        None => job.cpu = host_cpu::identity(),
    }
    job
}

/// The arguments with which the compiler says how far it is. The answer does not depend on that.
fn with_progress(arguments: &[String]) -> Vec<String> {
    let added = std::iter::once("--progress".to_owned());
    arguments.iter().cloned().chain(added).collect()
}

/// A text that changes when the file is replaced.
fn state(file: &std::fs::Metadata) -> String {
    format!("{} {} {};", file.size(), file.mtime(), file.mtime_nsec())
}

/// `dir/../libexec/omptarget-codegen` for a file in `dir`, and the same for one in a folder of `dir`, as `libcudart.so`
/// is.
fn beside(file: &Path) -> Vec<PathBuf> {
    let Ok(file) = file.canonicalize() else {
        return Vec::new();
    };
    let roots = file.ancestors().skip(2).take(2);
    roots.map(|root| root.join("libexec").join(TOOL)).collect()
}

/// The command of an installed or built tree, for programs that lie elsewhere.
fn command() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let mut files = std::env::split_paths(&folders).map(|folder| folder.join(COMMAND));
    files.find(|file| file.is_file())
}

/// The file of the shared library or program that this function is linked into.
fn own_file() -> Option<PathBuf> {
    // SAFETY: all-zero is a valid `Dl_info`; `dladdr` fills it or returns 0.
    let mut info: libc::Dl_info = unsafe { std::mem::zeroed() };
    // SAFETY: the address is this function's own, `info` is writable.
    let found = unsafe { libc::dladdr(own_file as *const c_void, &mut info) } != 0;
    if !found || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: `dli_fname` is a NUL-terminated path that lives as long as the object is loaded.
    let name = unsafe { CStr::from_ptr(info.dli_fname) };
    Some(PathBuf::from(OsStr::from_bytes(name.to_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tool_is_looked_for_beside_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let lib = folder.path().join("lib");
        std::fs::create_dir(&lib).unwrap();
        std::fs::write(lib.join("libomptarget.so"), b"").unwrap();
        let root = folder.path().canonicalize().unwrap();
        let tool = root.join("libexec/omptarget-codegen");
        assert_eq!(beside(&lib.join("libomptarget.so"))[0], tool);
        let cuda = lib.join("cuda");
        std::fs::create_dir(&cuda).unwrap();
        std::fs::write(cuda.join("libcudart.so"), b"").unwrap();
        assert_eq!(beside(&cuda.join("libcudart.so"))[1], tool);
    }

    #[test]
    fn own_file_is_this_test_program() {
        let own = own_file().unwrap().canonicalize().unwrap();
        assert_eq!(
            own,
            std::env::current_exe().unwrap().canonicalize().unwrap()
        );
    }
}

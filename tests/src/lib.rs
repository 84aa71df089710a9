//! Compiles and runs whole OpenMP programs with the `dist/` that `scripts/build` made.
//!
//! A test says what it compiles ([`Build`]), gets a [`Binary`], runs it and looks at the [`Outcome`]. Everything that
//! runs has a time limit, so that a hang is a failure.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

pub mod cuda;
pub mod fake_driver;
pub mod hsa;
mod in_parallel;
pub mod ir;
pub mod registered;
mod sample;

pub use in_parallel::in_parallel;
pub use sample::{every_third, first_and_another};

/// Seconds a program or compiler may take.
const TIME_LIMIT: &str = "240";

/// The project's root folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate lies in the project")
        .to_owned()
}

/// A file of `dist/`; panics with advice when it is not there.
pub fn dist(name: &str) -> PathBuf {
    let path = root().join("dist").join(name);
    assert!(
        path.exists(),
        "{} is missing: run scripts/setup and scripts/build first",
        path.display()
    );
    path
}

/// How a program is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Without offload: target regions run on the host. The reference.
    Host,
    /// For the device at this `-O` level.
    Offload(&'static str),
    /// For the device at `-O2`, with LLVM's OpenMP optimisation off at device compile and device link. Kernels that it
    /// would turn into SPMD mode stay generic and run the worker state machine.
    NoOpenMpOpt,
    /// For the host as a device: a separate memory space, but no warps, no team-shared memory.
    HostDevice,
    /// For this AMD GPU at this `-O` level: the device code is AMDGCN, which the virtual GPU runs, too.
    Amd(&'static str, &'static str),
    /// Machine code for an NVIDIA GPU at this `-O` level, made from each unit on its own, and the same as bitcode.
    MachineCode(&'static str),
    /// That bitcode only: each unit optimised on its own, linked without further optimisation.
    UnitByUnit(&'static str),
    /// Machine code that clang makes from the whole program, for GPUs of either maker. The units are compiled at this
    /// `-O` level.
    WholeProgram(&'static str),
    /// CUDA sources at this `-O` level, with our headers and runtime library.
    Cuda(&'static str),
    /// HIP sources at this `-O` level, with our headers and runtime library.
    Hip(&'static str),
}

/// The sources of every example that needs nothing but the compiler (`mpi_jacobi` needs MPI).
pub const EXAMPLES: [&[&str]; 10] = [
    &["examples/saxpy.c"],
    &["examples/dot.c"],
    &["examples/heartwall.c", "examples/heartwall_kernel.c"],
    &["examples/histogram.c"],
    &["examples/sharing.c"],
    &["examples/kmeans.cpp"],
    &["examples/stencil.cpp"],
    &["examples/reduce_warp.c"],
    &["examples/declare_target.cpp"],
    &["examples/nested.c"],
];

/// An AMD GPU with waves of 64 lanes.
pub const WAVE64: &str = "gfx90a";
/// An AMD GPU with waves of 32 lanes.
pub const WAVE32: &str = "gfx1030";

impl Mode {
    fn flags(self) -> Vec<OsString> {
        let config = |name| OsString::from(format!("--config={}", dist(name).display()));
        let device = || config("etc/omptarget.cfg");
        let mut flags = match self {
            Mode::Host => vec!["-fopenmp".into(), "-O2".into()],
            Mode::Offload(level) => vec![device(), "-DOFFLOAD".into(), level.into()],
            Mode::NoOpenMpOpt => vec![device(), "-DOFFLOAD".into(), "-O2".into()],
            Mode::HostDevice => vec![
                config("etc/omptarget-host.cfg"),
                "-DOFFLOAD".into(),
                "-O2".into(),
            ],
            Mode::Amd(arch, level) => vec![
                config("etc/omptarget-amdgpu.cfg"),
                "--no-offload-arch=all".into(),
                format!("--offload-arch={arch}").into(),
                "-DOFFLOAD".into(),
                level.into(),
            ],
            Mode::MachineCode(level) => vec![
                config("etc/omptarget-cuda.cfg"),
                "-DOFFLOAD".into(),
                level.into(),
            ],
            Mode::UnitByUnit(level) => vec![
                config("etc/omptarget-cuda.cfg"),
                "--no-offload-arch=sm_80".into(),
                "-DOFFLOAD".into(),
                level.into(),
            ],
            Mode::Cuda(level) => vec![config("etc/omptarget-cudart.cfg"), level.into()],
            Mode::Hip(level) => vec![config("etc/omptarget-hip.cfg"), level.into()],
            Mode::WholeProgram(level) => vec![
                config("etc/omptarget-lto.cfg"),
                "-DOFFLOAD".into(),
                level.into(),
            ],
        };
        if self == Mode::NoOpenMpOpt {
            let off = [
                "-mllvm",
                "-openmp-opt-disable",
                "-Xoffload-linker",
                "-mllvm=-openmp-opt-disable",
            ];
            flags.extend(off.map(OsString::from));
        }
        flags
    }
}

/// A program to compile.
pub struct Build {
    folder: tempfile::TempDir,
    sources: Vec<PathBuf>,
    flags: Vec<OsString>,
}

impl Build {
    /// Source files, relative to the project's root (`examples/saxpy.c`).
    pub fn new(sources: &[&str]) -> Build {
        Build {
            folder: tempfile::tempdir().expect("a temporary folder"),
            sources: sources.iter().map(|source| root().join(source)).collect(),
            flags: Vec::new(),
        }
    }

    /// Further compiler flags.
    pub fn flags(mut self, flags: &[&str]) -> Build {
        self.flags.extend(flags.iter().map(OsString::from));
        self
    }

    /// The folder for the binary. It is removed with the [`Binary`].
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Compiles. The compiler must succeed without a message.
    pub fn compile(self, mode: Mode) -> Binary {
        let path = self.folder.path().join("program");
        let cxx = self
            .sources
            .iter()
            .any(|source| source.extension() != Some(OsStr::new("c")));
        let mut arguments = mode.flags();
        arguments.extend(
            [
                "-Wall",
                "-Wextra",
                "-Wno-pass-failed",
                "-Wno-openmp-mapping",
            ]
            .map(OsString::from),
        );
        arguments.extend(
            self.sources
                .iter()
                .map(|source| source.clone().into_os_string()),
        );
        arguments.extend(self.flags.iter().cloned());
        arguments.extend(["-lm".into(), "-o".into(), path.clone().into_os_string()]);
        clang(cxx, &arguments, self.folder.path());
        Binary {
            path,
            _folder: self.folder,
        }
    }
}

/// Compiles `source` to the shared library `library`.
pub fn shared_library(source: &str, library: &Path) {
    let flags = ["-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-o"];
    let mut arguments: Vec<OsString> = flags.map(OsString::from).into();
    arguments.extend([library.into(), root().join(source).into()]);
    clang(
        false,
        &arguments,
        library.parent().expect("it lies in a folder"),
    );
}

/// Runs clang in `folder`, whatever it says.
pub fn compiler(cxx: bool, arguments: &[OsString], folder: &Path) -> Outcome {
    let mut command = limited(Path::new(compiler_name(cxx)));
    command.args(arguments).current_dir(folder);
    Outcome::of(command.output())
}

fn compiler_name(cxx: bool) -> &'static str {
    if cxx { "clang++-22" } else { "clang-22" }
}

/// Runs clang in `folder`. It must succeed without a message.
pub fn clang(cxx: bool, arguments: &[OsString], folder: &Path) {
    let name = compiler_name(cxx);
    let outcome = compiler(cxx, arguments, folder);
    // The device linker warns of simd constructs whose loops threads do not share, and no option turns the warning off.
    let silent = outcome
        .stderr
        .lines()
        .all(|line| line.contains("loop not vectorized"));
    assert!(
        outcome.code == 0 && outcome.stdout.is_empty() && silent,
        "{name} {arguments:?} ended with {}:\n{}{}",
        outcome.code,
        outcome.stdout,
        outcome.stderr
    );
}

/// A compiled program.
pub struct Binary {
    /// Where it lies.
    pub path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Binary {
    /// Runs it on the device. Offload is mandatory, so that a silent run on the host is a failure.
    pub fn run(&self, arguments: &[&str]) -> Outcome {
        self.run_with(arguments, &[("OMP_TARGET_OFFLOAD", "MANDATORY")])
    }

    /// Runs it with these environment variables.
    pub fn run_with(&self, arguments: &[&str], environment: &[(&str, &str)]) -> Outcome {
        run(&self.path, arguments, environment)
    }
}

/// Runs a program in the project's root with a time limit and these environment variables.
pub fn run(program: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Outcome {
    let mut command = limited(program);
    command.args(arguments).current_dir(root());
    // The host's runtime warns that there are fewer cores than threads, and spins while they wait.
    command.env("KMP_WARNINGS", "0").env("KMP_BLOCKTIME", "0");
    command.envs(environment.iter().copied());
    Outcome::of(command.output())
}

fn limited(program: &Path) -> Command {
    let mut command = Command::new("timeout");
    command.arg(TIME_LIMIT).arg(program);
    command
}

/// How a program ended, and its output.
#[derive(Debug)]
pub struct Outcome {
    /// Exit code; 128 + signal number for a signal; 124 when the time limit was reached.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Outcome {
    fn of(output: std::io::Result<Output>) -> Outcome {
        let output = output.expect("`timeout` (coreutils) runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Outcome {
            // `timeout` dies of the signal its child died of.
            code: output.status.code().unwrap_or_else(|| {
                128 + std::os::unix::process::ExitStatusExt::signal(&output.status)
                    .unwrap_or_default()
            }),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    /// Asserts success with an empty standard error; returns standard output.
    #[track_caller]
    pub fn passed(&self, what: &str) -> &str {
        assert!(
            self.code == 0 && self.stderr.is_empty(),
            "{what} ended with {}\n--- stdout\n{}--- stderr\n{}",
            self.code,
            self.stdout,
            self.stderr
        );
        &self.stdout
    }

    /// Asserts an orderly failure: a nonzero exit that is neither the time limit nor a bare segmentation
    /// fault, and all of `facts` in the message.
    #[track_caller]
    pub fn failed_with(&self, what: &str, facts: &[&str]) {
        let shown = format!("\n--- stdout\n{}--- stderr\n{}", self.stdout, self.stderr);
        assert!(
            ![0, 124, 128 + 11, 128 + 7].contains(&self.code),
            "{what} ended with {}{shown}",
            self.code
        );
        assert!(!self.stdout.contains("survived"), "{what} went on{shown}");
        for fact in facts {
            assert!(
                self.stderr.contains(fact),
                "{what}: the message lacks {fact:?}{shown}"
            );
        }
    }
}

/// Writes a program or script that can run at once. A process of its own writes it. Otherwise a child that another
/// test's thread starts meanwhile would inherit the file open for writing, and the kernel would refuse to run it
/// (ETXTBSY).
pub fn write_executable(path: &Path, content: &[u8]) {
    let mut writer = Command::new("sh")
        .args(["-c", "cat >\"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut input = writer.stdin.take().expect("piped");
    input.write_all(content).expect("the content");
    drop(input);
    assert!(writer.wait().expect("the shell ends").success(), "{path:?}");
}

/// The line (from 1) of the first line of `source` that contains `text`.
pub fn line_of(source: &str, text: &str) -> usize {
    let content = std::fs::read_to_string(root().join(source)).expect("the source is readable");
    1 + content
        .lines()
        .position(|line| line.contains(text))
        .unwrap_or_else(|| panic!("no {text:?} in {source}"))
}

/// A kernel's name for a table: `__omp_offloading_fe01_1a2b3c_main_l16` is `main_l16`.
pub fn short_kernel_name(kernel: &str) -> String {
    let rest = kernel.trim_start_matches("__omp_offloading_");
    rest.splitn(3, '_')
        .nth(2)
        .unwrap_or(rest)
        .chars()
        .take(30)
        .collect()
}

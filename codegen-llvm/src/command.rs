//! The command line of `omptarget-codegen`.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};
use codegen::{CpuLevel, requests};
use vgpu_abi::Checks;
use vgpu_abi::artifact::Artifact;

use crate::device::pipeline::{self, Output};
use crate::pass_manager::Instrumentation;
use crate::{amdgcn, inspect, ir, opencl, ptx, vgpu};

/// Compiles OpenMP device images: LLVM bitcode for nvptx64 or amdgcn, as clang embeds it with
/// `-fopenmp -foffload-lto -fopenmp-target-jit`.
#[derive(Parser)]
#[command(name = "omptarget-codegen", version, about, long_about = None, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compile an image for the virtual GPU: a host object and its manifest
    #[command(after_help = pass_help(vgpu::pass_names()))]
    Vgpu(Vgpu),
    /// Compile an nvptx64 image to PTX text
    #[command(after_help = pass_help(pipeline::pass_names(Output::Ptx)))]
    Ptx(Ptx),
    /// Compile an amdgcn image to a code object for an AMD GPU
    #[command(after_help = pass_help(pipeline::pass_names(Output::CodeObject)))]
    Amdgcn(Amdgcn),
    /// Link the modules of an OpenCL program (see codegen::opencl) into an image
    Opencl(Opencl),
    /// Make the file of OpenCL's built-in functions from modules that define them
    OpenclLibrary(OpenclLibrary),
    /// Print what is in an image, as JSON: triple, kernels with their mode, variables
    Inspect(Files),
}

/// The passes, for --print-after.
fn pass_help(passes: impl Iterator<Item = &'static str>) -> String {
    format!(
        "Passes, in order: {}",
        passes.collect::<Vec<_>>().join(", ")
    )
}

/// Where a command reads and writes.
#[derive(Args)]
struct Files {
    /// Image to read; standard input if none or `-`
    input: Option<PathBuf>,
    /// File to write; standard output if none
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Args)]
struct Vgpu {
    #[command(flatten)]
    files: Files,
    /// Optimisation level
    #[arg(short = 'O', value_name = "LEVEL", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=3))]
    level: u8,
    /// Let kernels follow host pointers (`requires unified_shared_memory`)
    #[arg(long)]
    no_window_check: bool,
    /// Where device memory lies, in terabytes
    #[arg(long, value_name = "TERABYTE", default_value_t = vgpu_abi::WINDOWS[0])]
    window: u64,
    /// Compile kernels in warp form, too: many threads at once, as the lanes of vectors
    #[arg(long)]
    warp_forms: bool,
    /// Let kernels count the image's instructions they execute
    #[arg(long, conflicts_with = "warp_forms")]
    count: bool,
    /// Let kernels announce their accesses to a checker: memory, init, race or sync; may be repeated
    #[arg(long, value_name = "CHECK", value_parser = check)]
    check: Vec<Checks>,
    /// Compile for a host of this architecture
    #[arg(long, value_name = "ARCH", value_enum, default_value_t = vgpu::Architecture::CURRENT)]
    host: vgpu::Architecture,
    /// Compile for any CPU of this level, e.g. x86-64-v3 or armv9-a, instead of the one at hand
    #[arg(long, value_name = "LEVEL", value_parser = cpu_level)]
    cpu: Option<CpuLevel>,
    /// Make machine code in this many parts at the same time, each in a process of its own; by default as many as there
    /// are CPUs for, if each has enough to do
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=64))]
    parts: Option<u16>,
    /// If the image is large, compile its kernels when they are asked for: standard input is a socket for requests (see
    /// codegen::requests)
    #[arg(long, conflicts_with_all = ["input", "emit_llvm"])]
    by_group: bool,
    /// Write the host module as LLVM assembly instead of an object
    #[arg(long)]
    emit_llvm: bool,
    /// Print the module to standard error after a pass; may be repeated
    #[arg(long, value_name = "PASS", hide_possible_values = true,
          value_parser = PossibleValuesParser::new(vgpu::pass_names()))]
    print_after: Vec<String>,
    /// Verify the module after every pass
    #[arg(long)]
    verify_each: bool,
    /// Say on standard error how far the compilation is
    #[arg(long)]
    progress: bool,
}

#[derive(Args)]
struct Opencl {
    #[command(flatten)]
    files: Files,
    /// Optimisation level
    #[arg(short = 'O', value_name = "LEVEL", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=3))]
    level: u8,
    /// Link the modules with each other only, and write a module
    #[arg(long)]
    library: bool,
    /// Say on standard error how far the compilation is
    #[arg(long)]
    progress: bool,
}

#[derive(Args)]
struct OpenclLibrary {
    /// Modules; where two define a function, the first counts
    #[arg(required = true)]
    modules: Vec<PathBuf>,
    /// File to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

#[derive(Args)]
struct Ptx {
    #[command(flatten)]
    files: Files,
    /// GPU architecture, e.g. sm_80
    #[arg(long, value_name = "SM", value_parser = architecture)]
    arch: String,
    /// Optimisation level
    #[arg(short = 'O', value_name = "LEVEL", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=3))]
    level: u8,
    /// Version of the PTX instruction set, e.g. 7.8, for an older driver or assembler; default: the oldest that serves
    /// the architecture
    #[arg(long, value_name = "VERSION")]
    ptx_version: Option<ptx::PtxVersion>,
    /// Leave out LLVM's OpenMP optimiser, as `-mllvm -openmp-opt-disable` does in clang
    #[arg(long)]
    no_openmp_opt: bool,
    /// Print the module to standard error after a pass; may be repeated
    #[arg(long, value_name = "PASS", hide_possible_values = true,
          value_parser = PossibleValuesParser::new(pipeline::pass_names(Output::Ptx)))]
    print_after: Vec<String>,
    /// Verify the module after every pass
    #[arg(long)]
    verify_each: bool,
    /// Say on standard error how far the compilation is
    #[arg(long)]
    progress: bool,
}

#[derive(Args)]
struct Amdgcn {
    #[command(flatten)]
    files: Files,
    /// Processor and settings of the GPU, e.g. gfx90a, gfx90a:sramecc+:xnack-, gfx11-generic; settings that are not
    /// named: code for both
    #[arg(long, value_name = "PROCESSOR")]
    mcpu: amdgcn::Processor,
    /// Optimisation level
    #[arg(short = 'O', value_name = "LEVEL", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=3))]
    level: u8,
    /// Leave out LLVM's OpenMP optimiser, as `-mllvm -openmp-opt-disable` does in clang
    #[arg(long)]
    no_openmp_opt: bool,
    /// Print the module to standard error after a pass; may be repeated
    #[arg(long, value_name = "PASS", hide_possible_values = true,
          value_parser = PossibleValuesParser::new(pipeline::pass_names(Output::CodeObject)))]
    print_after: Vec<String>,
    /// Verify the module after every pass
    #[arg(long)]
    verify_each: bool,
    /// Say on standard error how far the compilation is
    #[arg(long)]
    progress: bool,
}

/// Checks an architecture such as `sm_80` or `sm_90a`. LLVM itself only warns of a CPU that it does not know.
fn architecture(text: &str) -> Result<String, String> {
    let number = text
        .strip_prefix("sm_")
        .map(|rest| rest.trim_end_matches(['a', 'f']));
    let good = number.is_some_and(|digits| {
        (2..=3).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    });
    if good {
        Ok(text.to_owned())
    } else {
        Err("expected an architecture such as sm_80".to_owned())
    }
}

fn check(name: &str) -> Result<Checks, String> {
    Checks::named(name).ok_or_else(|| "expected one of memory, init, race, sync".to_owned())
}

fn cpu_level(name: &str) -> Result<CpuLevel, String> {
    CpuLevel::named(name).ok_or_else(|| {
        let names = ["x86_64", "aarch64"].map(|each| CpuLevel::names(each).collect::<Vec<_>>());
        format!("expected one of {}", names.concat().join(", "))
    })
}

/// Bytes of stack for LLVM. The user's limit (`ulimit -s`) is for programs of theirs.
const STACK: usize = 64 << 20;

/// The program.
pub fn main() -> ExitCode {
    no_core_dump();
    let work = std::thread::Builder::new()
        .stack_size(STACK)
        .spawn(|| run(&Cli::parse().command));
    let ended = work.map(|thread| {
        thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    });
    match ended.context("starting a thread").flatten() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Turns core dumps off. LLVM may abort on bad input, and that must not leave a core file in the user's folder.
fn no_core_dump() {
    let none = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: `none` is a valid limit that outlives the call.
    unsafe { libc::setrlimit(libc::RLIMIT_CORE, &none) };
}

fn run(command: &Command) -> Result<()> {
    ir::initialise_gpus();
    let context = ir::Context::new();
    match command {
        Command::Vgpu(arguments) => {
            let options = vgpu::VgpuOptions {
                level: arguments.level,
                window_check: !arguments.no_window_check,
                window: arguments.window,
                forms: match arguments.warp_forms {
                    true => vgpu::Forms::All,
                    false => vgpu::Forms::Threads,
                },
                count: arguments.count,
                checks: arguments
                    .check
                    .iter()
                    .copied()
                    .fold(Checks::NONE, Checks::and),
                host: arguments.host,
                cpu: arguments.cpu,
                parts: arguments.parts.map(usize::from),
                instrumentation: Instrumentation {
                    print_after: arguments.print_after.clone(),
                    verify_each: arguments.verify_each,
                    progress: arguments.progress,
                },
            };
            if arguments.by_group {
                let (image, client) = requested()?;
                let answer = |artifact: &Artifact| write(&arguments.files, &artifact.encode());
                return vgpu::compile_by_group(context, &image, options, client, answer);
            }
            let bytes = if arguments.emit_llvm {
                let text = vgpu::compile_to_text(context, &read(&arguments.files)?, options)?;
                text.into_bytes()
            } else {
                vgpu::compile(context, &read(&arguments.files)?, options)?.encode()
            };
            write(&arguments.files, &bytes)
        }
        Command::Ptx(arguments) => {
            let options = ptx::PtxOptions {
                arch: &arguments.arch,
                version: arguments.ptx_version,
                level: arguments.level,
                openmp_opt: !arguments.no_openmp_opt,
                instrumentation: Instrumentation {
                    print_after: arguments.print_after.clone(),
                    verify_each: arguments.verify_each,
                    progress: arguments.progress,
                },
            };
            let text = ptx::compile(context, &read(&arguments.files)?, &options)?;
            write(&arguments.files, &text)
        }
        Command::Amdgcn(arguments) => {
            let options = amdgcn::CodeObjectOptions {
                processor: &arguments.mcpu,
                level: arguments.level,
                openmp_opt: !arguments.no_openmp_opt,
                instrumentation: Instrumentation {
                    print_after: arguments.print_after.clone(),
                    verify_each: arguments.verify_each,
                    progress: arguments.progress,
                },
            };
            let object = amdgcn::compile(context, &read(&arguments.files)?, &options)?;
            write(&arguments.files, &object)
        }
        Command::Opencl(arguments) => {
            let input = read(&arguments.files)?;
            let bytes = match arguments.library {
                true => opencl::join(context, &input)?,
                false => opencl::compile(context, &input, arguments.level)?,
            };
            write(&arguments.files, &bytes)
        }
        Command::OpenclLibrary(arguments) => {
            let modules: Vec<Vec<u8>> = arguments
                .modules
                .iter()
                .map(|path| std::fs::read(path).with_context(|| path.display().to_string()))
                .collect::<Result<_>>()?;
            let file = opencl::library::make(context, &modules)?;
            let path = &arguments.output;
            std::fs::write(path, file).with_context(|| path.display().to_string())
        }
        Command::Inspect(files) => {
            let summary = inspect::summarise(context, &read(files)?)?;
            write(files, serde_json::to_string_pretty(&summary)?.as_bytes())
        }
    }
}

fn read(files: &Files) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match files
        .input
        .as_deref()
        .filter(|path| path.as_os_str() != "-")
    {
        Some(path) => bytes = std::fs::read(path).with_context(|| path.display().to_string())?,
        None => {
            std::io::stdin()
                .read_to_end(&mut bytes)
                .context("standard input")?;
        }
    }
    Ok(bytes)
}

/// The image of the first request, and the socket on which others follow.
fn requested() -> Result<(Vec<u8>, OwnedFd)> {
    let client = std::io::stdin()
        .as_fd()
        .try_clone_to_owned()
        .context("standard input")?;
    let request = requests::receive(client.as_fd())
        .context("--by-group needs a socket for requests as standard input")?
        .context("there is no request")?;
    let mut image = Vec::new();
    File::from(request.file)
        .read_to_end(&mut image)
        .context("reading the image")?;
    Ok((image, client))
}

fn write(files: &Files, bytes: &[u8]) -> Result<()> {
    match &files.output {
        Some(path) => std::fs::write(path, bytes).with_context(|| path.display().to_string()),
        None => {
            let mut output = std::io::stdout().lock();
            // The process may go on, and it is not this one's end that shows the client that the answer is complete.
            let written = output.write_all(bytes).and_then(|()| output.flush());
            written.context("standard output")
        }
    }
}

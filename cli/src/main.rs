//! `omptarget`: compiles and runs OpenMP offload programs, and shows what devices and images there are.

mod aot;
mod cache;
mod check;
mod compile;
mod completions;
mod containers;
mod cuda;
mod device_object;
mod fat_binary;
mod finished_program;
mod fortran;
mod hip;
mod image;
mod info;
mod linker;
mod manual;
mod precompile;
mod program_file;
mod registration;
mod replay;
mod run;
mod timeline;
mod version;
mod wanted_families;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

const EXIT_CODES: &str = "\
Exit codes:
  0    success
  1    the command failed; the message on standard error says why
  2    wrong usage
  3    check found something
  cc, c++, cuda, nvcc, hip: those of clang. fc: those of flang. run: those of the program, which replaces the command.
  check: those of the program, if nothing was found.

Environment:
  OMPTARGET_CLANG    the clang to use (version 22); default: clang-22, then clang
  OMPTARGET_FLANG    the flang to use (version 22); default: flang-22, then flang
  NO_COLOR           no colours even on a terminal
  What the run-time libraries read is in docs/environment.md.";

#[derive(Parser)]
#[command(
    name = "omptarget",
    version,
    long_version = version::LONG.as_str(),
    about = "OpenMP offload with stock clang, on a GPU or a virtual one",
    after_help = EXIT_CODES
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compile C: clang with the offload configuration; takes clang's arguments, among them the GPUs to compile for
    /// (--offload-arch=sm_90, --offload-arch=gfx90a; default: sm_80). --aot=sm_80,gfx90a makes machine code for these
    /// ahead of time, for NVIDIA's with the ptxas of a CUDA toolkit, for AMD's with LLVM's lld; the program still runs
    /// on other GPUs of the same maker and on the virtual one. --precompile compiles its kernels into the cache for the
    /// devices that are here
    #[command(disable_help_flag = true)]
    Cc {
        /// Arguments for clang
        #[arg(
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "ARGUMENT"
        )]
        arguments: Vec<OsString>,
    },
    /// Compile C++: clang++ with the offload configuration; takes clang's arguments
    #[command(name = "c++", disable_help_flag = true)]
    Cxx {
        /// Arguments for clang++
        #[arg(
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "ARGUMENT"
        )]
        arguments: Vec<OsString>,
    },
    /// Compile Fortran: flang with the offload configuration; takes flang's arguments, among them the GPUs to compile
    /// for (--offload-arch=sm_90, --offload-arch=gfx90a; default: sm_80)
    #[command(disable_help_flag = true)]
    Fc {
        /// Arguments for flang
        #[arg(
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "ARGUMENT"
        )]
        arguments: Vec<OsString>,
    },
    /// Compile CUDA C++: clang++ with a runtime library of omptarget's, and NVIDIA's headers if scripts/fetch got them,
    /// or omptarget's own; --cuda-headers=12, 13 or own chooses. Takes clang's arguments
    #[command(disable_help_flag = true)]
    Cuda {
        /// Arguments for clang++
        #[arg(
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "ARGUMENT"
        )]
        arguments: Vec<OsString>,
    },
    /// The same for build files written for NVIDIA's nvcc; takes nvcc's arguments
    #[command(disable_help_flag = true)]
    Nvcc {
        /// Arguments for nvcc
        #[arg(
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "ARGUMENT"
        )]
        arguments: Vec<OsString>,
    },
    /// Compile HIP: clang++ with headers and a runtime library of omptarget's in place of ROCm's; takes clang's
    /// arguments
    #[command(disable_help_flag = true)]
    Hip {
        /// Arguments for clang++
        #[arg(
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "ARGUMENT"
        )]
        arguments: Vec<OsString>,
    },
    /// Compile a program to a temporary file and run it, or run a CUDA program that NVIDIA's nvcc compiled
    Run(run::Options),
    /// Compile a program's kernels into the cache, so that its first run does not
    Precompile(precompile::Options),
    /// Run a program with the checker: accesses outside of objects, races, memory never written, barriers, mappings
    Check(check::Options),
    /// List the devices, or those on which a program would run
    Info(info::Options),
    /// Show the device images that a program, shared library, object or archive carries
    Image(image::Options),
    /// Run a recorded kernel launch alone
    Replay(replay::Options),
    /// Draw a trace of LIBOMPTARGET_PROFILE
    Timeline(timeline::Options),
    /// Measure
    Bench(omptarget_bench::Options),
    /// Show or clear the cache of compiled kernels
    Cache(cache::Options),
    /// Print a shell's completion script
    Completions(completions::Options),
    /// Write the manual pages to a folder
    Manual(manual::Options),
}

/// Whether clang has started this program by another name, as one of its tools.
fn is_called(tool: &str) -> bool {
    let name = std::env::args_os().next().unwrap_or_default();
    std::path::Path::new(&name).file_name() == Some(tool.as_ref())
}

fn main() -> ExitCode {
    if is_called(aot::PROGRAM) {
        return linker::link(std::env::args_os().skip(1))
            .unwrap_or_else(|failure| failure.report());
    }
    if is_called(fat_binary::PROGRAM) {
        return finish(fat_binary::pack(std::env::args_os().skip(1)));
    }
    if is_called(cuda::NVCC) {
        let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
        return finish(cuda::compile_as_nvcc(&arguments));
    }
    finish(match Cli::parse().command {
        Command::Cc { arguments } => compile::compile(compile::Language::C, &arguments),
        Command::Cxx { arguments } => compile::compile(compile::Language::Cxx, &arguments),
        Command::Fc { arguments } => fortran::compile(arguments),
        Command::Cuda { arguments } => cuda::compile(&arguments),
        Command::Nvcc { arguments } => cuda::compile_as_nvcc(&arguments),
        Command::Hip { arguments } => hip::compile(&arguments),
        Command::Run(options) => run::run(&options),
        Command::Precompile(options) => precompile::precompile(&options),
        Command::Check(options) => {
            return check::check(&options).unwrap_or_else(|failure| failure.report());
        }
        Command::Info(options) => info::info(&options),
        Command::Image(options) => image::image(&options),
        Command::Replay(options) => replay::replay(&options),
        Command::Timeline(options) => timeline::timeline(&options),
        Command::Bench(options) => omptarget_bench::bench(&options),
        Command::Cache(options) => cache::cache(&options),
        Command::Completions(options) => completions::completions(&options),
        Command::Manual(options) => manual::manual(&options),
    })
}

fn finish(result: omptarget_driver::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

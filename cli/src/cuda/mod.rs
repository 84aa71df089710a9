//! `omptarget cuda` and `omptarget nvcc`: clang++ with a configuration file for CUDA programs.

mod c_sources;
mod device_files;
mod device_link;
mod headers;
mod nvcc;
mod verbose;
mod whole_program;

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use omptarget_driver::{Failure, Result, clang, dist};

pub use nvcc::PROGRAM as NVCC;

use crate::aot;

/// clang with the configuration file that the arguments choose, and those that are left for clang.
pub fn clang(arguments: &[OsString]) -> Result<(Command, Vec<OsString>)> {
    let (configuration, arguments) = headers::choose(arguments)?;
    let (architectures, arguments) = aot::split(&arguments)?;
    let mut clang = clang::for_cuda(configuration, &arguments)?;
    if !architectures.is_empty() {
        aot::request(&mut clang, &architectures, &arguments)?;
    }
    // clang knows NVIDIA's headers of these releases, but not all of their novelties. In a configuration file it does
    // not mind this option.
    clang.arg("-Wno-unknown-cuda-version");
    Ok((clang, arguments))
}

/// Replaces this process by clang, which gets the arguments.
pub fn compile(arguments: &[OsString]) -> Result<()> {
    let (mut clang, arguments) = clang(arguments)?;
    clang.arg("--driver-mode=g++").args(arguments);
    replace_by(clang)
}

/// Does the same with arguments for NVIDIA's `nvcc`, to which files are C, C++ or CUDA by their names. clang does so as
/// a driver for C, which links no library of C++.
pub fn compile_as_nvcc(arguments: &[OsString]) -> Result<()> {
    let arguments = nvcc::with_files(&nvcc::with_environment(arguments))?;
    let arguments = without_own_headers(arguments);
    if arguments
        .iter()
        .any(|argument| argument == "--version" || argument == "-V")
    {
        return print_version(&arguments);
    }
    if let Some((kind, arguments)) = device_files::asked(&arguments) {
        return device_files::make(kind, &arguments);
    }
    if let Some(arguments) = device_link::asked(&arguments) {
        return device_link::make(&arguments);
    }
    let objects = whole_program::objects(&arguments);
    let is_verbose = arguments.iter().any(|it| it == "-v" || it == "--verbose");
    let (mut clang, arguments) = clang(&nvcc::translate(&arguments)?)?;
    let is_no_link = |argument: &OsString| NO_LINK.iter().any(|option| argument == option);
    let links = !arguments.iter().any(is_no_link);
    let split = c_sources::split(arguments, links)?;
    clang.args(&split.rest);
    if links {
        clang.args(["-lstdc++", "-lm"]);
        // Behind the program's own folders, as with NVIDIA's.
        let mut libraries = OsString::from("-L");
        libraries.push(dist::file("cuda-stub/lib64")?);
        clang.arg(libraries);
    }
    let tells_link = links && is_verbose;
    if split.before.is_empty() && objects.is_empty() && !tells_link {
        return replace_by(clang);
    }
    let run = |arguments: &[OsString]| wait_for(self::clang(arguments)?.0.args(arguments));
    for arguments in &split.before {
        run(arguments)?;
    }
    wait_for(&mut clang)?;
    if tells_link {
        verbose::print_link(clang.get_program())?;
    }
    let mut objects = objects.iter();
    objects.try_for_each(|object| whole_program::complete(object, run))
}

/// Build files and packages read the release from these words. CMake does so if it finds the name of the compiler whose
/// arguments these are.
fn print_version(arguments: &[OsString]) -> Result<()> {
    let (release, own) = (headers::release(arguments)?, env!("CARGO_PKG_VERSION"));
    println!("omptarget nvcc {own}: CUDA C++ by clang");
    println!("with the arguments of nvcc: NVIDIA (R) Cuda compiler driver");
    println!("Cuda compilation tools, release {release}, V{release}.0");
    Ok(())
}

/// The arguments without `-I$CUDA_PATH/include`, if that folder is ours: clang finds the headers that were chosen.
fn without_own_headers(arguments: Vec<OsString>) -> Vec<OsString> {
    let own = dist::file("cuda-stub/include").and_then(|path| {
        let cannot = format!("cannot find {}", path.display());
        path.canonicalize().map_err(Failure::system(cannot))
    });
    let is_own = |argument: &OsString| {
        let text = argument.to_string_lossy();
        let path = text.strip_prefix("-I").filter(|path| !path.is_empty());
        let folder = path.and_then(|path| Path::new(path).canonicalize().ok());
        folder.is_some_and(|folder| own.as_ref().is_ok_and(|own| folder == *own))
    };
    let others = arguments.into_iter().filter(|argument| !is_own(argument));
    others.collect()
}

/// Runs clang, which says itself what it does not like.
fn wait_for(clang: &mut Command) -> Result<()> {
    let cannot_start = format!("cannot start {}", clang.get_program().display());
    let status = clang.status().map_err(Failure::system(cannot_start))?;
    match status.success() {
        true => Ok(()),
        false => Err(Failure::Ended(status)),
    }
}

/// Options with which clang does not link.
const NO_LINK: [&str; 6] = ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"];

fn replace_by(mut clang: Command) -> Result<()> {
    let cannot_start = format!("cannot start {}", clang.get_program().display());
    Err(Failure::system(cannot_start)(clang.exec()))
}

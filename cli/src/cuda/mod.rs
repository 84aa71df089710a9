//! `omptarget cuda` and `omptarget nvcc`: clang++ with a configuration file for CUDA programs.

mod headers;
mod nvcc;

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

use omptarget_driver::{Failure, Result, clang};

pub use nvcc::PROGRAM as NVCC;

/// clang with the configuration file that the arguments choose, and those that are left for clang.
pub fn clang(arguments: &[OsString]) -> Result<(Command, Vec<OsString>)> {
    let (configuration, arguments) = headers::choose(arguments)?;
    let mut clang = clang::for_cuda(configuration, &arguments)?;
    // clang knows NVIDIA's headers of these releases, but not all of their novelties. It minds no such option in a file.
    clang.arg("-Wno-unknown-cuda-version");
    Ok((clang, arguments))
}

/// Replaces this process by clang, which gets the arguments.
pub fn compile(arguments: &[OsString]) -> Result<()> {
    let (mut clang, arguments) = clang(arguments)?;
    clang.arg("--driver-mode=g++").args(arguments);
    let cannot_start = format!("cannot start {}", clang.get_program().display());
    Err(Failure::system(cannot_start)(clang.exec()))
}

/// Does the same with arguments for NVIDIA's `nvcc`.
pub fn compile_as_nvcc(arguments: &[OsString]) -> Result<()> {
    compile(&nvcc::translate(arguments)?)
}

//! `omptarget cuda` and `omptarget nvcc`: clang++ with a configuration file for CUDA programs.

mod c_sources;
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
    let (mut clang, arguments) = clang(&nvcc::translate(arguments)?)?;
    let is_no_link = |argument: &OsString| NO_LINK.iter().any(|option| argument == option);
    let links = !arguments.iter().any(is_no_link);
    let split = c_sources::split(arguments, links)?;
    clang.args(&split.rest);
    if links {
        clang.args(["-lstdc++", "-lm"]);
    }
    if split.before.is_empty() {
        return replace_by(clang);
    }
    for arguments in &split.before {
        wait_for(self::clang(arguments)?.0.args(arguments))?;
    }
    wait_for(&mut clang)
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
const NO_LINK: [&str; 6] = ["-c", "-S", "-E", "-M", "-MM", "--version"];

fn replace_by(mut clang: Command) -> Result<()> {
    let cannot_start = format!("cannot start {}", clang.get_program().display());
    Err(Failure::system(cannot_start)(clang.exec()))
}

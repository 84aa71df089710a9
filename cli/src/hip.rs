//! `omptarget hip`: clang++ with the configuration file for HIP programs.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;

use omptarget_driver::{Failure, Result, clang};

use crate::aot;

/// Replaces this process by clang.
pub fn compile(arguments: &[OsString]) -> Result<()> {
    let (architectures, arguments) = aot::split(arguments)?;
    let mut clang = clang::for_hip(&arguments)?;
    if !architectures.is_empty() {
        aot::request(&mut clang, &architectures, &arguments)?;
    }
    clang.arg("--driver-mode=g++").args(arguments);
    let cannot_start = format!("cannot start {}", clang.get_program().display());
    Err(Failure::system(cannot_start)(clang.exec()))
}

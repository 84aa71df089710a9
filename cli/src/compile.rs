//! `omptarget cc` and `omptarget c++`: clang with the configuration file.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;

use omptarget_driver::{Failure, Result, clang};

use crate::{aot, precompile};

/// Which driver clang is to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// `clang`
    C,
    /// `clang++`
    Cxx,
}

/// Replaces this process by clang, or runs it and then fills the cache.
pub fn compile(language: Language, arguments: &[OsString]) -> Result<()> {
    let (architectures, arguments) = aot::split(arguments)?;
    let (program, arguments) = precompile::split(arguments)?;
    let arguments = [aot::offload(&architectures, &arguments), arguments].concat();
    let mut clang = clang::for_offload(&arguments)?;
    if !architectures.is_empty() {
        aot::request(&mut clang, &architectures, &arguments)?;
    }
    if language == Language::Cxx {
        clang.arg("--driver-mode=g++");
    }
    clang.args(arguments);
    let cannot_start = format!("cannot start {}", clang.get_program().display());
    let Some(program) = program else {
        return Err(Failure::system(cannot_start)(clang.exec()));
    };
    let status = clang.status().map_err(Failure::system(cannot_start))?;
    match status.success() {
        true => precompile::fill(&program),
        false => Err(Failure::Ended(status)),
    }
}

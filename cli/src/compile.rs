//! `omptarget cc` and `omptarget c++`: clang with the configuration file.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;

use omptarget_driver::{Failure, Result, clang};

use crate::aot;

/// Which driver clang is to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// `clang`
    C,
    /// `clang++`
    Cxx,
}

/// Replaces this process by clang.
pub fn compile(language: Language, arguments: &[OsString]) -> Result<()> {
    let (architectures, arguments) = aot::split(arguments)?;
    let arguments = [aot::offload(&architectures, &arguments), arguments].concat();
    let mut clang = clang::for_offload(&arguments)?;
    if !architectures.is_empty() {
        aot::request(&mut clang, &architectures, &arguments)?;
    }
    if language == Language::Cxx {
        clang.arg("--driver-mode=g++");
    }
    let error = clang.args(arguments).exec();
    Err(Failure::System {
        what: format!("cannot start {}", clang.get_program().display()),
        source: error,
    })
}

//! The implementations that run a program: how they compile it, with which environment it runs.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use clap::ValueEnum;
use omptarget_driver::{Failure, Result, clang};
use serde::Serialize;

use super::list::Program;
use crate::llvm_host;
use crate::programs::{self, Ended};

/// An implementation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Way {
    /// The virtual GPU
    Ours,
    /// LLVM's host offload
    Llvm,
    /// The initial device: compiled without offload, regions run on the host's threads
    Host,
}

/// All of them; ours is the first.
pub const WAYS: [Way; 3] = [Way::Ours, Way::Llvm, Way::Host];

impl Way {
    pub fn title(self) -> &'static str {
        match self {
            Way::Ours => "ours",
            Way::Llvm => "LLVM",
            Way::Host => "host",
        }
    }

    /// Why it is not available here.
    pub fn lacks(self) -> Option<String> {
        match self {
            Way::Llvm => llvm_host::lacks(),
            Way::Ours | Way::Host => None,
        }
    }

    fn program(self, folder: &Path) -> PathBuf {
        folder.join(self.title())
    }

    /// Compiles the program into `build`; gives what that took. The end of the compiler's messages is the error.
    pub fn compile(
        self,
        program: &Program,
        folder: &Path,
        build: &Path,
        cpu: &str,
    ) -> Result<Ended> {
        let march = format!("-march={cpu}");
        let (mut clang, flags): (Command, Vec<OsString>) = match self {
            Way::Ours => (
                clang::for_offload(&[])?,
                ["-Xarch_host", &march].map(OsString::from).into(),
            ),
            Way::Llvm => (clang::plain()?, llvm_host::flags(cpu)?),
            Way::Host => (
                clang::plain()?,
                [&march, "-fopenmp"].map(OsString::from).into(),
            ),
        };
        let messages = build.join("messages");
        let file = std::fs::File::create(&messages).map_err(Failure::system(format!(
            "cannot write {}",
            messages.display()
        )))?;
        clang
            .current_dir(folder)
            .args(["-O3", "-w"])
            .args(flags)
            .args(program.flags(build))
            .args(program.sources(folder)?)
            .args(["-lstdc++", "-lm", "-o"])
            .arg(self.program(build))
            .stderr(Stdio::from(file));
        let ended = programs::measure(&mut clang, Duration::from_secs(600))
            .map_err(Failure::system("cannot start clang"))?;
        match ended.status {
            Some(status) if status.success() => Ok(ended),
            _ => Err(Failure::Other(format!(
                "does not build: {}",
                first_error(&std::fs::read_to_string(&messages).unwrap_or_default())
            ))),
        }
    }

    /// Runs the program that was compiled into `build`. Kernels that the virtual GPU compiles are kept in there, too.
    pub fn run(
        self,
        program: &Program,
        folder: &Path,
        build: &Path,
        cpu: &str,
        limit: Duration,
    ) -> Result<Ended> {
        let mut command = Command::new(self.program(build));
        command
            .current_dir(folder)
            .args(program.arguments(build))
            .stderr(Stdio::null());
        match self {
            Way::Ours => command
                .env("OMP_TARGET_OFFLOAD", "MANDATORY")
                .env("OMPTARGET_DEVICES", "vgpu")
                .env("OMPTARGET_VGPU_CPU", cpu)
                .env("XDG_CACHE_HOME", build.join("cache")),
            Way::Llvm => command
                .env("OMP_TARGET_OFFLOAD", "MANDATORY")
                .envs(llvm_host::environment()?),
            Way::Host => command.env("OMP_TARGET_OFFLOAD", "DISABLED"),
        };
        programs::measure(&mut command, limit).map_err(Failure::system("cannot start the program"))
    }
}

/// The first line of a compiler's messages that is an error, else the last line.
fn first_error(messages: &str) -> &str {
    let mut lines = messages.lines();
    let error = lines.clone().find(|line| line.contains("error"));
    error.or(lines.next_back()).unwrap_or("no message")
}

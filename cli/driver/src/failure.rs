//! Why a command can fail, and the report of it.

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};

/// Result of a command.
pub type Result<T> = std::result::Result<T, Failure>;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// `dist/` is not around the command.
    #[error(
        "{0} is missing: the command must lie in the bin/ of a built tree (scripts/build makes dist/)"
    )]
    NotInDist(PathBuf),
    /// There is no such compiler, or none that runs.
    #[error(
        "no {what} found (tried {tried}): {source}\n  install {what}-22, or name one with {variable}"
    )]
    NoCompiler {
        /// The compiler.
        what: &'static str,
        /// The variable that names one.
        variable: &'static str,
        /// The programs that were tried, in order.
        tried: String,
        /// The error of the last attempt.
        source: std::io::Error,
    },
    /// A compiler that is too old, or another one.
    #[error(
        "{program} is version {version}, but 22 or newer is needed\n  install {what}-22, or name one with {variable}"
    )]
    OldCompiler {
        /// The compiler that is needed.
        what: &'static str,
        /// The variable that names one.
        variable: &'static str,
        /// The program.
        program: String,
        /// The version that it prints.
        version: String,
    },
    /// The compiler rejected the program, and has printed why.
    #[error("the program does not compile (clang ended with {0})")]
    Compile(std::process::ExitStatus),
    /// A command that the user gave its arguments failed, and has printed why. This one ends as it did.
    #[error("a command ended with {0}")]
    Ended(std::process::ExitStatus),
    /// Wrong usage that the argument parser cannot see.
    #[error("{0}")]
    Usage(String),
    /// The operating system refused something.
    #[error("{what}: {source}")]
    System {
        /// What was attempted.
        what: String,
        /// The system's error.
        source: std::io::Error,
    },
    /// A file is not what it should be.
    #[error("{file}: {why}")]
    File {
        /// The file.
        file: String,
        /// Why not.
        why: String,
    },
    /// A measurement or another part of the project failed.
    #[error("{0}")]
    Other(String),
}

impl Failure {
    /// A closure for `map_err` on I/O results.
    pub fn system(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Failure {
        |source| Failure::System {
            what: what.into(),
            source,
        }
    }

    /// Writes the message to standard error and gives the exit code.
    pub fn report(&self) -> ExitCode {
        if let Failure::Ended(status) = self {
            let code = status.code().or(status.signal().map(|signal| 128 + signal));
            return ExitCode::from(code.and_then(|code| code.try_into().ok()).unwrap_or(1));
        }
        let red: Style = AnsiColor::Red.on_default().bold();
        anstream::eprintln!("omptarget: {red}error{red:#}: {self}");
        ExitCode::from(if matches!(self, Failure::Usage(_)) {
            2
        } else {
            1
        })
    }
}

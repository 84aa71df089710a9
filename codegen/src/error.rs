//! Why an image could not be compiled.

use std::io;
use std::path::PathBuf;

use vgpu_abi::artifact::DecodeError;

/// An image that could not be compiled, or a compiler that could not be run.
#[derive(Debug, thiserror::Error)]
pub enum CompileError {
    /// The compiler was not found.
    #[error(
        "the device compiler omptarget-codegen was not found (looked at {}); set OMPTARGET_CODEGEN to its path",
        .searched.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
    )]
    NotFound {
        /// The paths that were tried.
        searched: Vec<PathBuf>,
    },
    /// The operating system refused something.
    #[error("{what}: {source}")]
    System {
        /// What was attempted.
        what: String,
        /// The system's error.
        source: io::Error,
    },
    /// The compiler rejected the image.
    #[error("{0}")]
    Rejected(String),
    /// The compiler ended abnormally, as LLVM does on some malformed images.
    #[error(
        "the device compiler ended with {how}{}",
        .detail.as_ref().map(|text| format!(": {text}")).unwrap_or_default()
    )]
    Crashed {
        /// The signal or the exit code.
        how: String,
        /// The first line of its messages.
        detail: Option<String>,
    },
    /// The compiler's answer does not parse.
    #[error("the device compiler's answer is unusable: {0}")]
    Answer(#[from] DecodeError),
    /// The compiler's summary does not parse.
    #[error("the device compiler's summary is unusable: {0}")]
    Summary(#[from] serde_json::Error),
}

impl CompileError {
    /// Adds what was attempted to a system error.
    pub(crate) fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> CompileError {
        let what = what.into();
        move |source| CompileError::System { what, source }
    }
}

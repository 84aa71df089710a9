//! What can go wrong. Each message says what to do.

use std::path::PathBuf;

/// Result of a build.
pub type Result<T> = std::result::Result<T, Error>;

/// Why kernels were not compiled.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// This is not a build script.
    #[error("{0} is not set: call this from a build script, or use Kernels::new")]
    NoBuildScript(&'static str),
    /// The folder has no package.
    #[error("{}: there is no Cargo.toml, so no package with kernels", .0.display())]
    NoPackage(PathBuf),
    /// No Rust here compiles kernels.
    #[error(
        "no Rust here compiles kernels:\n{}\n\
         install Debian's rustc-web, cargo-web and rust-web-src, or `rustup component add rust-src`; \
         OMPTARGET_DEVICE_RUSTC and OMPTARGET_DEVICE_CARGO name another one",
        .0.join("\n")
    )]
    NoToolchain(Vec<String>),
    /// The kernels have errors, or cargo could not build them.
    #[error("the kernels in {} were not compiled:\n{output}", .folder.display())]
    Compile {
        /// The package's folder.
        folder: PathBuf,
        /// What cargo wrote.
        output: String,
    },
    /// The operating system refused something.
    #[error("{what}: {source}")]
    System {
        /// What was attempted.
        what: String,
        /// The system's error.
        source: std::io::Error,
    },
}

impl Error {
    /// For `map_err`: the system's error while `what` was attempted.
    pub(crate) fn system(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Error {
        let what = what.into();
        |source| Error::System { what, source }
    }
}

//! Compiles GPU kernels in Rust to device images, from a build script.
//!
//! ```no_run
//! // build.rs
//! omptarget_build::kernels("kernels");
//! ```
//!
//! `kernels/` is the folder of a package of its own: a library with `crate-type = ["cdylib"]` that depends on
//! `omptarget-kernel`. The program embeds the image with `omptarget::include_kernels!()`. The image is LLVM bitcode: it
//! runs on the virtual GPU and, compiled when it is loaded, on NVIDIA GPUs.
//!
//! Kernels are compiled by a Rust that has the sources of `core` and no newer LLVM than omptarget's compiler (22). The
//! build script takes the first that serves:
//!
//! 1. `OMPTARGET_DEVICE_RUSTC` and `OMPTARGET_DEVICE_CARGO`, if they are set;
//! 2. the Rust that builds the program (rustup's, with the component `rust-src`);
//! 3. `/usr/bin/rustc` and `/usr/bin/cargo` (Debian's packages `rustc-web`, `cargo-web` and `rust-web-src`).
//!
//! What kernels need is unstable in Rust. So the compiler is told to accept unstable features (`RUSTC_BOOTSTRAP=1`),
//! for kernels only.

mod compile;
mod error;
mod toolchain;

use std::path::Path;

pub use compile::Kernels;
pub use error::{Error, Result};
pub use toolchain::Toolchain;

/// Compiles the package in `folder`, which is relative to the package of the build script, to `kernels.bc` in cargo's
/// `OUT_DIR`. It ends the build script with a message if that fails.
pub fn kernels(folder: impl AsRef<Path>) {
    let compiled = Kernels::of_build_script(folder).and_then(|kernels| kernels.compile("kernels"));
    if let Err(error) = compiled {
        // cargo shows what a build script that fails has written.
        eprintln!("{error}");
        std::process::exit(1);
    }
}

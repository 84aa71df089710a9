//! Gives `libomptarget.so` the SONAME and the symbol version of LLVM's library, so that a program
//! linked against LLVM's runs with ours unchanged.
//!
//! rustc passes the linker an anonymous version script of its own. GNU ld refuses a named one
//! beside it; lld, the default linker of the toolchain on x86-64 Linux, merges the two. See
//! `src/exports.rs` for the other half.

use std::path::Path;

/// SONAME of the libomptarget that belongs to clang 22.
const SONAME: &str = "libomptarget.so.22.1";

fn main() {
    let manifest = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let script = Path::new(&manifest).join("exports.map");
    println!("cargo:rerun-if-changed={}", script.display());
    println!("cargo:rustc-cdylib-link-arg=-fuse-ld=lld");
    println!(
        "cargo:rustc-cdylib-link-arg=-Wl,--version-script={}",
        script.display()
    );
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{SONAME}");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}

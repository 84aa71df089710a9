//! Gives `libomptarget.so` the SONAME and the symbol version of LLVM's library, so that a program
//! linked against LLVM's runs with ours unchanged.
//!
//! rustc passes the linker an anonymous version script of its own. GNU ld refuses a named script beside it. lld, the
//! default linker of rustup's toolchain on x86-64 Linux, merges the two. `src/entry/exports/` is the other half.
//!
//! Debian's own Rust has no lld, and Debian's `lld-22` does not put `ld.lld` on the path. So the C compiler gets the
//! folder of LLVM's programs.

use std::path::Path;

/// SONAME of the libomptarget that belongs to clang 22.
const SONAME: &str = "libomptarget.so.22.1";

/// The variable with the prefix of the LLVM that the workspace builds with. Default: Debian's folder.
const LLVM_PREFIX: &str = "LLVM_SYS_221_PREFIX";

fn main() {
    let manifest = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let script = Path::new(&manifest).join("exports.map");
    println!("cargo:rerun-if-changed={}", script.display());
    println!("cargo:rerun-if-env-changed={LLVM_PREFIX}");
    let llvm = std::env::var(LLVM_PREFIX).unwrap_or_else(|_| "/usr/lib/llvm-22".to_string());
    println!("cargo:rustc-cdylib-link-arg=-B{llvm}/bin");
    println!("cargo:rustc-cdylib-link-arg=-fuse-ld=lld");
    println!(
        "cargo:rustc-cdylib-link-arg=-Wl,--version-script={}",
        script.display()
    );
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{SONAME}");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}

//! Gives `libcublas.so.12` the SONAME and the symbol version of CUDA's library. `src/exports.rs` is the other half;
//! `host-api/build.rs` says why the linker must be lld, and where it is.

use std::path::Path;

const SONAME: &str = "libcublas.so.12";

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
    // libcudart lies beside it.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-rpath,$ORIGIN");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}

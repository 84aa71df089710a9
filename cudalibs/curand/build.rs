//! Gives `libcurand.so.10` the SONAME and the symbol version of CUDA's library.

fn main() {
    symbol_versions::link("libcurand.so.10");
    // libcudart lies beside it.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-rpath,$ORIGIN");
}

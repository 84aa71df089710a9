//! Gives `libcufft.so.11` the SONAME and the symbol version of CUDA's library.

fn main() {
    symbol_versions::link("libcufft.so.11");
    // libcudart lies beside it.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-rpath,$ORIGIN");
}

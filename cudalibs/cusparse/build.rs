//! Gives `libcusparse.so.12` the SONAME and the symbol version of CUDA's library.

fn main() {
    symbol_versions::link("libcusparse.so.12");
    // libcudart lies beside it.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-rpath,$ORIGIN");
}
